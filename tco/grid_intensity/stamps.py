"""Time stamps of series: instants in UTC, local clocks with their jumps, hour numbers, and the length of steps."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from tco.errors import ReadError
from tco.grid_intensity.series import Floats

Labels = Literal["start", "end"]
_ASK_ZONE = "say which with --tz, for instance --tz UTC or --tz Europe/Berlin"
#: So many equal distances in a row are a step of the series, not a coincidence of gaps.
_IN_A_ROW = 3


def zone_named(name: str) -> ZoneInfo:
    """The time zone of an IANA name.

    Raises
    ------
    ReadError
        If there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ReadError(f"'{name}' is not a time zone; write an IANA name such as 'UTC' or 'Europe/Berlin'") from None


def instants(texts: list[str], lines: list[int], where: str, zone: str | None) -> Floats:
    """Time stamps as s since 1970 UTC.

    A stamp without an offset is a clock in `zone`; of the hour that a clock shows twice in autumn, the stamps that
    come first are the first. The zone of the machine is never used.

    Parameters
    ----------
    texts
        ISO 8601 stamps.
    lines
        Line of each, for messages.
    where
        File and column.
    zone
        IANA name for stamps without an offset; None where nobody says.

    Raises
    ------
    ReadError
        If a stamp is not one, has no offset and there is no zone, does not exist in the zone, or is one of an hour
        that exists twice and stands once.
    """
    clocks, result = [], np.empty(len(texts))
    for index, text in enumerate(texts):
        try:
            moment = datetime.fromisoformat(text.strip().replace("/", "-"))
        except ValueError:
            raise ReadError(
                f"{where}:{lines[index]}: '{text}' is not a time stamp; write '2026-01-31T13:00Z' or '2026-01-31 13:00'"
            ) from None
        if moment.tzinfo is not None:
            result[index] = moment.timestamp()
        else:
            clocks.append((index, moment))
    if not clocks:
        return result
    if zone is None:
        raise ReadError(
            f"{where}:{lines[clocks[0][0]]}: '{texts[clocks[0][0]]}' has neither an offset nor a zone; {_ASK_ZONE}"
        )
    for (index, _), seconds in zip(
        clocks, _of_clocks([m for _, m in clocks], zone_named(zone), [lines[i] for i, _ in clocks], where), strict=True
    ):
        result[index] = seconds
    return result


def _of_clocks(clocks: list[datetime], zone: ZoneInfo, lines: list[int], where: str) -> list[float]:
    times_shown = Counter(clocks)
    seen: Counter[datetime] = Counter()
    result = []
    for clock, line in zip(clocks, lines, strict=True):
        first = clock.replace(tzinfo=zone)
        seconds = first.timestamp()
        second = first.replace(fold=1).timestamp()
        exists_twice = second > seconds
        if datetime.fromtimestamp(seconds, UTC).astimezone(zone).replace(tzinfo=None) != clock:
            raise ReadError(
                f"{where}:{line}: {clock:%Y-%m-%d %H:%M} does not exist in {zone.key}: the clock jumps there"
            )
        if exists_twice and times_shown[clock] == 1:
            raise ReadError(
                f"{where}:{line}: {clock:%Y-%m-%d %H:%M} exists twice in {zone.key} and stands once; give stamps "
                "with an offset, or in UTC"
            )
        result.append(second if exists_twice and seen[clock] else seconds)
        seen[clock] += 1
    return result


def of_hours(
    dates: list[str], hours: list[str], lines: list[int], where: str, zone: str | None, labels: Labels | None
) -> Floats:
    """Starts of hours that are given by a date and a number of the hour, as s since 1970 UTC.

    Hours 1 to 24 are labelled by their end, 0 to 23 by their start. A file that holds neither 0 nor 24 does not say,
    and is not guessed. A 25th hour counts hours from midnight, through the change of the clock.

    Raises
    ------
    ReadError
        If the file holds both 0 and 24, or neither and nobody says what labels mean, or if a number is not an hour.
    """
    numbers = []
    for text, line in zip(hours, lines, strict=True):
        if not text.strip().isdecimal() or not text.isascii() or int(text) > 25:
            raise ReadError(
                f"{where}:{line}: hour '{text}' is not a number from 0 to 24 (25 where the clock is set back)"
            )
        numbers.append(int(text))
    highest, lowest = max(numbers), min(numbers)
    if lowest == 0 and highest >= 24:
        raise ReadError(f"{where}: holds both an hour 0 and an hour {highest}: the same hour under two names")
    told: Labels | None = "start" if lowest == 0 else "end" if highest >= 24 else None
    if told is None and labels is None:
        raise ReadError(
            f"{where}: holds neither an hour 0 nor an hour 24, so it does not say whether hour 1 begins or ends at one "
            "o'clock; say --labels start or --labels end"
        )
    if told is not None and labels is not None and told != labels:
        raise ReadError(
            f"{where}: has an hour {0 if told == 'start' else highest}, so hours are labelled by their {told}"
        )
    if zone is None:
        raise ReadError(f"{where}:{lines[0]}: date and hour have no zone; {_ASK_ZONE}")
    first = 0 if (told or labels) == "start" else 1
    days = []
    for text, line in zip(dates, lines, strict=True):
        try:
            days.append(datetime.fromisoformat(text.strip().replace("/", "-")))
        except ValueError:
            raise ReadError(f"{where}:{line}: '{text}' is not a date; write 2026-01-31") from None
    if highest == 25:
        key = zone_named(zone)
        return np.array(
            [day.replace(tzinfo=key).timestamp() + 3600 * (n - first) for day, n in zip(days, numbers, strict=True)]
        )
    clocks = [day + timedelta(hours=number - first) for day, number in zip(days, numbers, strict=True)]
    return np.array(_of_clocks(clocks, zone_named(zone), lines, where))


def steps(labels_s: Floats, where: str, labels: Labels = "start") -> tuple[Floats, Floats]:
    """Starts and ends of steps from the stamps that label them.

    A step ends where the next one begins, unless the distance is longer than the steps around it: then there is a gap.

    Raises
    ------
    ReadError
        If there are not two stamps to tell a length from, or if they are not in order.
    """
    if len(labels_s) < 2:
        raise ReadError(f"{where}: one row does not say how long its step is; give its end in a column 'end'")
    distance = np.diff(labels_s)
    wrong = np.flatnonzero(distance <= 0)
    if wrong.size:
        at = datetime.fromtimestamp(float(labels_s[wrong[0] + 1]), UTC)
        what = "stands twice" if distance[wrong[0]] == 0 else "is out of order"
        raise ReadError(f"{where}: the stamp {at:%Y-%m-%dT%H:%MZ} {what}; sort the rows by time, in UTC")
    if labels == "end":
        length = _lengths(distance[::-1])[::-1]
        return labels_s - length, labels_s
    return labels_s, labels_s + _lengths(distance)


def _lengths(distance: Floats) -> Floats:
    """Length of each step from the distances to the next one; the last step is as long as the one before it."""
    n = len(distance)
    changes = np.flatnonzero(np.diff(distance) != 0) + 1
    bounds = np.concatenate(([0], changes, [n]))
    runs = np.diff(bounds)
    longest = int(runs.max())
    regular = np.repeat(runs >= min(_IN_A_ROW, longest), runs) if longest > 1 else distance == distance.min()
    # a distance that stands alone is a gap behind a step as long as its neighbours
    positions = np.where(regular, np.arange(n), -1)
    before = np.maximum.accumulate(positions)
    after = np.minimum.accumulate(np.where(regular, np.arange(n), n)[::-1])[::-1]
    usual_before = np.where(before >= 0, distance[np.maximum(before, 0)], np.inf)
    usual_after = np.where(after < n, distance[np.minimum(after, n - 1)], np.inf)
    usual = np.where(np.isfinite(usual_before), usual_before, usual_after)
    length = np.where(regular, distance, np.minimum(distance, usual))
    return np.append(length, length[-1])
