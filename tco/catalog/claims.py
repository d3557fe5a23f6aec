"""What a survey or a paper says against what the primary data say."""

from __future__ import annotations

from typing import Literal

from tco.provenance import Source
from tco.records.base import Record


class Recomputation(Record):
    """A number of the primary data that stored pairs give again.

    Attributes
    ----------
    set, where, throughput
        Set of pairs, the conditions that pick its points, and whether they are taken as throughput.
    metric, value, places
        Column of the metrics, the number as it stands in the claim, and its decimal places.
    """

    set: str
    where: tuple[str, ...] = ()
    throughput: bool = False
    metric: str
    value: float
    places: int


class Claim(Record):
    """One statement of a survey.

    Attributes
    ----------
    id, about
        Id, and the records it is about.
    where, says
        Place in the survey, and what it says there, in our words.
    against, seen_in
        What speaks against it, or for it, and where that was seen.
    primary
        What the primary source says.
    severity, action, confidence
        How much it matters, what the catalogue does about it, how sure that is.
    rows, recomputed
        Validation rows that bear it out, and numbers that stored pairs give again.
    """

    id: str
    about: tuple[str, ...] = ()
    where: str
    says: str
    against: str
    seen_in: str
    primary: str
    severity: Literal["none", "low", "medium", "high"]
    action: str
    confidence: str
    rows: tuple[str, ...] = ()
    recomputed: tuple[Recomputation, ...] = ()


class Survey(Record):
    """A survey and the claims in it that were checked."""

    name: str
    source: Source
    note: str | None = None
    claims: tuple[Claim, ...]
