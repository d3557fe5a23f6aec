"""From generation by type to an intensity, for sources that give no carbon figure."""

from __future__ import annotations

from dataclasses import replace

from tco.errors import ReadError
from tco.grid_intensity.formats.options import Reading
from tco.grid_intensity.fuels import fuel_set, fuel_set_names, intensity_of, types
from tco.grid_intensity.series import Floats, Series, SeriesAbout


def fuel_of(scheme: str, code: str, where: str) -> str:
    """The fuel that a code of ENTSO-E or EIA means.

    Raises
    ------
    ReadError
        If the code is not known: counted as nothing it would hide what it emits.
    """
    fuel = types().get((scheme, code)) or types().get((scheme, code.casefold()))
    if fuel is None:
        known = ", ".join(code for kind, code in types() if kind == scheme and code.isupper())
        raise ReadError(f"{where}: generation type '{code}' is not known (types: {known})")
    return fuel


def series_of(
    generation: dict[str, Floats], start_s: Floats, end_s: Floats, about: SeriesAbout, reading: Reading
) -> Series:
    """A series from generation by fuel, with the factors that the user names."""
    where = about.file
    if reading.fuels is None:
        raise ReadError(
            f"{where}: holds generation, not an intensity: name the fuel factors to use, for instance "
            f"tco grid import {where} --fuels ipcc-2014 -o intensity.csv (sets: {', '.join(fuel_set_names())})"
        )
    chosen = fuel_set(reading.fuels)
    mix = intensity_of(generation, {**chosen.factors, **reading.stated_fuels}, reading.without, where)
    notes = [f"from generation by type with the factors {chosen.name} ({chosen.source})"]
    notes += [f"factor of {fuel} stated: {value:g} gCO2e/kWh" for fuel, value in sorted(reading.stated_fuels.items())]
    if mix.left_out > 0:
        names = ", ".join(["storage", *reading.without])
        notes.append(f"{100 * mix.left_out:.2g} % of the generation left out ({names})")
    if mix.clipped:
        notes.append(f"negative generation counted as 0 in {mix.clipped} places")
    described = replace(about, basis=chosen.basis, scope="production", gas=chosen.gas, notes=(*about.notes, *notes))
    return Series(start_s, end_s, mix.value, described)
