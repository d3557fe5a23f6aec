"""Stamps as C programs print them, ``Thu Jan  1 00:00:00 2026``, and US dates such as ``01/31/2026 - 13:00:00``."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from pathlib import Path

import numpy as np

from tco.errors import ReadError
from tco.readers.zones import LocalClock

_CTIME = re.compile(
    r"(?:[A-Z][a-z]{2}\s+)?([A-Z][a-z]{2})\s+(\d{1,2})\s+(\d\d):(\d\d):(\d\d)\s+(?:UTC\s+)?(\d{4})(?:\s+UTC)?"
)
_US = re.compile(r"(\d\d)/(\d\d)/(\d{4})\s*-?\s*(\d\d):(\d\d):(\d\d)")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Moments:
    """Seconds of such stamps, since the midnight before the first of them.

    Parameters
    ----------
    path
        The file, for messages.
    zone
        Zone of the clock that the stamps show; None where nobody says.
    """

    def __init__(self, path: Path, zone: str | None) -> None:
        self._path, self._zone = path, zone
        self._first_day: int | None = None
        self._clock: LocalClock | None = None

    @property
    def origin(self) -> datetime | None:
        """Where the seconds count from: in UTC where the zone is known."""
        if self._first_day is None:
            return None
        return datetime.combine(date.fromordinal(self._first_day), time(), UTC if self._clock else None)

    def seconds(self, text: str | None, place: str) -> float:
        """The seconds of a stamp; 0 where the file has none at all.

        Raises
        ------
        ReadError
            If it is not a stamp.
        """
        if text is None or not text.strip():
            if self._first_day is not None:
                raise ReadError(f"{place}: has no time stamp, those before it have")
            return 0.0
        day, second = _parts(text.strip(), place)
        if self._first_day is None:
            self._first_day = day
            if self._zone is not None:
                self._clock = LocalClock(self._zone, day)
        local = (day - self._first_day) * 86400.0 + second
        if self._clock is None:
            return local
        return float(self._clock.utc(np.array([local]), lambda row: place)[0])


def _parts(text: str, place: str) -> tuple[int, float]:
    match, american = _CTIME.fullmatch(text), _US.fullmatch(text)
    try:
        if match and match[1] in _MONTHS:
            day = date(int(match[6]), _MONTHS.index(match[1]) + 1, int(match[2])).toordinal()
            clock = time(int(match[3]), int(match[4]), int(match[5]))
        elif american:
            day = date(int(american[3]), int(american[1]), int(american[2])).toordinal()
            clock = time(int(american[4]), int(american[5]), int(american[6]))
        else:
            raise ReadError(f"{place}: '{text[:60]}' is not a time stamp such as 'Thu Jan  1 00:00:00 2026'")
    except ReadError:
        raise
    except ValueError as error:
        raise ReadError(f"{place}: '{text[:60]}' is not a time: {error}") from None
    return day, clock.hour * 3600.0 + clock.minute * 60.0 + clock.second
