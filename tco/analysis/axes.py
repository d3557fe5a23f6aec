"""The values that a sweep gives to an input, as a person writes them: ``1.05:1.6:12`` or ``20,200,600 gCO2e/kWh``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tco.analysis.recipe import Recipe
from tco.compiled import Array
from tco.errors import EstimateError, UnitError
from tco.units import Q, convert_given, parse_unit

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_STEPS = re.compile(rf"({_NUMBER}):({_NUMBER}):(\d+)(:log)?\s*(.*)", re.DOTALL)
_LIST = re.compile(rf"({_NUMBER}(?:\s*,\s*{_NUMBER})*)\s*(.*)", re.DOTALL)
_EXAMPLES = "site.pue=1.05:1.6:12 (12 values from 1.05 to 1.6), grid.intensity='20,200,600 gCO2e/kWh'"


class Axis(NamedTuple):
    """Values of one input.

    Attributes
    ----------
    name
        Of the input.
    values
        Shape (n,), in `unit`.
    unit
        As stated; None where the numbers stand alone, which is the unit the input is shown in.
    """

    name: str
    values: Array
    unit: str | None


def parse_axis(text: str) -> Axis:
    """Read ``INPUT=FROM:TO:COUNT``, ``INPUT=FROM:TO:COUNT:log`` or ``INPUT=A,B,C``, with a unit behind it or not.

    Raises
    ------
    EstimateError
        With what was found and what would be right.
    """
    name, equals, written = (part.strip() for part in text.partition("="))
    steps, listed = _STEPS.fullmatch(written), _LIST.fullmatch(written)
    if not equals or not name or (steps is None and listed is None):
        raise EstimateError(f"'{text}' does not say what to vary and how; write for instance {_EXAMPLES}")
    if steps is not None:
        first, last, count = float(steps[1]), float(steps[2]), int(steps[3])
        if count < 1 or (count == 1 and first != last):
            raise EstimateError(f"'{text}': {count} values from {first:g} to {last:g}; write at least 2")
        if steps[4]:
            if first <= 0 or last <= 0:
                raise EstimateError(f"'{text}': equal ratios need both ends above 0")
            return Axis(name, np.geomspace(first, last, count), steps[5].strip() or None)
        return Axis(name, np.linspace(first, last, count), steps[5].strip() or None)
    assert listed is not None
    return Axis(name, np.array([float(number) for number in listed[1].split(",")]), listed[2].strip() or None)


def axes_of(vary: Mapping[str, Sequence[float] | Array | str] | Sequence[str]) -> list[Axis]:
    """Axes from text, or from values by input; ``"name [unit]"`` as a key says the unit of the numbers."""
    from tco.analysis.columns import split_heading

    axes: list[Axis] = []
    if isinstance(vary, Mapping):
        for key, given in vary.items():
            name, unit = split_heading(key)
            if isinstance(given, str):
                axes.append(parse_axis(f"{key}={given}"))
            else:
                axes.append(Axis(name, np.asarray(given, dtype=np.float64), unit))
    else:
        axes.extend(parse_axis(text) for text in vary)
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise EstimateError(f"{name} is to vary twice; name each input once")
    for axis in axes:
        if not len(axis.values) or not np.isfinite(axis.values).all():
            raise EstimateError(f"{axis.name}: the values to take must be finite numbers, and at least one")
    return axes


def in_input_units(recipe: Recipe, axes: Sequence[Axis]) -> list[Axis]:
    """The axes with every unit known, in the unit of the input where the numbers stood alone.

    Raises
    ------
    EstimateError, UnitError
        If an input is not known, or a unit is of the wrong kind.
    """
    if not axes:
        return []
    plain = recipe.estimate()
    inputs = plain.inputs
    settled = []
    for axis in axes:
        node = inputs.get(axis.name)
        if axis.unit is not None:
            settled.append(_with_unit(axis, None if node is None else node.unit))
        elif node is not None:
            settled.append(axis._replace(unit=node.unit))
        else:
            # Not in this estimate as it is; perhaps one could state it. A number alone will do if it has no unit.
            try:
                unit = recipe.estimate({axis.name: float(axis.values[0])}).inputs[axis.name].unit
            except UnitError as error:
                raise UnitError(f"{error} (to vary: {axis.name}='... unit')") from None
            settled.append(axis._replace(unit=unit))
    return settled


def _with_unit(axis: Axis, shown: str | None) -> Axis:
    """An axis with a stated unit, in the unit that the input is shown in where it is of that kind."""
    assert axis.unit is not None
    try:
        unit = parse_unit(axis.unit)
        own = f"{unit:~C}" or "1"
        if shown is None:
            return axis._replace(unit=own)
        if unit.dimensionality != parse_unit(shown).dimensionality:
            # Another currency is the estimate's business; emissions may be given as mass.
            try:
                factor = float(convert_given(Q(1.0, own), shown).magnitude)
            except UnitError:
                return axis._replace(unit=own)
            return axis._replace(values=axis.values * factor, unit=shown)
        return axis._replace(values=Q(axis.values, own).to(parse_unit(shown)).magnitude, unit=shown)
    except UnitError as error:
        raise UnitError(f"{axis.name}: {error}") from None
