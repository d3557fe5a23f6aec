"""Emission factors by fuel, and the intensity of a generation mix.

One set of factors is one source. A fuel that the set does not know is an error: counted as zero it would hide what it
emits. Storage is left out, because what it gives back was generated before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tco.errors import ReadError, did_you_mean
from tco.grid_intensity.series import Floats
from tco.grid_intensity.tables import content, rows
from tco.provenance import Source
from tco.units import read_quantity

STORAGE = "storage"


@dataclass(frozen=True)
class FuelSet:
    """Factors of one source in gCO2e/kWh, by fuel."""

    name: str
    basis: str
    gas: str
    factors: Mapping[str, float]
    source: Source
    note: str


@lru_cache(maxsize=1)
def _sources() -> dict[str, dict[str, str]]:
    tables = tomllib.loads(content("fuels", "SOURCE.toml").decode("utf-8"))
    return {name: table for name, table in tables.items() if name != "file"}


def fuel_set_names() -> list[str]:
    """Names of the sets of fuel factors."""
    return list(_sources())


@lru_cache(maxsize=16)
def fuel_set(name: str) -> FuelSet:
    """A set of fuel factors by its name.

    Raises
    ------
    ReadError
        If there is none of that name; the message lists those there are.
    """
    sources = _sources()
    if name not in sources:
        raise ReadError(
            f"fuel factors '{name}' are not known{did_you_mean(name, sources)} (sets: {', '.join(sources)})"
        )
    about = dict(sources[name])
    gas, note = about.pop("gas"), about.pop("note")
    found = [row for row in rows("fuels", "factors.csv") if row[0] == name]
    return FuelSet(name, found[0][2], gas, {row[1]: float(row[3]) for row in found}, Source.model_validate(about), note)


@lru_cache(maxsize=1)
def types() -> dict[tuple[str, str], str]:
    """Fuel by scheme (``entsoe``, ``eia``) and code, or full name in lower case."""
    known: dict[tuple[str, str], str] = {}
    for scheme, code, name, fuel in rows("fuels", "types.csv"):
        known[scheme, code] = known[scheme, name.casefold()] = fuel
    return known


@dataclass(frozen=True)
class Mix:
    """The intensity of a generation mix, step by step.

    Attributes
    ----------
    value
        In gCO2e/kWh; NaN where a fuel has no figure in the step, or nothing is generated.
    left_out
        Share of the generation that is in no fuel with a factor: storage, and what the user leaves out.
    clipped
        Steps in which a fuel was negative and counted as 0.
    """

    value: Floats
    left_out: float
    clipped: int


def intensity_of(
    generation: Mapping[str, Floats],
    factors: Mapping[str, float],
    without: Sequence[str] = (),
    where: str = "generation",
) -> Mix:
    """The intensity of a generation mix.

    Parameters
    ----------
    generation
        Power or energy by fuel, any one unit, each of shape (n,); NaN where a figure is missing. Pumping is negative
        storage.
    factors
        In gCO2e/kWh, by fuel.
    without
        Fuels to leave out, although they generate.
    where
        File, for messages.

    Raises
    ------
    ReadError
        If a fuel that generates has no factor and is not left out.
    """
    unknown = [
        fuel
        for fuel, power in generation.items()
        if fuel not in factors and fuel != STORAGE and fuel not in without and np.nansum(power) > 0
    ]
    total = sum(np.clip(np.nan_to_num(power), 0, None) for power in generation.values())
    everything = float(np.sum(total))
    if unknown:
        share = float(sum(np.nansum(generation[fuel]) for fuel in unknown)) / everything
        raise ReadError(
            f"{where}: no factor for {', '.join(unknown)}, {100 * share:.2g} % of the generation: state it, for "
            f"instance --fuel '{unknown[0]}=700 g/kWh', or leave it out with --without '{unknown[0]}'"
        )
    used = {fuel: power for fuel, power in generation.items() if fuel in factors and fuel not in without}
    if not used:
        raise ReadError(f"{where}: holds no generation of a fuel with a factor")
    steps = len(next(iter(used.values())))
    emitted, energy, clipped = np.zeros(steps), np.zeros(steps), 0
    for fuel, power in used.items():
        clipped += int(np.count_nonzero(power < 0))
        generated = np.clip(power, 0, None)  # NaN stays NaN
        emitted, energy = emitted + factors[fuel] * generated, energy + generated
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(energy > 0, emitted / energy, np.nan)
    return Mix(value, 1 - float(np.nansum(energy)) / everything if everything else 0.0, clipped)


def stated_factors(items: Sequence[str]) -> dict[str, float]:
    """``["oil=650 g/kWh"]`` as factors in gCO2e/kWh."""
    stated = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals:
            raise ReadError(f"--fuel '{item}': write FUEL=VALUE, for instance --fuel 'oil=650 g/kWh'")
        stated[name.strip().casefold()] = float(read_quantity(text.strip(), "gCO2e/kWh").magnitude)
    return stated
