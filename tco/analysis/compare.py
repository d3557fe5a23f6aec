"""Runs, systems, sites, places and scenarios side by side: what differs, why, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tco.analysis.attribution import Share, attribute, differing
from tco.analysis.distributions import varying
from tco.analysis.recipe import Recipe
from tco.analysis.sampling import Sampler
from tco.compiled import Array, Program
from tco.errors import EstimateError
from tco.estimation import Estimate
from tco.graph import Node, base_factor

#: What a line or an input says of itself that two cases should agree in before they are compared.
_LINE_FACTS = ("basis", "boundary", "phase", "method", "scope", "stage")
_INPUT_FACTS = ("basis", "scope", "kind", "data_year", "price_year", "dataset")
#: Samples behind "how sure".
SAMPLES = 20_000


class Sure(NamedTuple):
    """How sure it is that a case is below the first.

    Attributes
    ----------
    together
        Probability that the line is lower where an input that both have, with different values, is at the same
        percentile of its range in both: the two err alike.
    apart
        Probability where such an input varies on its own in each. Inputs that are equal in both are one and the same
        quantity in either.
    n, seed
        Of the samples.
    """

    together: float
    apart: float
    n: int
    seed: int


class Difference(NamedTuple):
    """One line of a case against that of the first.

    Attributes
    ----------
    line, unit
        The line, and the unit of the numbers.
    first, other
        Its values.
    sure
        How sure it is that the other is lower; None where no input varies, or it was not asked.
    """

    line: str
    unit: str
    first: float
    other: float
    sure: Sure | None

    @property
    def absolute(self) -> float:
        """The other less the first."""
        return self.other - self.first

    @property
    def relative(self) -> float:
        """The difference over the first; nan where that is 0."""
        return self.absolute / self.first if self.first else math.nan


class Against(NamedTuple):
    """A case against the first.

    Attributes
    ----------
    title
        Of the case.
    differences
        By name of the line, those that both have.
    inputs
        Inputs that differ: text of the value in the first and in this one; empty where it has none.
    attributions
        For the lines that were asked for: what causes how much of the difference.
    warnings
        Where the two are not alike in basis, boundary or method.
    """

    title: str
    differences: Mapping[str, Difference]
    inputs: tuple[tuple[str, Node | None, Node | None], ...]
    attributions: Mapping[str, tuple[Share, ...]]
    warnings: tuple[str, ...]


class Comparison(NamedTuple):
    """Cases side by side; all others are set against the first.

    Attributes
    ----------
    titles, estimates
        Of the cases.
    lines
        Names of all lines that any case has.
    against
        The cases after the first.
    """

    titles: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    lines: tuple[str, ...]
    against: tuple[Against, ...]

    def _repr_html_(self) -> str:
        from tco.reports.notebook import comparison_html

        return comparison_html(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, schema ``tco.comparison/1``."""

        def value(node: Node | None) -> dict[str, Any] | None:
            return None if node is None else {"value": node.value, "unit": node.unit}

        def line(name: str) -> list[dict[str, Any] | None]:
            return [value(each.graph.named.get(name)) for each in self.estimates]

        def against(case: Against) -> dict[str, Any]:
            return {
                "case": case.title,
                "lines": {
                    each.line: {
                        "unit": each.unit,
                        "absolute": each.absolute,
                        "relative": each.relative if math.isfinite(each.relative) else None,
                        **({"probability_lower": each.sure._asdict()} if each.sure else {}),
                    }
                    for each in case.differences.values()
                },
                "inputs": [
                    {"input": name, "first": value(one), "case": value(other)} for name, one, other in case.inputs
                ],
                "attribution": {
                    name: [{"input": s.name, "amount": s.amount, "error": s.error} for s in shares]
                    for name, shares in case.attributions.items()
                },
                "warnings": list(case.warnings),
            }

        return {
            "schema": "tco.comparison/1",
            "cases": list(self.titles),
            "lines": {name: line(name) for name in self.lines},
            "against_first": [against(case) for case in self.against],
        }


def compare(
    recipes: Sequence[Recipe],
    *,
    attributed: Sequence[str] = ("carbon.total", "cost.total"),
    n: int = SAMPLES,
    seed: int = 1,
) -> Comparison:
    """Set cases side by side.

    Parameters
    ----------
    recipes
        At least two; the first is what the others are set against.
    attributed
        Lines whose difference is split among what causes it, where both cases have them.
    n, seed
        Samples, from which seed, for how sure it is that one is lower; 0 for none.
    """
    if len(recipes) < 2:
        raise EstimateError(
            "a comparison needs at least two cases: name another run, --regions, --systems or --scenario"
        )
    estimates = tuple(recipe.estimate() for recipe in recipes)
    titles = _titles(recipes)
    lines = _in_order([list(estimate) for estimate in estimates])
    for name in attributed:
        if name not in lines and not any(missing.line == name for e in estimates for missing in e.missing):
            estimates[0][name]  # says what is near
    against = tuple(
        _against(estimates[0], estimate, (titles[0], title), attributed, n, seed)
        for estimate, title in zip(estimates[1:], titles[1:], strict=True)
    )
    return Comparison(titles, estimates, lines, against)


def _in_order(all_lines: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """All lines of the cases; one that the first does not have stands behind the line before it."""
    order: list[str] = []
    for lines in all_lines:
        before = 0
        for name in lines:
            if name in order:
                before = order.index(name) + 1
            else:
                order.insert(before, name)
                before += 1
    return tuple(order)


def _titles(recipes: Sequence[Recipe]) -> tuple[str, ...]:
    titles = [recipe.title or str(recipe.run) for recipe in recipes]
    return tuple(title if titles.count(title) == 1 else f"{title} #{place + 1}" for place, title in enumerate(titles))


def _against(
    first: Estimate, other: Estimate, titles: tuple[str, str], attributed: Sequence[str], n: int, seed: int
) -> Against:
    common = [
        name
        for name in first
        if name in other and first.graph[name].quantity.dimensionality == other.graph[name].quantity.dimensionality
    ]
    sure = how_sure(first, other, common, n=n, seed=seed) if n else {}
    differences = {}
    for name in common:
        node, theirs = first.graph[name], other.graph[name]
        value = float(theirs.quantity.to(node.quantity.units).magnitude)
        differences[name] = Difference(name, node.unit, node.value, value, sure.get(name))
    both, only_first, only_other = differing(first.graph, other.graph)
    inputs: list[tuple[str, Node | None, Node | None]] = [(name, first.graph[name], other.graph[name]) for name in both]
    inputs += [(name, first.graph[name], None) for name in only_first]
    inputs += [(name, None, other.graph[name]) for name in only_other]
    attributions = {
        name: tuple(attribute(first.graph, other.graph, name)) for name in attributed if name in differences
    }
    return Against(titles[1], differences, tuple(inputs), attributions, tuple(_warnings(first, other, titles)))


def _warnings(first: Estimate, other: Estimate, titles: tuple[str, str]) -> list[str]:
    """Where the two are not alike in what they count."""
    said: list[str] = []
    seen: set[tuple[str, str, str]] = set()
    one, two = titles
    for name in first.graph.named:
        if name not in other.graph.named:
            continue
        node, theirs = first.graph[name], other.graph[name]
        if node.quantity.dimensionality != theirs.quantity.dimensionality:
            if node.operation != "input":
                said.append(
                    f"{name}: in {node.unit} in '{one}' and in {theirs.unit} in '{two}'; choose one with --currency"
                )
            continue
        for fact in _INPUT_FACTS if node.operation == "input" else _LINE_FACTS:
            mine, its = node.facts.get(fact), theirs.facts.get(fact)
            if mine == its or (node.operation == "input" and (mine is None or its is None)):
                continue
            key = (fact, str(mine), str(its))
            if key in seen:  # a total and its parts say the same
                continue
            seen.add(key)
            words = fact.replace("_", " ")
            said.append(f"{name}: {words} '{mine or 'not stated'}' in '{one}' and '{its or 'not stated'}' in '{two}'")
    for mine_, its_, title in ((first, other, two), (other, first, one)):
        lost = [name for name in mine_ if name not in its_ and any(m.line == name for m in its_.missing)]
        if lost:
            said.append(f"'{title}' has no {', '.join(lost)}: it could not be estimated there")
    return said


def how_sure(first: Estimate, other: Estimate, lines: Sequence[str], *, n: int, seed: int) -> dict[str, Sure]:
    """Probability that each line of the second is below that of the first, with common random numbers."""
    graphs = (first.graph, other.graph)
    drawn = [varying(graph.needed_for([graph[name] for name in lines])) for graph in graphs]
    if not drawn[0] and not drawn[1]:
        return {}
    unlike = [name for name in drawn[1] if name in drawn[0] and drawn[1][name] != drawn[0][name]]
    shared = _lower(first, other, lines, n, seed, {})
    own = _lower(first, other, lines, n, seed, {name: f"{name} of the other" for name in unlike}) if unlike else shared
    return {name: Sure(shared[name], own[name], n, seed) for name in shared}


def _lower(
    first: Estimate, other: Estimate, lines: Sequence[str], n: int, seed: int, streams: Mapping[str, str]
) -> dict[str, float]:
    samplers = [
        Sampler(first.graph, lines, n, seed),
        Sampler(other.graph, lines, n, seed, streams=streams),
    ]
    programs = [Program(e.graph, lines, list(s.drawn)) for e, s in zip((first, other), samplers, strict=True)]
    counts, tied = dict.fromkeys(lines, 0.0), dict.fromkeys(lines, 0)
    streams_of = [sampler.blocks() for sampler in samplers]
    done = 0
    while done < n:
        results: list[Mapping[str, Array | float]] = []
        for estimate, program, blocks in zip((first, other), programs, streams_of, strict=True):
            block = next(blocks)
            results.append(program(block) if block else {name: estimate.graph[name].value for name in lines})
        size = max(len(np.atleast_1d(values)) for result in results for values in result.values())
        for name in lines:
            scale = base_factor(other.graph[name].quantity.units) / base_factor(first.graph[name].quantity.units)
            mine, its = np.asarray(results[0][name]), np.asarray(results[1][name]) * scale
            ties = np.isclose(mine, its, rtol=1e-12, atol=0.0)
            # Where the two are the same, neither is lower: half to each.
            lower = np.broadcast_to(np.where(ties, 0.5, its < mine), (size,))
            counts[name] += float(lower.sum())
            tied[name] += int(np.broadcast_to(ties, (size,)).sum())
        done += size
    moving = [name for name in lines if tied[name] < n and any(_moves(each, name) for each in (first, other))]
    return {name: counts[name] / n for name in moving}


def _moves(estimate: Estimate, line: str) -> bool:
    return bool(varying(estimate.graph.needed_for([estimate.graph[line]])))
