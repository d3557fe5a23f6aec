"""Validation rows: one published or recomputed error each, with all that decides what it may stand beside."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import model_validator

from tco.catalog.entries import Conflict
from tco.catalog.kinds import KINDS, Interval, MetricKind
from tco.records.base import Record

Mode = Literal["training", "inference", "inference serving", "operator", "collective", "HPC", "storage", "cost model"]
Quantity = Literal[
    "step time",
    "run time",
    "layer time",
    "operator time",
    "collective time",
    "activity time",
    "request latency",
    "time to first token",
    "time per token",
    "throughput",
    "memory",
    "memory ratio",
    "energy",
    "emissions",
    "area",
    "cycles",
    "mixed",
]
#: Quantities whose reciprocal, times the work, is a throughput.
TIMES = ("step time", "run time")


class EvidenceClass(StrEnum):
    """What of the target a prediction had seen."""

    fitted = "fitted"
    profiled = "profiled"
    replay = "replay"
    blind = "blind"
    mixed = "mixed"


EVIDENCE: dict[EvidenceClass, str] = {
    EvidenceClass.fitted: "coefficients were tuned on the measurements it is compared with, or on others of that study",
    EvidenceClass.profiled: "parts of the work were timed on the target hardware, the runs themselves were not used",
    EvidenceClass.replay: "quantities measured in the very runs that are predicted are inputs",
    EvidenceClass.blind: "nothing was measured on the target, and nothing tuned on these points",
    EvidenceClass.mixed: "some of the points were seen in training the model, some were not",
}


class Count(Record):
    """How many devices or nodes: the range over the points, or the numbers themselves."""

    min: int | None = None
    max: int | None = None
    listed: tuple[int, ...] = ()
    note: str | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Count:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        if self.listed and (self.min, self.max) != (min(self.listed), max(self.listed)):
            raise ValueError("min and max are the ends of the listed numbers")
        return self

    def __str__(self) -> str:
        return ", ".join(map(str, self.listed)) if self.listed else self.range

    @property
    def range(self) -> str:
        """From the least to the most, as text."""
        if self.min is None:
            return f"up to {self.max:,}" if self.max is not None else "not stated"
        return f"{self.min}" if self.min == self.max else f"{self.min} to {self.max}"


class Validation(Record):
    """One error of one tool.

    Attributes
    ----------
    id, tool
        Of the row, and of the record of the tool.
    kind, percentile
        Which statistic of the errors `value` is.
    value, unit, bound
        The number, in percent or 1; with ``bound = "upper"`` only that it stays below is claimed.
    places
        Decimal places as printed.
    signed, bias, direction
        Whether over- and under-prediction can be told apart, the mean signed error in percent, and words.
    quantity, measured
        What was predicted, by kind and in the source's words.
    claim
        Of the ``author``; ``recomputed`` from the author's pairs; ``cross-check`` by others on other data.
    reference, data, subset
        The measurements in words; their id where they are public, so that rows on the same data meet; which part.
    reference_is
        Whether it was measured on ``hardware``, or is itself a ``simulation`` or an ``estimate``.
    evidence, inputs
        Evidence class, and the words that it was judged by. Left out where the sources do not tell.
    pairs, pairs_where, pairs_as
        Set of stored pairs that the value can be recomputed from, the conditions that pick its points, and whether
        they are taken as throughput.
    """

    id: str
    tool: str
    workload: str
    modes: tuple[Mode, ...]
    hardware: str
    devices: Count | None = None
    nodes: Count | None = None
    quantity: Quantity | None = None
    measured: str | None = None
    points: int | None = None
    kind: MetricKind
    percentile: float | None = None
    value: float | None = None
    unit: Literal["%", "1"] = "%"
    bound: Literal["upper"] | None = None
    places: int | None = None
    wording: str | None = None
    signed: bool | None = None
    bias: float | None = None
    direction: str | None = None
    over: str | None = None
    claim: Literal["author", "recomputed", "cross-check"]
    reference: str
    reference_is: Literal["hardware", "simulation", "estimate"] = "hardware"
    data: str | None = None
    subset: str | None = None
    evidence: EvidenceClass | None = None
    evidence_note: str | None = None
    inputs: str | None = None
    tool_version: str | None = None
    source: str
    pairs: str | None = None
    pairs_where: tuple[str, ...] = ()
    pairs_as: Literal["throughput"] | None = None
    conflicts: tuple[Conflict, ...] = ()
    from_memory: bool = False
    note: str | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Validation:
        definition = KINDS[self.kind]
        if (self.value is None) != (self.kind is MetricKind.qualitative):
            raise ValueError(f"a row of kind '{self.kind}' {'has no' if definition.unit == '' else 'needs a'} value")
        if self.value is not None and self.unit != definition.unit:
            raise ValueError(f"a {definition.title} is in '{definition.unit}', not in '{self.unit}'")
        if definition.family == "relative error" and self.value is not None and self.value < 0:
            raise ValueError(f"a {definition.title} is never negative; for a signed one use kind 'mean_signed'")
        if self.percentile is not None and self.kind is not MetricKind.percentile_ape:
            raise ValueError("'percentile' belongs to rows of kind 'percentile_ape' alone")
        if self.kind is MetricKind.percentile_ape and self.percentile is None:
            raise ValueError("a row of kind 'percentile_ape' says which: percentile = 90")
        if self.bound and definition.family != "relative error":
            raise ValueError(f"a bound of a {definition.title} is not foreseen")
        if self.pairs_where and not self.pairs:
            raise ValueError("'pairs_where' needs 'pairs'")
        return self

    @property
    def interval(self) -> Interval:
        """What is known of the value: from zero up to it for an upper bound."""
        if self.value is None:
            return Interval(float("-inf"), float("inf"))
        return Interval(0 if self.bound else self.value, self.value)

    @property
    def number(self) -> str:
        """The value as text, with its unit and, for a bound, a sign that says so."""
        if self.value is None:
            return "no number"
        text = f"{self.value:g}" if self.places is None else f"{self.value:.{self.places}f}"
        return f"{'< ' if self.bound else ''}{text}{' %' if self.unit == '%' else ''}"

    @property
    def kind_text(self) -> str:
        """The kind for a table cell."""
        short = KINDS[self.kind].short
        if self.kind is MetricKind.percentile_ape:
            short = f"{self.percentile:g}th percentile"
        return f"{short}, bound" if self.bound else short

    def __str__(self) -> str:
        """All that must stand beside the number, in one cell."""
        what = self.measured or self.quantity or "quantity not stated"
        parts = [f"{self.number} ({self.kind_text}) of {what}"]
        if self.points:
            parts.append(f"{self.points:,} point{'s' if self.points > 1 else ''}")
        if self.devices and (self.devices.min or self.devices.max):
            parts.append(f"{self.devices.range} device{'s' if self.devices.max != 1 else ''}")
        parts += [self.evidence or "evidence not stated", self.claim]
        if self.from_memory:
            parts.append("from memory")
        return ", ".join(parts)


class Validations(Record):
    """The rows of one tool, as a file holds them."""

    validations: tuple[Validation, ...]
