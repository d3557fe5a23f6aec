"""Steps of a claim on a calculation graph: the formulas of the package by name, and plain arithmetic."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from tco.claims.stated import Stated
from tco.claims.vocabulary import VOCABULARY, is_exact
from tco.errors import RecordError, UnitError, did_you_mean
from tco.graph import Graph, Input, Node
from tco.operations import V
from tco.units import Q, show

if TYPE_CHECKING:
    from tco.claims.record import Claim

_NAME = re.compile(r"([a-z]+)\.([a-z][a-z0-9_]*)")


def _sum(*values: V) -> V:
    """The sum of its parts."""
    result = values[0]
    for value in values[1:]:
        result = result + value
    return result


def _product(*values: V) -> V:
    """All of them multiplied."""
    result = values[0]
    for value in values[1:]:
        result = result * value
    return result


def _quotient(a: V, b: V) -> V:
    """The first over the second."""
    return a / b


def _difference(a: V, b: V) -> V:
    """The first less the second."""
    return a - b


def _complement(a: V) -> V:
    """One less a share."""
    return 1 - a


def _same(a: V) -> V:
    """The same figure in another place or unit."""
    return a


#: name -> function, and how many operands it takes (None: any number)
ARITHMETIC: Mapping[str, tuple[Callable[..., Any], int | None]] = {
    "sum": (_sum, None),
    "product": (_product, None),
    "quotient": (_quotient, 2),
    "difference": (_difference, 2),
    "complement": (_complement, 1),
    "same": (_same, 1),
}


def _public(module: Any) -> dict[str, Callable[..., Any]]:
    return {
        name: function
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }


def formula(name: str) -> Callable[..., Any]:
    """The public formula with this name, such as ``silicon.dies_classic``.

    Raises
    ------
    RecordError
        If there is none; the message names what is near.
    """
    import tco.formulas

    domains = [module.name for module in iter_modules(tco.formulas.__path__)]
    match = _NAME.fullmatch(name)
    if match is None or match.group(1) not in domains:
        known = (*ARITHMETIC, *(f"{domain}." for domain in domains))
        raise RecordError(f"'{name}' is no formula{did_you_mean(name, known)} (known: {', '.join(known)})")
    found = _public(import_module(f"tco.formulas.{match.group(1)}"))
    if match.group(2) not in found:
        hint = did_you_mean(match.group(2), found)
        raise RecordError(f"'{name}' is no formula{hint} ({match.group(1)} has: {', '.join(sorted(found))})")
    return found[match.group(2)]


def add_input(graph: Graph, name: str, stated: Stated) -> Node:
    """An input as a source prints it, its rounding as its range; mass that is emissions is read as mass of CO2e."""
    unit, value = stated.unit, Q(stated.value, stated.unit)
    word = VOCABULARY.get(name)
    if word is not None and "CO2e" in word.unit:
        unit, value = word.unit, stated.quantity(word.unit)
    half = 0.0 if is_exact(name.partition("[")[0], stated.number or "", stated.unit) else stated.half()
    if not half:
        return graph.input(name, value, unit, name, Input())
    number = float(value.magnitude)
    half *= abs(number / stated.value) if stated.value else 1.0
    return graph.input(name, value, unit, name, Input(low=number - half, high=number + half, note="as printed"))


def calculate(claim: Claim) -> Graph:
    """The steps of a claim on a graph of their own; inputs and steps have their names.

    Raises
    ------
    RecordError
        If a formula or a parameter of it is not known.
    UnitError
        If units do not fit.
    """
    graph = Graph()
    nodes: dict[str, list[Node]] = {}
    for name, stated in claim.inputs.items():
        if isinstance(stated, tuple):
            nodes[name] = [add_input(graph, f"{name}[{at}]", one) for at, one in enumerate(stated)]
        else:
            nodes[name] = [add_input(graph, name, stated)]
    for name, step in claim.steps.items():
        where = f"{claim.id}: steps.{name}"
        if step.by in ARITHMETIC:
            function, count = ARITHMETIC[step.by]
            operands = [node for operand in step.operands for node in nodes[operand]]
            if not operands or (count is not None and len(operands) != count):
                raise RecordError(f"{where}: '{step.by}' takes {count or 'one or more'}; found {len(operands)}")
            made = partial(function, *operands)
        else:
            assert isinstance(step.of, Mapping)
            function = formula(step.by)
            made = partial(function, **_arguments(where, function, step.of, nodes))
        try:
            node = made()
            unit = step.unit or f"{node.quantity.units:~C}" or "1"
            nodes[name] = [graph.line(name, node, unit, name, by=function)]
            finite = math.isfinite(nodes[name][0].value)
        except UnitError as error:
            raise UnitError(f"{where}: {error}") from None
        except (ArithmeticError, TypeError, RuntimeWarning):  # a division by zero, or a root of what is below it
            finite = False
        if not finite:
            values = ", ".join(f"{one.text()} = {show(one.quantity)}" for o in step.operands for one in nodes[o])
            raise RecordError(f"{where}: '{step.by}' has no value for {values}")
    return graph


def _arguments(
    where: str, function: Callable[..., Any], of: Mapping[str, str], nodes: Mapping[str, Sequence[Node]]
) -> dict[str, Node]:
    needed = list(inspect.signature(function).parameters)
    for parameter in of:
        if parameter not in needed:
            hint = did_you_mean(parameter, needed)
            raise RecordError(f"{where}: no parameter '{parameter}'{hint} (parameters: {', '.join(needed)})")
    missing = [parameter for parameter in needed if parameter not in of]
    if missing:
        raise RecordError(f"{where}: needs {', '.join(missing)} too")
    for parameter, name in of.items():
        if len(nodes[name]) != 1:
            raise RecordError(f"{where}: '{parameter}' is one number; '{name}' is a list")
    return {parameter: nodes[name][0] for parameter, name in of.items()}
