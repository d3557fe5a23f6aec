"""Which errors may stand in one order, why others may not, and what order the admitted ones have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from tco.catalog.kinds import KINDS, Interval, MetricKind, why_not
from tco.catalog.validations import TIMES, EvidenceClass, Validation


class Reason(NamedTuple):
    """Why two rows are not comparable.

    Attributes
    ----------
    code, text, cause
        For programs; one sentence about the two rows; and the cause that many pairs share.
    """

    code: str
    text: str
    cause: str


class Verdict(NamedTuple):
    """Yes, or the reasons why not, the weightiest first."""

    comparable: bool
    reasons: tuple[Reason, ...]

    def __bool__(self) -> bool:
        return self.comparable

    def __str__(self) -> str:
        return "comparable" if self.comparable else " ".join(reason.text for reason in self.reasons)


class Placed(NamedTuple):
    """A row in an order: the best and the worst place that its interval leaves it."""

    row: Validation
    best: int
    worst: int

    @property
    def place(self) -> str:
        """The place as text: ``2``, or ``1 to 3`` where bounds do not decide."""
        return str(self.best) if self.best == self.worst else f"{self.best} to {self.worst}"


class Group(NamedTuple):
    """Rows that may stand in one order, the smallest error first."""

    rows: tuple[Placed, ...]

    @property
    def title(self) -> str:
        """What the rows have in common."""
        row = self.rows[0].row
        subset = f", {row.subset}" if row.subset else ""
        points = f", {row.points:,} points" if row.points else ""
        kind = KINDS[row.kind].title if row.percentile is None else f"{row.percentile:g}th percentile of errors"
        return f"{kind}, {_quantity(row)}, {row.data}{subset}{points}, {row.evidence}"


def _quantity(row: Validation) -> str:
    """Quantity that is compared: time and throughput are one where the kind does not tell them apart."""
    if KINDS[row.kind].inverts and row.quantity in (*TIMES, "throughput"):
        return "time or throughput"
    return row.quantity or "quantity not stated"


def _named(row: Validation) -> str:
    kind = KINDS[row.kind].title
    if row.percentile is not None:
        kind = f"{row.percentile:g}th percentile of the absolute percentage errors"
    if row.bound:
        kind = f"bound on the {kind}"
    return f"{row.id} ({kind})"


_EVIDENCE: dict[frozenset[EvidenceClass], str] = {
    frozenset({EvidenceClass.replay, EvidenceClass.blind}): (
        "a replay is given quantities of the very runs that a blind prediction has never seen"
    ),
    frozenset({EvidenceClass.fitted, EvidenceClass.blind}): (
        "a tool that was tuned on these measurements has seen the answers that a blind prediction has not"
    ),
    frozenset({EvidenceClass.profiled, EvidenceClass.blind}): (
        "timing parts of the work on the target hardware is a help that a blind prediction does not have"
    ),
    frozenset({EvidenceClass.fitted, EvidenceClass.profiled}): (
        "coefficients tuned on the measurements are a stronger help than timed parts of the work"
    ),
    frozenset({EvidenceClass.replay, EvidenceClass.profiled}): (
        "a replay is given quantities of the runs themselves, profiling only parts of the work"
    ),
    frozenset({EvidenceClass.replay, EvidenceClass.fitted}): (
        "a replay is given quantities of the runs, a fit was tuned on their results"
    ),
}


def _alone(row: Validation) -> Iterable[Reason]:
    """What keeps a row out of every order."""
    ranking = KINDS[row.kind].ranking
    if ranking != "same data":
        why = {
            MetricKind.accuracy_pct: "is the complement of an error whose kind is not stated, so it can only be listed",
            MetricKind.mean_signed: "lets errors of both signs cancel, so it can only be listed",
            MetricKind.qualitative: "is a statement without a number, so it can only be listed",
        }.get(row.kind, "does not say how it was computed, so it can only be listed")
        yield Reason("listed only", f"{_named(row)} {why}.", f"it {why}")
    if row.evidence is None:
        why = "does not say what it had seen of the target, so its evidence class is not known"
        yield Reason("evidence unknown", f"{row.id} {why}.", f"it {why}")
    if row.from_memory:
        why = "is from memory and was not checked in a source"
        yield Reason("memory", f"{_named(row)} {why}.", f"it {why}")
    for conflict in row.conflicts:
        if conflict.status == "unresolved":
            said = "; ".join(f"{statement.who}: {statement.what}" for statement in conflict.says)
            why = f"has an unresolved conflict about its {conflict.about}"
            yield Reason("conflict", f"{_named(row)} {why} ({said}).", f"it {why}")


def _reasons(a: Validation, b: Validation) -> Iterable[Reason]:
    both = f"{_named(a)} and {_named(b)}"
    if a.kind is not b.kind or a.percentile != b.percentile:
        why = why_not(a.kind, b.kind) if a.kind is not b.kind else "they are different percentiles"
        yield Reason("kind", f"{both} are not ranked together: {why}.", why)
    if a.evidence != b.evidence and a.evidence and b.evidence:
        why = _EVIDENCE.get(
            frozenset({a.evidence, b.evidence}), "only some of the points of a mixed set had been seen before"
        )
        text = f"{a.id} is {_class(a.evidence)} and {b.id} {_class(b.evidence)}, which are not ranked together: {why}."
        yield Reason("evidence", text, why)
    if _quantity(a) != _quantity(b):
        why = "an error in one quantity says nothing of an error in another"
        text = f"{a.id} is about {a.measured or _quantity(a)} and {b.id} about {b.measured or _quantity(b)}: {why}."
        yield Reason("quantity", text, why)
    elif a.quantity in (None, "mixed"):
        why = "they do not say which one quantity they are about"
        yield Reason("quantity", f"{a.id} and {b.id} are not ranked together: {why}.", why)
    if set(a.modes) != set(b.modes):
        text = f"{a.id} is about {' and '.join(a.modes)}, {b.id} about {' and '.join(b.modes)}."
        yield Reason("mode", text, "they are about different kinds of work")
    if a.reference_is != b.reference_is:
        row, other = (a, b) if a.reference_is != "hardware" else (b, a)
        what = {"simulation": "another simulation", "estimate": "an estimate"}[row.reference_is]
        text = f"{row.id} is held against {what}, {other.id} against something else."
        yield Reason("reference", text, f"one is held against {what}")
    if a.data is None or a.data != b.data:
        on = f"{a.data or a.reference}; {b.data or b.reference}"
        why = "an error belongs to its points as much as to its tool"
        yield Reason("data", f"{a.id} and {b.id} are on different measurements ({on}), and {why}.", why)
    elif (a.subset, a.points) != (b.subset, b.points):
        of_a, of_b = (f"{row.subset or 'all'}, {row.points or 'unknown'} points" for row in (a, b))
        why = "they are on different points of the same measurements"
        yield Reason("points", f"{a.id} and {b.id} are on different points of {a.data} ({of_a}; {of_b}).", why)


def _class(evidence: EvidenceClass) -> str:
    return {
        EvidenceClass.fitted: "fitted",
        EvidenceClass.profiled: "profiled",
        EvidenceClass.replay: "a replay",
        EvidenceClass.blind: "blind",
        EvidenceClass.mixed: "mixed",
    }[evidence]


def comparable(a: Validation, b: Validation) -> Verdict:
    """Whether two errors may stand in one order.

    They may where kind, quantity, mode, evidence class, reference data and points are the same and known, neither is
    from memory and neither is in dispute. A bound may stand beside a value: its place is then an interval.

    Returns
    -------
    Verdict
        True, or with a sentence for each reason why not.
    """
    reasons = tuple(dict.fromkeys((*_reasons(a, b), *_alone(a), *_alone(b))))
    return Verdict(not reasons, reasons)


def _ends(row: Validation) -> Interval:
    """How far from ideal the value is known to be, at least and at most."""
    definition, interval = KINDS[row.kind], row.interval
    if definition.family in ("association", "rank"):
        ideal = definition.ideal or 0
        return Interval(ideal - interval.high, ideal - interval.low)
    if interval.low <= 0 <= interval.high:
        return Interval(0, max(abs(interval.low), abs(interval.high)))
    ends = sorted((abs(interval.low), abs(interval.high)))
    return Interval(*ends)


def order(rows: Sequence[Validation]) -> tuple[Placed, ...]:
    """Rows of one comparable group with their places, the smallest error first.

    Raises
    ------
    ValueError
        If two of them are not comparable.
    """
    for a, b in combinations(rows, 2):
        verdict = comparable(a, b)
        if not verdict:
            raise ValueError(verdict.reasons[0].text)
    ends = {row.id: _ends(row) for row in rows}
    placed = []
    for row in rows:
        others = [ends[other.id] for other in rows if other is not row]
        better = sum(other.high < ends[row.id].low for other in others)
        worse = sum(other.low > ends[row.id].high for other in others)
        placed.append(Placed(row, 1 + better, len(rows) - worse))
    return tuple(sorted(placed, key=lambda p: (p.best, p.worst, ends[p.row.id].high, p.row.id)))


def groups(rows: Iterable[Validation]) -> tuple[Group, ...]:
    """Comparable rows together, each group in order; rows that are comparable to no other are left out."""
    gathered: list[list[Validation]] = []
    for row in rows:
        home = next((members for members in gathered if comparable(row, members[0])), None)
        if home is None:
            gathered.append([row])
        else:
            home.append(row)
    return tuple(Group(order(members)) for members in gathered if len(members) > 1)
