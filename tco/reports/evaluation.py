"""The evaluation of a tender as tables: bidders side by side, criteria, flags, and where another bid wins."""

from __future__ import annotations

from tco.bids.evaluation import Evaluation, Ranked
from tco.reports.numbers import digits, show_value
from tco.reports.tables import Cell, Table

#: Lines that are set side by side, as far as a bid has them.
_SHOWN = (
    "score.improvement", "work.reference_time", "cost.npv.capex", "cost.npv.opex", "cost.npv.total",
    "cost.npv.total.per_reference_year", "energy.facility", "energy.facility.per_reference_year", "carbon.operational",
    "carbon.embodied", "carbon.total", "carbon.total.per_reference_year", "power.provisioned",
)  # fmt: skip


def tables(evaluation: Evaluation) -> list[Table]:
    """All that a reader wants to see, in order."""
    found = [_ranks(evaluation), _lines(evaluation)]
    if any(bid.mandatory for bid in evaluation.bids):
        found.append(_mandatory(evaluation))
    if evaluation.criteria:
        found.append(_criteria(evaluation))
    if any(bid.offer.flags for bid in evaluation.bids):
        found.append(_flags(evaluation))
    if evaluation.switches:
        found.append(_switches(evaluation))
    return found


def every_line(evaluation: Evaluation) -> Table:
    """All lines of all bids, one row each, numbers in full: for programs."""
    rows = [
        (bid.offer.bid.bidder, name, line.value, line.unit, line.low, line.high, line.label, bid.rank, bid.total)
        for bid in evaluation.bids
        for name, line in bid.offer.estimate.lines.items()
    ]
    columns = ("bidder", "line", "value", "unit", "low", "high", "label", "rank", "points")
    return Table("lines", evaluation.tender.name, columns, tuple(rows))


def _names(evaluation: Evaluation) -> tuple[str, ...]:
    return tuple(bid.offer.bid.bidder for bid in evaluation.bids)


def _ranks(evaluation: Evaluation) -> Table:
    def row(bid: Ranked) -> tuple[Cell, ...]:
        estimate = bid.offer.estimate
        total = estimate.lines.get("cost.npv.total")
        cost = "not estimated" if total is None else " ".join(show_value(total.quantity, total.unit))
        rank = (
            "not admitted"
            if not bid.admitted
            else ""
            if bid.rank is None
            else f"{bid.rank}{' (tied)' if bid.tied else ''}"
        )
        wins = "" if bid.wins is None else f"{100 * bid.wins:.1f} %"
        return (
            bid.offer.bid.bidder,
            rank,
            f"{bid.total:.2f}" if evaluation.criteria else "",
            wins,
            cost,
            len(bid.offer.flags),
        )

    order = sorted(evaluation.bids, key=lambda bid: bid.rank or 10**9)
    notes = []
    if evaluation.samples:
        notes.append(
            f"Wins: share of {evaluation.samples:,} samples (seed {evaluation.seed}) in which the bid is the best, "
            "every input that has a range drawn from it."
        )
    return Table(
        "ranking",
        evaluation.tender.name,
        ("Bidder", "Rank", "Points", "Wins", "Whole-life cost", "Flags"),
        tuple(row(bid) for bid in order),
        (),
        tuple(notes),
        ("bidder", "rank", "points", "share_of_samples_won", "whole_life_cost", "flags"),
    )


def _lines(evaluation: Evaluation) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in _SHOWN:
        lines = [bid.offer.estimate.lines.get(name) for bid in evaluation.bids]
        known = next((line for line in lines if line is not None), None)
        if known is None:
            continue
        cells = ["" if line is None else digits(line.value, 5, padded=True) for line in lines]
        rows.append((name, *cells, known.unit, known.label))
    return Table("lines", "Side by side", ("Line", *_names(evaluation), "Unit", "What it is"), tuple(rows))


def _mandatory(evaluation: Evaluation) -> Table:
    words = {True: "yes", False: "NO", None: "cannot be told"}
    rows = [
        (bid.offer.bid.bidder, each.name, each.value, each.bound, words[each.met])
        for bid in evaluation.bids
        for each in bid.mandatory
    ]
    return Table("mandatory", "Mandatory criteria", ("Bidder", "Criterion", "Value", "Bound", "Met"), tuple(rows))


def _criteria(evaluation: Evaluation) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for place, criterion in enumerate(evaluation.criteria):
        for bid in evaluation.bids:
            value = bid.values[place]
            shown = (
                "not stated" if value is None else f"{digits(value, 6)} {evaluation.units[place]}".removesuffix(" 1")
            )
            rows.append(
                (criterion.name, criterion.rule, f"{criterion.weight:g}", bid.offer.bid.bidder, shown,
                 f"{bid.points[place]:.2f}", f"{bid.points[place] * criterion.weight:.2f}")
            )  # fmt: skip
    columns = ("Criterion", "Rule", "Weight", "Bidder", "Value", "Points", "Weighted")
    return Table("criteria", "Award criteria", columns, tuple(rows))


def _flags(evaluation: Evaluation) -> Table:
    rows = [
        (bid.offer.bid.bidder, flag.code, flag.where, flag.message)
        for bid in evaluation.bids
        for flag in bid.offer.flags
    ]
    return Table("flags", "Flags", ("Bidder", "Flag", "Line or field", "What"), tuple(rows))


def _switches(evaluation: Evaluation) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in evaluation.switches:
        then = f"not within {digits(each.low, 3)} to {digits(each.high, 3)}" if each.then is None else digits(each.then)
        rows.append((each.what, digits(each.now), then, each.unit, each.winner or ""))
    return Table(
        "switches", "Where another bid wins", ("What changes", "Now", "Then", "Unit", "Wins beyond"), tuple(rows), (),
        ("One thing at a time, everything else unchanged; the nearest value on either side.",),
    )  # fmt: skip
