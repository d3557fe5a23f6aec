"""Which of the inputs that differ cause how much of a difference: shares that add up to it.

The shares are Shapley values: an input's share is what the line changes when the input is switched from one case to the
other, averaged over all orders in which the inputs may be switched. In every order the changes add up to the
difference, so their means do. What only one case has, and formulas that differ, are one more thing to switch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tco.analysis.sampling import stream
from tco.compiled import Array, Program
from tco.errors import UnitError
from tco.graph import Graph
from tco.units import Quantity, convert, currency

#: Up to so many inputs all orders are averaged, by the 2**k combinations; for more, orders are drawn.
_EXACT = 14
_ORDERS = 2000
#: What differs beside the inputs that both have.
MODEL = "(what only one of them has)"
_SAME = 1e-12


class Share(NamedTuple):
    """What one input causes of a difference.

    Attributes
    ----------
    name
        Of the input, or `MODEL`.
    before, after
        Its values in the two cases, with their units; None for `MODEL`.
    amount
        Of the difference, in the unit of the line.
    error
        Standard error of `amount`; 0 where all orders were averaged.
    """

    name: str
    before: Quantity | None
    after: Quantity | None
    amount: float
    error: float = 0.0


def differing(first: Graph, second: Graph) -> tuple[dict[str, tuple[Quantity, Quantity]], list[str], list[str]]:
    """Inputs that both graphs have with other values; those that only the first has; those that only the second has."""
    ours = {node.name: node for node in first.inputs()}
    theirs = {node.name: node for node in second.inputs()}
    both = {}
    for name, node in ours.items():
        other = theirs.get(name)
        if other is not None and not _same(node.quantity, other.quantity):
            both[name] = (node.quantity, other.quantity)
    return both, [name for name in ours if name not in theirs], [name for name in theirs if name not in ours]


def _same(one: Quantity, other: Quantity) -> bool:
    if one.dimensionality != other.dimensionality:
        return False
    return math.isclose(float(one.magnitude), float(other.to(one.units).magnitude), rel_tol=_SAME, abs_tol=0.0)


def attribute(first: Graph, second: Graph, line: str) -> list[Share]:
    """Split the difference of a line between two graphs among what differs.

    Parameters
    ----------
    first, second
        Graphs that both have the line, in one unit.
    line
        Its name.

    Returns
    -------
    list of Share
        Largest first; the amounts add up to the line of `second` less that of `first`.
    """
    both, _, _ = differing(first, second)
    used = [{node.name for node in graph.needed_for([graph[line]])} for graph in (first, second)]
    swapped: dict[
        str, tuple[float, float, float, float]
    ] = {}  # in the units of the first, of the second: before, after
    for name, (before, after) in both.items():
        if name not in used[0] and name not in used[1]:
            continue
        here = _in(after, before, first, second)
        there = _in(before, after, first, second)
        if here is not None and there is not None:
            swapped[name] = (float(before.magnitude), here, there, float(after.magnitude))
    names = list(swapped)
    programs = [Program(graph, [line], names) if names else None for graph in (first, second)]

    def value(switched: np.ndarray) -> Array:
        """The line for combinations, shape (n, names + 1): whether each input, and at last the model, is switched."""
        results = np.empty(len(switched))
        for place, graph in enumerate((first, second)):
            rows = np.flatnonzero(switched[:, -1] == place)
            program = programs[place]
            if program is None:
                results[rows] = graph[line].value
                continue
            inputs = {
                name: np.where(switched[rows, i], swapped[name][2 * place + 1], swapped[name][2 * place])
                for i, name in enumerate(names)
            }
            results[rows] = program(inputs)[line]
        # The ends are the two estimates themselves, to the last digit.
        results[~switched.any(axis=1)] = first[line].value
        results[switched.all(axis=1)] = second[line].value
        return results

    amounts, errors = shapley(value, len(names) + 1)
    shares = [
        Share(name, *both[name], float(amount), float(error))
        for name, amount, error in zip(names, amounts, errors, strict=False)
    ]
    scale = max(abs(first[line].value), abs(second[line].value))
    if abs(amounts[-1]) > _SAME * scale:
        shares.append(Share(MODEL, None, None, float(amounts[-1]), float(errors[-1])))
    return sorted(shares, key=lambda share: -abs(share.amount))


def _in(value: Quantity, like: Quantity, first: Graph, second: Graph) -> float | None:
    """Magnitude of a quantity in the unit of another; money at a rate of either graph. None where there is none."""
    try:
        return float(convert(value, f"{like.units:~C}" or "1").magnitude)
    except UnitError:
        pass
    own, wanted = currency(value), currency(like)
    if own is None or wanted is None:
        return None
    for graph in (second, first):
        for name, power in ((f"fx.{own.lower()}_{wanted.lower()}", 1), (f"fx.{wanted.lower()}_{own.lower()}", -1)):
            if name in graph.named:
                exchanged = value * graph[name].quantity ** power
                if exchanged.dimensionality == like.dimensionality:
                    return float(exchanged.to(like.units).magnitude)
    return None


def shapley(value: Callable[[np.ndarray], Array], count: int) -> tuple[Array, Array]:
    """Shapley values of `count` switches.

    Parameters
    ----------
    value
        From combinations, shape (n, count) of whether each is switched, to what they give, shape (n,).
    count
        How many switches there are.

    Returns
    -------
    tuple of arrays
        Values, shape (count,), that add up to all switched less none, and their standard errors.
    """
    if count <= _EXACT:
        codes = np.arange(1 << count)
        combinations = (codes[:, None] >> np.arange(count) & 1).astype(bool)
        worth = value(combinations)
        size = combinations.sum(axis=1)
        weight = np.array([1 / (count * math.comb(count - 1, k)) for k in range(count)])
        found = np.empty(count)
        for place in range(count):
            without = codes[~combinations[:, place]]
            found[place] = np.sum(weight[size[without]] * (worth[without | (1 << place)] - worth[without]))
        return found, np.zeros(count)
    random = stream(1, "orders of attribution")
    orders = np.array([random.permutation(count) for _ in range(_ORDERS // 2)])
    orders = np.concatenate([orders, orders[:, ::-1]])  # each with its reverse: less spread, the same mean
    turns = np.argsort(orders, axis=1)  # when each switch is turned
    switched = turns[:, None, :] < np.arange(count + 1)[None, :, None]
    worth = value(switched.reshape(-1, count)).reshape(len(orders), count + 1)
    changes = np.take_along_axis(np.diff(worth, axis=1), turns, axis=1)
    pairs = (changes[: len(changes) // 2] + changes[len(changes) // 2 :]) / 2
    return changes.mean(axis=0), pairs.std(axis=0, ddof=1) / math.sqrt(len(pairs))


def closure(shares: Sequence[Share]) -> float:
    """What the shares add up to."""
    return math.fsum(share.amount for share in shares)


__all__ = ["MODEL", "Share", "attribute", "closure", "differing", "shapley"]
