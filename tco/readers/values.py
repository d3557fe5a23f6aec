"""One field of a table at a time: the careful path, and what the fast path has to agree with."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import NamedTuple

from tco.errors import ReadError

#: Words that tools write where they have no number; text in square brackets counts too.
MISSING = frozenset(
    {"", "-", "--", "n/a", "na", "nan", "none", "null", "unknown", "not supported", "unknown error", "not available"}
)
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z%]+)?", re.ASCII)
_STAMP = re.compile(
    r"(\d{4})([-/])(\d\d)\2(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(?:(Z)|([+-])(\d\d):?(\d\d))?", re.ASCII
)


class Place(NamedTuple):
    """Where a field stands, for messages; in a file without rows the path says all, and the line is None."""

    path: str
    line: int | None
    column: str

    def __str__(self) -> str:
        if self.line is None:
            return f"{self.path}: {self.column}"
        return f"{self.path}:{self.line}: column '{self.column}'"


class Stamp(NamedTuple):
    """A time stamp: day number, seconds since midnight, and seconds east of UTC where it states them."""

    day: int
    second: float
    offset: int | None


def is_missing(text: str) -> bool:
    """Whether a field says that there is no value: empty, ``N/A``, ``[Not Supported]``, ``nan`` ..."""
    word = text.strip().casefold()
    return word in MISSING or (len(word) > 1 and word[0] == "[" and word[-1] == "]")


def number(text: str, unit: str | None, place: Place) -> float:
    """The number in a field, NaN where it is missing.

    Parameters
    ----------
    text
        The field.
    unit
        Unit that may follow the number; None where none may.
    place
        Where it stands.

    Raises
    ------
    ReadError
        If it is neither a number nor a known word for a missing one.
    """
    if is_missing(text):
        return float("nan")
    bare = text.strip()
    match = _NUMBER.fullmatch(bare)
    if match is None:
        if re.search(r"\d,\d", bare):
            raise ReadError(f"{place}: '{bare}' has a comma in its number; write '1287.5', with a decimal point")
        example = f"300.00 {unit}" if unit else "300.00"
        raise ReadError(f"{place}: '{bare}' is not a number; write '{example}', or '[N/A]' for a missing value")
    if match[2] and match[2] != unit:
        raise ReadError(
            f"{place}: '{bare}' has the unit '{match[2]}', the column {'has none' if not unit else f'is in {unit}'}"
        )
    value = float(match[1])
    if value in (math.inf, -math.inf):
        raise ReadError(f"{place}: '{bare[:40]}' is too large for a number")
    return value


def stamp(text: str, place: Place) -> Stamp:
    """The time stamp in a field.

    Raises
    ------
    ReadError
        If it is not a date and a time, year first.
    """
    match = _STAMP.fullmatch(text.strip())
    if match is None:
        raise ReadError(
            f"{place}: '{text.strip()}' is not a time stamp; write '2026/01/31 13:00:00.000' or '2026-01-31T13:00:00Z'"
        )
    year, _, month, day, hour, minute, second, fraction, utc, sign, zone_hour, zone_minute = match.groups()
    try:
        number_of_day = date(int(year), int(month), int(day)).toordinal()
    except ValueError as error:
        raise ReadError(f"{place}: '{text.strip()}' is not a date: {error}") from None
    clock = int(hour), int(minute), int(second or 0)
    if clock[0] > 23 or clock[1] > 59 or clock[2] > 59:
        raise ReadError(f"{place}: '{text.strip()}' is not a time of day")
    seconds = clock[0] * 3600 + clock[1] * 60 + clock[2] + float(fraction or 0)
    offset = 0 if utc else None
    if sign:
        offset = (int(zone_hour) * 3600 + int(zone_minute) * 60) * (-1 if sign == "-" else 1)
    return Stamp(number_of_day, seconds, offset)
