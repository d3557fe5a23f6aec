"""The power log of PTDaemon, ``spl.txt``: samples of an analyser, of one channel or of the sum of several."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tco.errors import ReadError
from tco.readers.rows import lines

_STAMP = re.compile(r"(\d{1,2})-(\d{1,2})-(\d{4}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?", re.ASCII)
_MARK = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_FEWEST = 4
#: Microseconds in a day.
DAY = 86_400 * 10**6
_EPOCH = date(1970, 1, 1)
#: Four months at one sample a second; the official rules ask for runs of ten minutes.
_MOST_SAMPLES = 10_000_000
_TIME, _WATTS = "Time", "Watts"
_EXAMPLE = "'Time,07-23-2024 13:43:39.220,Watts,171.3,Volts,...'"


class Stamp(NamedTuple):
    """A time as PTDaemon and LoadGen write it: it does not say whether the day or the month comes first."""

    first: int
    second: int
    year: int
    microsecond: int
    where: str

    def since_1970(self, *, day_first: bool) -> int:
        """Microseconds since 1970 of a clock without a zone.

        Raises
        ------
        ReadError
            If there is no such day.
        """
        day, month = (self.first, self.second) if day_first else (self.second, self.first)
        try:
            return (date(self.year, month, day) - _EPOCH).days * DAY + self.microsecond
        except ValueError as error:
            raise ReadError(
                f"{self.where}: '{self.first:02}-{self.second:02}-{self.year}' is not a date: {error}"
            ) from None


def stamp(text: str, where: str) -> Stamp:
    """The time in a text.

    Raises
    ------
    ReadError
        If it is none.
    """
    match = _STAMP.fullmatch(text.strip())
    if match is None:
        raise ReadError(f"{where}: '{text.strip()[:40]}' is not a time such as '07-23-2024 13:43:39.220'")
    first, second, year, hour, minute, whole = (int(part) for part in match.groups()[:6])
    if hour > 23 or minute > 59 or whole > 59:
        raise ReadError(f"{where}: '{text.strip()[:40]}' is not a time of day")
    fraction = int((match[7] or "").ljust(6, "0"))
    return Stamp(first, second, year, (hour * 3600 + minute * 60 + whole) * 10**6 + fraction, where)


class Samples(NamedTuple):
    """The samples of a power log.

    Attributes
    ----------
    t_us
        Microseconds since 1970 by the clock of the log, shape (n,).
    power_w
        Power of all channels together, as logged, shape (n,).
    day_first
        Whether the dates were read so.
    dates_told
        Whether something in the files says which comes first; else the month is taken, as the official checker does.
    """

    t_us: NDArray[np.int64]
    power_w: NDArray[np.float64]
    day_first: bool
    dates_told: bool


def samples(path: Path, others: Sequence[Stamp] = (), day: tuple[int, int, int] | None = None) -> Samples:
    """The samples of a power log.

    Parameters
    ----------
    path
        The log.
    others
        Times from elsewhere that are written in the same order of day and month.
    day
        Year, month and day of the measurement, where another file says so unmistakably.

    Raises
    ------
    ReadError
        If a line is not one of such a log, or time runs backwards.
    """
    days: dict[tuple[int, int, int], Stamp] = {}
    codes, of_day, powers, numbers = array("q"), array("q"), array("d"), array("q")
    order: dict[tuple[int, int, int], int] = {}
    for number, at, watts, mark in _fields(path):
        day = day or mark
        one = stamp(at, f"{path}:{number}")
        key = (one.first, one.second, one.year)
        if key not in order:
            order[key] = len(order)
            days[key] = one
        codes.append(order[key])
        of_day.append(one.microsecond)
        powers.append(watts)
        numbers.append(number)
        if len(powers) > _MOST_SAMPLES:
            raise ReadError(f"{path}: has more than {_MOST_SAMPLES:,} samples; cut out those of the run")
    if not powers:
        raise ReadError(f"{path}: has no samples; lines such as {_EXAMPLE} are expected")
    day_first, told = _order([*days.values(), *others], day)
    midnights = np.array([one.since_1970(day_first=day_first) - one.microsecond for one in days.values()])
    t_us = midnights[np.frombuffer(codes, np.int64)] + np.frombuffer(of_day, np.int64)
    back = np.flatnonzero(np.diff(t_us) < 0)
    if back.size:
        raise ReadError(f"{path}:{numbers[int(back[0]) + 1]}: time runs backwards; the log was restarted or joined")
    return Samples(t_us, np.frombuffer(powers), day_first, told)


def _fields(path: Path) -> Iterator[tuple[int, str, float, tuple[int, int, int] | None]]:
    """Line, time, power, and the day that the mark names, of each sample."""
    for number, text in lines(path):
        if not text.strip():
            continue
        where = f"{path}:{number}"
        fields = text.split(",")
        if len(fields) < _FEWEST or fields[0].strip() != _TIME or fields[2].strip() != _WATTS:
            raise ReadError(f"{where}: is not a sample of PTDaemon; a line such as {_EXAMPLE} is expected")
        try:
            watts = float(fields[3])
        except ValueError:
            raise ReadError(f"{where}: field 'Watts': '{fields[3].strip()}' is not a number") from None
        if not math.isfinite(watts):
            raise ReadError(f"{where}: field 'Watts': '{fields[3].strip()}' is not a power")
        # what follows are the channels, which the first power is the sum of
        mark = None
        if "Mark" in fields[:-1]:
            found = _MARK.match(fields[fields.index("Mark") + 1].strip())
            mark = (int(found[1]), int(found[2]), int(found[3])) if found else None
        yield number, fields[1], watts, mark


def _order(stamps: Sequence[Stamp], day: tuple[int, int, int] | None) -> tuple[bool, bool]:
    """Whether the day comes first, and whether anything says so."""
    day_first = any(one.first > 12 for one in stamps)
    month_first = any(one.second > 12 for one in stamps)
    if day_first and month_first:
        raise ReadError(
            f"{stamps[0].where}: dates in this log and beside it are written both day first and month first"
        )
    if day_first or month_first:
        return day_first, True
    if day is not None and stamps[0].first != stamps[0].second:
        away = [_days_apart(stamps[0], day, day_first=first) for first in (False, True)]
        if min(away) <= 1 and away[0] != away[1]:
            return away[1] < away[0], True
    return False, all(one.first == one.second for one in stamps)


def _days_apart(one: Stamp, day: tuple[int, int, int], *, day_first: bool) -> float:
    try:
        return abs(one.since_1970(day_first=day_first) // DAY - (date(*day) - _EPOCH).days)
    except (ValueError, ReadError):
        return math.inf
