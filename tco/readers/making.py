"""What the readers of results share: a run from what was read, its evidence, and its times as instants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from tco.errors import ReadError
from tco.files import sha256
from tco.readers import values
from tco.readers.zones import zone_named
from tco.records.base import validation_text
from tco.records.run import Evidence, Run, Warning_
from tco.units import Q

#: Local times and an elapsed time that disagree by more than this are worth a word.
_CLOCK_S = 60.0


def make_run(where: str, **fields: Any) -> Run:
    """A run of these fields, absent ones left out.

    Raises
    ------
    ReadError
        If one of them cannot be so; the message names it.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        return Run.model_validate(given)
    except ValidationError as error:
        raise ReadError(validation_text(error, where)) from None


def seconds(duration_s: float | None) -> Any:
    """A duration as a quantity; None where it is not known."""
    return None if duration_s is None else Q(duration_s, "s")


def evidence(*paths: Path) -> list[Evidence]:
    """The files that a run was read from.

    Raises
    ------
    ReadError
        If one of them cannot be read.
    """
    found = []
    for path in paths:
        try:
            found.append(Evidence(file=path.name, sha256=sha256(path)))
        except OSError as error:
            raise ReadError(f"{path}: cannot be read: {error.strerror}") from None
    return found


def stamp(text: str, place: values.Place) -> datetime:
    """A date and time, with an offset where it states one.

    Raises
    ------
    ReadError
        If it is not one, year first.
    """
    read = values.stamp(text, place)
    try:
        when = datetime.fromordinal(read.day) + timedelta(seconds=read.second)
        return when if read.offset is None else (when - timedelta(seconds=read.offset)).replace(tzinfo=UTC)
    except OverflowError:
        raise ReadError(f"{place}: '{text}' is not a date that can be") from None


class Span(NamedTuple):
    """Start and end of a run, as instants where the zone is known, and what to say of them."""

    start: datetime | None
    end: datetime | None
    warnings: tuple[Warning_, ...]


def span(
    start: datetime | None, end: datetime | None, elapsed_s: float | None, time_zone: str | None, where: str
) -> Span:
    """Start and end; local times become instants in the zone, at whichever side of a change of clocks fits.

    Parameters
    ----------
    start, end
        As read; either may be local time without a zone.
    elapsed_s
        How long the run took; it wins over end minus start.
    time_zone
        Zone of local times.
    where
        Place, for messages.
    """
    here = None if time_zone is None else zone_named(time_zone)
    if here is None:
        return _local(start, end, elapsed_s, where)
    starts, ends = _instants(start, here), _instants(end, here)
    if not starts or not ends:
        return Span(starts[0] if starts else None, ends[0] if ends else None, ())
    pairs = [(first, last) for first in starts for last in ends if last >= first]
    if not pairs:
        raise ReadError(f"{where}: the end {end} is before the start {start}")
    if elapsed_s is None:
        first, last = pairs[0]
        return Span(first, last, ())
    first, last = min(pairs, key=lambda pair: abs((pair[1] - pair[0]).total_seconds() - elapsed_s))
    return Span(first, last, _differing((last - first).total_seconds(), elapsed_s, where, known=True))


def _local(start: datetime | None, end: datetime | None, elapsed_s: float | None, where: str) -> Span:
    if start is None or end is None or (start.tzinfo is None) != (end.tzinfo is None):
        return Span(start, end, ())
    between = (end - start).total_seconds()
    if elapsed_s is None:
        if between < 0:
            raise ReadError(f"{where}: the end {end} is before the start {start}; state the time zone")
        return Span(start, end, ())
    return Span(start, end, _differing(between, elapsed_s, where, known=start.tzinfo is not None))


def _instants(when: datetime | None, here: tzinfo) -> list[datetime]:
    """What a local time may mean: two instants in the hour that the clocks repeat."""
    if when is None:
        return []
    if when.tzinfo is not None:
        return [when.astimezone(UTC)]
    return sorted({when.replace(tzinfo=here, fold=fold).astimezone(UTC) for fold in (0, 1)})


def _differing(between_s: float, elapsed_s: float, where: str, *, known: bool) -> tuple[Warning_, ...]:
    if abs(between_s - elapsed_s) <= _CLOCK_S:
        return ()
    why = "a clock was set" if known else "local times with a change of clocks between them? State the time zone"
    return (
        Warning_(
            code="clock-change",
            message=f"from start to end are {between_s:.6g} s by the clock, and {elapsed_s:.6g} s elapsed: {why}; the "
            "elapsed time is used",
            where=where,
        ),
    )
