"""Local clocks to instants: stamps without an offset, in a zone that somebody states, through both changes a year."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from tco.errors import ReadError

Floats = NDArray[np.float64]

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d\d?)(?::?(\d\d))?", re.ASCII)
_DAY = 86400.0
#: A trace that is longer has a damaged stamp in it.
_MOST_DAYS = 36_600


def zone_named(name: str) -> tzinfo:
    """The zone of an IANA name, or of an offset such as ``+02:00``.

    Raises
    ------
    ReadError
        If it is neither.
    """
    match = _OFFSET.fullmatch(name.strip())
    if match:
        offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        if offset < timedelta(hours=24):
            return timezone(-offset if match[1] == "-" else offset)
    else:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise ReadError(f"time zone '{name}' is not an IANA zone such as 'Europe/Berlin', nor an offset such as '+02:00'")


class LocalClock:
    """Turns seconds of a local clock into seconds of UTC, in the order in which it showed them.

    Parameters
    ----------
    zone
        As `zone_named` takes it.
    first_day
        Ordinal of the day whose midnight the seconds are counted from: before, midnight of the clock; after, of UTC.

    Notes
    -----
    Where the clock is set back, an hour is shown twice. It is shown for the second time from the first stamp on that
    runs backwards within that hour.
    """

    def __init__(self, zone: str, first_day: int) -> None:
        self._name, self._zone = zone, zone_named(zone)
        self._midnight = datetime.fromordinal(first_day)
        self._days = (0, -1)  # whose changes are known
        self._changes: list[tuple[float, float]] = []  # local time before the change, and by how much it jumps
        self._offset = 0.0  # east of UTC, before the first change
        self._last: float | None = None
        self._repeated: set[float] = set()  # changes whose hour is shown for the second time

    def utc(self, local_s: Floats, where: Callable[[int], str]) -> Floats:
        """Seconds since midnight UTC.

        Parameters
        ----------
        local_s
            Seconds since midnight of the local clock, shape (n,).
        where
            Gives the place of a row, for messages.

        Raises
        ------
        ReadError
            If the zone never showed a time, or showed it twice and nothing says which is meant.
        """
        if len(local_s) == 0:
            return local_s
        if not np.isfinite(local_s).all():
            raise ReadError(f"{where(int(np.argmin(np.isfinite(local_s))))}: has no time")
        self._learn(float(local_s.min()), float(local_s.max()), where)
        offsets = np.full(len(local_s), self._offset)
        for at, jump in self._changes:
            if jump > 0:
                skipped = (local_s >= at) & (local_s < at + jump)
                if skipped.any():
                    row = int(np.argmax(skipped))
                    raise ReadError(
                        f"{where(row)}: {self._shown(local_s[row])} does not exist in {self._name}, where the clock is "
                        f"set forward by {jump / 3600:g} h; the log is in another zone"
                    )
                offsets[local_s >= at] += jump
            else:
                offsets[self._is_after(local_s, at, jump, where)] += jump
        self._last = float(local_s[-1])
        return local_s - offsets

    def _is_after(self, local_s: Floats, at: float, jump: float, where: Callable[[int], str]) -> NDArray[np.bool_]:
        """Which stamps lie after the clock was set back, at ``at``, by ``-jump``."""
        after: NDArray[np.bool_] = local_s >= at
        twice = (local_s >= at + jump) & ~after
        if not twice.any():
            return after
        before = np.concatenate(([self._last if self._last is not None else np.nan], local_s[:-1]))
        first = int(np.argmax(twice))
        if np.isnan(before[first]):
            raise ReadError(
                f"{where(first)}: {self._shown(local_s[first])} was shown twice in {self._name}, where the clock was "
                f"set back, and the file begins there; give the offset of its first stamp instead, as in --time-zone "
                f"{_offset_text(self._offset_at(at))}"
            )
        back = twice & (local_s < before) & (before >= at + jump)
        if at in self._repeated:
            return after | twice
        if back.any():
            self._repeated.add(at)
            rows = np.arange(len(local_s)) >= int(np.argmax(back))
            return after | (twice & rows)
        return after

    def _offset_at(self, change: float) -> float:
        """Offset before a change."""
        return self._offset + sum(jump for at, jump in self._changes if at < change)

    def _shown(self, local_s: float) -> str:
        return f"{self._midnight + timedelta(seconds=float(local_s)):%Y-%m-%d %H:%M:%S}"

    def _learn(self, lowest: float, highest: float, where: Callable[[int], str]) -> None:
        """Find the changes of the clock from the day before the first stamp to the day after the last one."""
        days = int(lowest // _DAY) - 1, int(highest // _DAY) + 2
        if self._days[0] <= days[0] and days[1] <= self._days[1]:
            return
        if self._days[0] <= self._days[1]:
            days = min(days[0], self._days[0]), max(days[1], self._days[1])
        if days[1] - days[0] > _MOST_DAYS:
            raise ReadError(f"{where(0)}: its times lie more than a hundred years apart; a stamp is damaged")
        try:
            self._offset = self._utc_offset(days[0] * _DAY)
            before, changes = self._offset, []
            for day in range(days[0], days[1]):
                now = self._utc_offset((day + 1) * _DAY)
                if now != before:
                    changes.append(self._change(day * _DAY, before, now))
                    before = now
        except (OverflowError, ValueError):
            raise ReadError(f"{where(0)}: its time lies outside the years 1 to 9999") from None
        self._days, self._changes = days, changes

    def _utc_offset(self, utc_s: float) -> float:
        moment = (self._midnight + timedelta(seconds=utc_s)).replace(tzinfo=UTC).astimezone(self._zone)
        offset = moment.utcoffset()
        assert offset is not None
        return offset.total_seconds()

    def _change(self, begin: float, before: float, after: float) -> tuple[float, float]:
        """Where in a day of UTC the offset changes, to the second."""
        low, high = begin, begin + _DAY
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._utc_offset(middle) == before else (low, middle)
        return high + before, after - before


def _offset_text(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
