"""Points and rank of bids, how stable the rank is, and at which price or tariff another bid wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tco import __version__
from tco.analysis.sampling import Sampler
from tco.bids.build import Offer, offer
from tco.bids.reading import read_bid, read_tender
from tco.bids.records import Bid, Criterion, Entry, Tender
from tco.bids.scoring import Totals, award_points
from tco.compiled import Array, Program
from tco.errors import EstimateError, did_you_mean
from tco.graph import Node
from tco.units import Q, convert

#: Samples behind how stable the rank is.
SAMPLES = 20_000
#: Names of inputs that belong to a bid alone: they vary on their own although two bids may have the same value.
_OWN = ("bid.", "price.", "run.nodes_charged")
#: Points between which a change of the winner is looked for, and how often the gap is narrowed.
_SCAN, _NARROW, _ROUNDS = 801, 33, 8
#: How far prices are moved, and shared inputs upwards: parts and multiples of their value.
_NEXT_TO_NOTHING, _FARTHEST = 0.01, 3.0
#: Shared inputs by which the winner is asked for, where the bids have them.
_SHARED = ("site.tariff", "site.pue", "grid.intensity", "finance.rate", "tender.utilisation", "run.duration")


class Mandatory(NamedTuple):
    """A mandatory criterion of one bid: the value, the bound, and whether it is met; None where it cannot be told."""

    name: str
    value: str
    bound: str
    met: bool | None


class Switch(NamedTuple):
    """Where another bid wins.

    Attributes
    ----------
    what, unit
        An input that all bids share, or ``prices of BIDDER``, as a factor.
    now, then
        Its value, and the nearest one at which the winner changes; None where none was found in the range.
    winner
        Who wins beyond.
    low, high
        Range that was looked at.
    """

    what: str
    unit: str
    now: float
    then: float | None
    winner: str | None
    low: float
    high: float


class Ranked(NamedTuple):
    """One bid with what the evaluation says of it."""

    offer: Offer
    mandatory: tuple[Mandatory, ...]
    admitted: bool
    values: tuple[float | None, ...]
    points: tuple[float, ...]
    total: float
    rank: int | None
    tied: bool
    wins: float | None


class Evaluation(NamedTuple):
    """A tender with its ranked bids.

    Attributes
    ----------
    tender, bids
        In the order of the tender.
    criteria
        Award criteria; those of a bid are in the same order.
    switches
        Where another bid wins.
    samples, seed
        Behind the shares of wins; 0 where none was drawn.
    """

    tender: Tender
    bids: tuple[Ranked, ...]
    criteria: tuple[Criterion, ...]
    units: tuple[str, ...]
    switches: tuple[Switch, ...]
    samples: int
    seed: int

    @property
    def winner(self) -> Ranked | None:
        """The best bid; None where none is admitted, or where the tender has no award criteria."""
        return next((bid for bid in self.bids if bid.rank == 1), None)

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as plain data, schema ``tco.evaluation/1``."""

        def bid(each: Ranked) -> dict[str, Any]:
            estimate = each.offer.estimate
            return {
                "bidder": each.offer.bid.bidder,
                "file": each.offer.file,
                "admitted": each.admitted,
                "mandatory": [m._asdict() for m in each.mandatory],
                "criteria": [
                    {"name": c.name, "value": value, "unit": unit, "points": points, "weighted": points * c.weight}
                    for c, unit, value, points in zip(self.criteria, self.units, each.values, each.points, strict=True)
                ],
                "points": each.total,
                "rank": each.rank,
                "tied": each.tied,
                "share_of_samples_won": each.wins,
                "flags": [flag._asdict() for flag in each.offer.flags],
                "omitted_benchmarks": list(each.offer.omitted),
                "lines": {
                    name: {
                        "value": line.value,
                        "unit": line.unit,
                        "low": line.low,
                        "high": line.high,
                        "label": line.label,
                    }
                    for name, line in estimate.lines.items()
                },
                "missing": [{"line": m.line, "reason": m.reason} for m in estimate.missing],
                "warnings": [w.model_dump(exclude_none=True) for w in estimate.warnings],
            }

        return {
            "schema": "tco.evaluation/1",
            "tender": self.tender.name,
            "bids": [bid(each) for each in self.bids],
            "winner": self.winner.offer.bid.bidder if self.winner else None,
            "switches": [each._asdict() for each in self.switches],
            "samples": self.samples,
            "seed": self.seed,
            "tool": {"name": "tco", "version": __version__},
        }


def evaluate(
    tender: Tender | str | Path,
    bids: Sequence[Bid] | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = 1,
    folder: Path | None = None,
) -> Evaluation:
    """Evaluate the bids of a tender.

    Parameters
    ----------
    tender
        The tender, or its file.
    bids
        The bids; where None those that the tender names.
    samples, seed
        For how stable the rank is; 0 for none.
    folder
        Where files are looked for; else where the tender lies.

    Raises
    ------
    TcoError
        If a file cannot be read, or a criterion names a line that no bid has.
    """
    home = folder or Path()
    if not isinstance(tender, Tender):
        home = folder or Path(tender).parent
        tender = read_tender(Path(tender))
    if bids is None:
        entries = tender.bid
        bids = [read_bid(home / entry.file) for entry in entries]
    else:
        entries = tuple(Entry(file=bid.bidder) for bid in bids)
    if not bids:
        raise EstimateError(f"tender '{tender.name}' names no bids; write [[bid]] with file = 'bid.toml'")
    names = [bid.bidder for bid in bids]
    for name in names:
        if names.count(name) > 1:
            raise EstimateError(f"two bids are from '{name}'; give each bidder a name of its own")
    if tender.currency is None:
        tender = tender.model_copy(update={"currency": _common_currency(bids)})
    offers = [offer(tender, bid, entry, home) for bid, entry in zip(bids, entries, strict=True)]
    return _Evaluator(tender, offers).run(samples, seed)


def _common_currency(bids: Sequence[Bid]) -> str | None:
    """The currency of the first price of all: bids are compared in one."""
    for bid in bids:
        for line in bid.prices:
            if line.unit_price is not None:
                return line.unit_price.unit.partition("/")[0].strip()
    return None


class _Evaluator:
    """Points of all bids as a function of some of their inputs."""

    def __init__(self, tender: Tender, offers: Sequence[Offer]) -> None:
        self.tender, self.offers = tender, tuple(offers)
        self.awards = tuple(each for each in tender.criterion if each.kind == "award")
        self.bounds = (*limits_of(tender), *(each for each in tender.criterion if each.kind == "mandatory"))
        self.units = {each.name: self._unit(each) for each in (*self.awards, *self.bounds)}

    def _unit(self, criterion: Criterion) -> str:
        """Unit in which a criterion is stated: its own, else that of the line."""
        nodes = [each.estimate.graph.named.get(criterion.line) for each in self.offers]
        known = [node for node in nodes if node is not None]
        if not known:
            missing = [m.line for each in self.offers for m in each.estimate.missing]
            offered = dict.fromkeys(name for each in self.offers for name in each.estimate.graph.named)
            if criterion.line in missing:
                return criterion.unit
            raise EstimateError(
                f"criterion '{criterion.name}': no bid has a line or input '{criterion.line}'"
                f"{did_you_mean(criterion.line, offered)}"
            )
        unit = criterion.unit or known[0].unit
        for node in known:
            convert(node.quantity, unit)  # one kind in all bids
        return unit

    def value(self, place: int, criterion: Criterion) -> float | None:
        """The value of a bid by a criterion; None where it has none."""
        node = self.offers[place].estimate.graph.named.get(criterion.line)
        return None if node is None else float(convert(node.quantity, self.units[criterion.name]).magnitude)

    def run(self, samples: int, seed: int) -> Evaluation:
        """Everything there is to say."""
        with np.errstate(divide="ignore", invalid="ignore"):
            totals = self.totals({})
        admitted = [bool(each) for each in totals.admitted]
        order = [float(totals.total[place]) if admitted[place] else -1.0 for place in range(len(self.offers))]
        wins = self.wins(samples, seed) if samples and self.awards else None
        ranked = []
        for place, each in enumerate(self.offers):
            rank = 1 + sum(_beats(other, order[place]) for other in order) if admitted[place] and self.awards else None
            tied = (
                admitted[place]
                and sum(abs(other - order[place]) <= 1e-9 * max(1.0, order[place]) for other in order) > 1
            )
            ranked.append(
                Ranked(
                    each, self._mandatory(place), admitted[place],
                    tuple(self.value(place, criterion) for criterion in self.awards),
                    tuple(float(points[place]) for points in totals.points), max(order[place], 0.0), rank,
                    bool(tied and self.awards), None if wins is None else wins[place],
                )
            )  # fmt: skip
        switches = self.switches() if self.awards else ()
        units = tuple(self.units[criterion.name] for criterion in self.awards)
        return Evaluation(self.tender, tuple(ranked), self.awards, units, switches, samples if wins else 0, seed)

    def _late(self, each: Offer) -> bool:
        last = self.tender.limits.delivery
        return last is not None and each.bid.delivery is not None and each.bid.delivery > last

    def _mandatory(self, place: int) -> tuple[Mandatory, ...]:
        found = []
        for criterion in self.bounds:
            value, unit = self.value(place, criterion), self.units[criterion.name]
            bound = criterion.at_most if criterion.at_most is not None else criterion.at_least
            assert bound is not None
            sign = "at most" if criterion.at_most is not None else "at least"
            met = None if value is None else value <= bound if criterion.at_most is not None else value >= bound
            shown = "not stated" if value is None else _with_unit(value, unit)
            found.append(Mandatory(criterion.name, shown, f"{sign} {_with_unit(bound, unit)}", met))
        last = self.tender.limits.delivery
        if last is not None:
            day = self.offers[place].bid.delivery
            met = None if day is None else day <= last
            found.append(Mandatory("delivery", "not stated" if day is None else str(day), f"until {last}", met))
        return tuple(found)

    # ---- points as a function of inputs -----------------------------------------------------------------------------

    def totals(self, values: Mapping[int, Mapping[str, Array]]) -> Totals:
        """Points; `values` holds lines of bids that differ from those of the estimates, in the unit of the line."""

        def of(place: int, criterion: Criterion) -> Any:
            node = self.offers[place].estimate.graph.named.get(criterion.line)
            if node is None:
                return None
            scale = float(convert(Q(1.0, node.quantity.units), self.units[criterion.name]).magnitude)
            return values.get(place, {}).get(criterion.line, np.asarray(node.value)) * scale

        return award_points(
            [[of(place, criterion) for place in range(len(self.offers))] for criterion in self.awards],
            [[of(place, criterion) for place in range(len(self.offers))] for criterion in self.bounds],
            self.awards, self.bounds, self.tender.points, [self._late(each) for each in self.offers],
        )  # fmt: skip

    def _lines(self, place: int) -> list[str]:
        graph = self.offers[place].estimate.graph
        return [c.line for c in (*self.awards, *self.bounds)
                if c.line in graph.named and graph[c.line].operation != "input"]  # fmt: skip

    def _evaluate(self, place: int, samples: Mapping[str, Array]) -> dict[str, Array]:
        """Lines of one bid for samples of some of its inputs."""
        graph = self.offers[place].estimate.graph
        lines = list(dict.fromkeys(self._lines(place)))
        known = {name: values for name, values in samples.items() if name in graph.named}
        if not known:
            return {}
        found = Program(graph, lines, list(known))(known) if lines else {}
        direct = {c.line: known[c.line] for c in (*self.awards, *self.bounds) if c.line in known}
        return {**found, **direct}

    def is_shared(self, name: str) -> bool:
        """Whether an input is one and the same quantity in all bids that have it."""
        if name.startswith(_OWN) or (name.startswith("benchmark.") and name.endswith(".figure")):
            return False
        nodes = [each.estimate.graph.named[name] for each in self.offers if name in each.estimate.graph.named]
        return all(_same(nodes[0], node) for node in nodes)

    def wins(self, samples: int, seed: int) -> list[float]:
        """Share of the samples in which each bid is the best; of equals each gets its part."""
        names = {name for each in self.offers for name in each.estimate.graph.named}
        shared = {name for name in names if self.is_shared(name)}
        samplers, done = [], 0
        for each in self.offers:
            graph = each.estimate.graph
            wanted = [c.line for c in (*self.awards, *self.bounds) if c.line in graph.named]
            own = {name: f"{each.bid.bidder}: {name}" for name in graph.named if name not in shared}
            samplers.append(Sampler(graph, wanted, samples, seed, streams=own).blocks() if wanted else iter(()))
        count = np.zeros(len(self.offers))
        while done < samples:
            blocks = [next(sampler, {}) for sampler in samplers]
            size = max((len(values) for block in blocks for values in block.values()), default=0)
            if size == 0:  # nothing varies
                size = samples - done
                blocks = [{} for _ in blocks]
            best = self._best({place: self._evaluate(place, block) for place, block in enumerate(blocks)}, size)
            count += best.sum(axis=1)
            done += size
        return [float(each) / done for each in count]

    def _best(self, values: Mapping[int, Mapping[str, Array]], size: int) -> Array:
        """For each bid and sample its part in being the best: 1, or less among equals; 0 where none is admitted."""
        with np.errstate(divide="ignore", invalid="ignore"):  # a cost of 0 has no points by a ratio
            totals = self.totals(values)
        rows = []
        for place in range(len(self.offers)):
            admitted = np.broadcast_to(np.asarray(totals.admitted[place], dtype=bool), (size,))
            row = np.where(
                admitted, np.broadcast_to(np.asarray(totals.total[place], dtype=np.float64), (size,)), -np.inf
            )
            rows.append(row)
        points = np.nan_to_num(np.stack(rows), nan=-np.inf, posinf=-np.inf)
        top = points.max(axis=0)
        best = (points >= top - 1e-9 * np.maximum(1.0, np.abs(top))) & np.isfinite(points)
        share: Array = best / np.maximum(best.sum(axis=0), 1)
        return share

    def switches(self) -> tuple[Switch, ...]:
        """Where another bid wins: prices of each bid, and inputs that all share."""
        now = self._winner_at(lambda _: {}, np.array([0.0]))[0]
        if now is None:
            return ()
        found = []
        for place, each in enumerate(self.offers):
            prices = [
                n.name
                for n in each.estimate.graph.inputs()
                if n.name.startswith("price.") and n.name.endswith(".unit_price")
            ]
            if not prices:
                continue
            values = {name: each.estimate.graph[name].value for name in prices}

            def moved(
                x: Array, place: int = place, values: Mapping[str, float] = values
            ) -> dict[int, dict[str, Array]]:
                return {place: self._evaluate(place, {name: value * x for name, value in values.items()})}

            found.append(self._switch(f"prices of {each.bid.bidder}", "times", 1.0, _NEXT_TO_NOTHING, _FARTHEST, moved))
        for name in _SHARED:
            nodes = [e.estimate.graph.named.get(name) for e in self.offers]
            known = [node for node in nodes if node is not None and node.operation == "input"]
            if not known or not self.is_shared(name):
                continue
            node = known[0]
            low, high = 0.0, _FARTHEST * node.value
            if name == "site.pue":
                low = 1.0
            if name == "tender.utilisation":
                high = 1.0
            if name == "run.duration":
                low = node.value / 10
            if name == "finance.rate":
                high = max(high, 0.2)
            if high <= low:
                continue

            def all_moved(x: Array, name: str = name) -> dict[int, dict[str, Array]]:
                return {place: self._evaluate(place, {name: x}) for place in range(len(self.offers))}

            found.append(self._switch(name, node.unit, node.value, low, high, all_moved))
        return tuple(found)

    def _winner_at(
        self, moved: Callable[[Array], Mapping[int, Mapping[str, Array]]], points: Array
    ) -> list[int | None]:
        best = self._best(moved(points), len(points))
        return [int(column.argmax()) if column.max() > 0 else None for column in best.T]

    def _switch(
        self, what: str, unit: str, now: float, low: float, high: float,
        moved: Callable[[Array], Mapping[int, Mapping[str, Array]]],
    ) -> Switch:  # fmt: skip
        points = np.unique(np.append(np.linspace(low, high, _SCAN), now))
        winners = self._winner_at(moved, points)
        changes = [place for place in range(len(points) - 1) if winners[place] != winners[place + 1]]
        if not changes:
            return Switch(what, unit, now, None, None, low, high)
        place = min(changes, key=lambda place: abs((points[place] + points[place + 1]) / 2 - now))
        ends = (float(points[place]), float(points[place + 1]))
        beyond = winners[place if ends[0] < now and ends[1] <= now else place + 1]
        for _ in range(_ROUNDS):
            finer = np.linspace(*ends, _NARROW)
            ws = self._winner_at(moved, finer)
            at = next((k for k in range(len(finer) - 1) if ws[k] != ws[k + 1]), None)
            if at is None:
                break
            ends = (float(finer[at]), float(finer[at + 1]))
            beyond = ws[at] if (finer[at] + finer[at + 1]) / 2 < now else ws[at + 1]
        name = None if beyond is None else self.offers[beyond].bid.bidder
        return Switch(what, unit, now, (ends[0] + ends[1]) / 2, name, low, high)


def _with_unit(value: float, unit: str) -> str:
    number = f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.6g}"
    return f"{number} {unit}".removesuffix(" 1")


def _beats(other: float, own: float) -> bool:
    return other > own + 1e-9 * max(1.0, own)


def _same(a: Node, b: Node) -> bool:
    return a.value == b.value and a.unit == b.unit and a.given == b.given


def limits_of(tender: Tender) -> list[Criterion]:
    """The limits of the tender as mandatory criteria."""
    limits, found = tender.limits, []
    for name, figure, line, unit in (
        ("budget", limits.budget, "cost.npv.capex", "money"),
        ("whole-life cost", limits.whole_life_cost, "cost.npv.total", "money"),
        ("power", limits.power, "power.provisioned", "kW"),
        ("floor area", limits.floor_area, "bid.floor_area", "m**2"),
    ):
        if figure is not None:
            quantity = figure.quantity(unit)
            text = f"{quantity.units:~C}"
            found.append(
                Criterion(name=name, kind="mandatory", line=line, unit=text, at_most=float(quantity.magnitude))
            )
    return found
