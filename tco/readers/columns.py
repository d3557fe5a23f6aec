"""The columns of one stretch of a CSV file, as arrays.

Fields are found by their separators and read many at a time. The first field that is not understood yet is read
carefully; what it looks like (spaces, sign, unit, or a word for a missing value) is then tried on all fields that are
left. So a column of one form, or of a few, is read at the speed of array operations, and any other field by field.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tco.errors import ReadError
from tco.readers import digits, values
from tco.readers.digits import Bytes, Flags, Floats, Places, Words, word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_COMMA, _NEWLINE, _QUOTE = 0x2C, 0x0A, 0x22
_DRESSED = re.compile(rb"(\s*)([+-]?)(\d+(?:\.\d*)?|\.\d+)([^\d.,;]*)")
_STAMPED = re.compile(rb"(\s*)(\d{4}([-/])\d\d\3\d\d[ T])(\d\d:\d\d:\d\d)(?:\.(\d{1,8}))?(\s*(?:Z|[+-]\d\d:?\d\d)?\s*)")
#: Forms of a field that are learned in one block before the rest is read one by one.
_FORMS = 8
#: Words that are looked for in all rows at once, before the rest is read one by one.
_LABELS = 64
#: Seconds, hours and minutes in the digits of ``:SS HH:MM``; see `Block._clock`.
_CLOCK_TIME = np.uint64(0xFFFF00FFFF000000)
_CLOCK_SECONDS = np.uint64(0x0000000000FFFF00)


def wrong_number_of_fields(raw: bytes, found: int, expected: int) -> str:
    """What to say of a line with too few or too many fields."""
    if found < expected:
        return (
            f"has {found} field{'s'[: found != 1]}, {expected} expected; the line was cut off or written by another run"
        )
    hint = "; write numbers with a decimal point" if re.search(rb"\d,\d", raw) else ""
    return f"has {found} fields, {expected} expected{hint}"


class Block:
    """Whole rows of a CSV file.

    Parameters
    ----------
    path, names
        File and column names, for messages; each row has one field for each name.
    buffer, begin, end
        The rows are ``buffer[begin:end]``, the last one ends with a newline. Before them are `digits.FRONT` zero bytes
        or more and nothing else, after them `digits.BACK` bytes or more of anything.
    first_line
        Line of the file that the first row is.

    Raises
    ------
    ReadError
        If a row has another number of fields.
    """

    def __init__(
        self, path: str, names: Sequence[str], buffer: bytearray, begin: int, end: int, first_line: int
    ) -> None:
        self._path, self._names, self._buffer = path, names, buffer
        self._words = digits.words_of(buffer)
        self._first_line = first_line
        self._lines: Places | None = None  # where rows and lines do not correspond
        self._texts: dict[int, list[str]] = {}  # rows with quotes, field by field
        self._split(begin, end)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._ends)

    def line(self, row: int) -> int:
        """Line of the file where a row stands."""
        return int(self._lines[row]) if self._lines is not None else self._first_line + row

    def lines(self) -> Places:
        """Line of the file where each row stands, shape (rows,)."""
        return self._first_line + np.arange(self.rows) if self._lines is None else self._lines

    def where(self, row: int) -> str:
        """File and line of a row, for messages."""
        return f"{self._path}:{self.line(row)}"

    def place(self, row: int, column: int) -> values.Place:
        """Where a field stands, for messages."""
        return values.Place(self._path, self.line(row), self._names[column])

    def text(self, row: int, column: int) -> str:
        """A field as text, without quotes."""
        if row in self._texts:
            return self._texts[row][column]
        begin = self._line_begins[row] if column == 0 else self._ends[row, column - 1] + 1
        return self._decode(bytes(self._buffer[begin : self._ends[row, column]]), row)

    def _decode(self, raw: bytes, row: int) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise ReadError(f"{self._path}:{self.line(row)}: is not UTF-8 text") from None

    # ---- finding the fields

    def _split(self, begin: int, end: int) -> None:
        nul = self._buffer.find(0, begin, end)
        if nul >= 0:
            line = self._first_line + self._buffer.count(b"\n", begin, nul)
            raise ReadError(f"{self._path}:{line}: holds a zero byte; the file is damaged or is not text")
        view = np.frombuffer(self._buffer, np.uint8, end)
        is_separator = view == _NEWLINE
        lines = int(np.count_nonzero(is_separator))
        is_separator |= view == _COMMA
        separators = np.flatnonzero(is_separator)
        width = len(self._names)
        quoted = self._buffer.find(_QUOTE, begin, end) >= 0
        if not quoted and len(separators) == lines * width:
            ends = separators.reshape(lines, width)
            if (view[ends[:, -1]] == _NEWLINE).all():
                self._ends = ends
                self._line_begins = np.empty(lines, np.int64)
                self._line_begins[0] = begin
                self._line_begins[1:] = ends[:-1, -1] + 1
                return
        self._split_uneven(view, separators, begin, quoted)

    def _split_uneven(self, view: Bytes, separators: Places, begin: int, quoted: bool) -> None:
        """Rows where some have quotes, are blank, or have a wrong number of fields."""
        width = len(self._names)
        newlines = np.flatnonzero(view[separators] == _NEWLINE)
        line_ends = separators[newlines]
        line_begins = np.concatenate(([begin], line_ends[:-1] + 1))
        odd = np.diff(newlines, prepend=-1) != width
        if quoted:
            odd[np.searchsorted(line_ends, np.flatnonzero(view == _QUOTE))] = True
        keep = np.ones(len(line_ends), np.bool_)
        fields: dict[int, list[str]] = {}
        for index in np.flatnonzero(odd).tolist():
            raw = bytes(self._buffer[line_begins[index] : line_ends[index]])
            if raw.strip():
                fields[index] = self._fields(raw, index)
            else:
                keep[index] = False
        rows = np.flatnonzero(keep)
        self._lines = self._first_line + rows
        self._line_begins = line_begins[rows]
        self._ends = np.empty((len(rows), width), np.int64)
        self._ends[:] = self._line_begins[:, np.newaxis]
        plain = np.flatnonzero(~odd[rows])
        first = newlines[rows[plain]] - (width - 1)
        self._ends[plain] = separators[first[:, np.newaxis] + np.arange(width)]
        order = np.cumsum(keep) - 1
        self._texts = {int(order[index]): texts for index, texts in fields.items()}

    def _fields(self, raw: bytes, index: int) -> list[str]:
        """The fields of a line with quotes or with a wrong number of commas."""
        where = f"{self._path}:{self._first_line + index}"
        try:
            texts = next(csv.reader([raw.decode()], strict=True, skipinitialspace=True))
        except UnicodeDecodeError:
            raise ReadError(f"{where}: is not UTF-8 text") from None
        except csv.Error as error:
            raise ReadError(f"{where}: is not CSV: {error}; a quoted field ends on the line where it begins") from None
        if len(texts) != len(self._names):
            raise ReadError(f"{where}: {wrong_number_of_fields(raw, len(texts), len(self._names))}")
        return texts

    def _span(self, column: int) -> tuple[Places, Places]:
        ends = np.ascontiguousarray(self._ends[:, column])
        return (self._line_begins if column == 0 else self._ends[:, column - 1] + 1), ends

    def _left(self) -> Places | None:
        """Rows to read from the buffer; None is all of them."""
        if not self._texts:
            return None
        left = np.ones(self.rows, np.bool_)
        left[list(self._texts)] = False
        return np.flatnonzero(left)

    def _learned(
        self,
        column: int,
        result: Any,
        try_form: Callable[[bytes, int, Places, Places], tuple[Any, Flags] | None],
        one_by_one: Callable[[str, values.Place], Any],
    ) -> None:
        """Fill ``result`` for all rows of a column.

        ``try_form(field, row, begin, end)`` gives values and a flag for each of the fields that are left, the form
        being that of ``field``, or None where it cannot; ``one_by_one`` reads a single field.
        """
        for row, texts in self._texts.items():
            result[row] = one_by_one(texts[column], self.place(row, column))
        all_begins, all_ends = self._span(column)
        left = self._left()
        for _ in range(_FORMS):
            if left is not None and left.size == 0:
                return
            row = 0 if left is None else int(left[0])
            begins, ends = (all_begins, all_ends) if left is None else (all_begins[left], all_ends[left])
            if begins.size == 0:
                return
            field = bytes(self._buffer[begins[0] : ends[0]])
            found = try_form(field, row, begins, ends)
            if found is None or not found[1][0]:  # not a form that the fast path knows: this one is read with care
                value = one_by_one(self._decode(field, row), self.place(row, column))
                found = value, self._same(field, begins, ends)
                found[1][0] = True
            got, ok = found
            if left is None:
                result[:] = got
                if ok.all():
                    return
                left = np.flatnonzero(~ok)
            else:
                result[left[ok]] = got[ok] if isinstance(got, np.ndarray) else got
                left = left[~ok]
        for row in range(self.rows) if left is None else left.tolist():
            result[row] = one_by_one(self.text(row, column), self.place(row, column))

    def _same(self, field: bytes, begins: Places, ends: Places) -> Flags:
        """Which fields are the very bytes of one field (at most 24 of them)."""
        length = len(field)
        same: Flags = (ends - begins) == length
        if length > digits.LONGEST:
            same[:] = False
            return same
        for at in range(0, length, 8):
            part = field[at : at + 8]
            cut = np.uint64(8 * (8 - len(part)))
            same &= (self._words[begins + at] << cut) == (word(part) << cut)
        return same

    def _parts(self, begins: Places, ends: Places) -> list[Words] | None:
        """The bytes of each field as words, eight at a time; None where a field has more than 64."""
        lengths = ends - begins
        longest = int(lengths.max(initial=0))
        if longest > 64:
            return None
        parts = []
        for at in range(0, max(longest, 1), 8):
            part = self._words[begins + at]
            part <<= ((8 - np.clip(lengths - at, 0, 8)) << 3).view(np.uint64)
            parts.append(part)
        return parts

    def _are(self, text: bytes, begins: Places, ok: Flags) -> None:
        """Clear ``ok`` where the bytes from ``begins`` on are not ``text`` (at most 8 bytes)."""
        if text:
            cut = np.uint64(8 * (8 - len(text)))
            ok &= (self._words[begins] << cut) == (word(text) << cut)

    # ---- reading the columns

    def numbers(self, column: int, unit: str | None = None, *, required: bool = False) -> Floats:
        """A column as numbers, NaN where a value is missing.

        Parameters
        ----------
        column
            Its position.
        unit
            Unit that may follow each number.
        required
            Whether a missing value is an error.

        Raises
        ------
        ReadError
            At the first field that is neither a number nor a word for a missing one.
        """

        def _one(text: str, place: values.Place) -> float:
            value = values.number(text, unit, place)
            if required and value != value:
                raise ReadError(f"{place}: '{text.strip()}' is not a number; each row needs one here")
            return value

        def _form(field: bytes, row: int, begins: Places, ends: Places) -> tuple[Floats, Flags] | None:
            match = _DRESSED.fullmatch(field)
            if match is None or len(field) > 40 or match[4].strip() not in (b"", (unit or "").encode()):
                return None
            lead, tail = match[1] + match[2], match[4]
            if len(lead) > 8 or len(tail) > 8:
                return None
            first, last = begins + len(lead), ends - len(tail)
            point = match[3].find(b".")
            if 9 <= point <= 15 and 1 <= len(match[3]) - point - 1 <= 8:
                got, ok = digits.stamps(self._words, first, last, point)
            else:
                got, ok = digits.decimals(self._words, first, last)
            self._are(lead, begins, ok)
            self._are(tail, last, ok)
            return (np.negative(got) if match[2] == b"-" else got), ok

        result = np.empty(self.rows, np.float64)
        self._learned(column, result, _form, _one)
        return result

    def stamps(self, column: int, first_day: int, *, aware: bool) -> Floats:
        """A column of dates with times, as seconds since the midnight that began ``first_day``.

        Parameters
        ----------
        column
            Its position.
        first_day
            Proleptic Gregorian ordinal; midnight UTC where the stamps state their offset, else of the local clock.
        aware
            Whether the stamps state their offset from UTC.

        Raises
        ------
        ReadError
            At the first field that is not a time stamp, or that states an offset where others do not.
        """

        def _shift(stamp: values.Stamp, text: str, place: values.Place) -> int:
            if (stamp.offset is not None) != aware:
                fault = (
                    "states no offset from UTC, those before it do"
                    if aware
                    else "states an offset from UTC, those before it do not"
                )
                raise ReadError(f"{place}: '{text.strip()}' {fault}; write all stamps alike")
            return (stamp.day - first_day) * 86400 - (stamp.offset or 0)

        def _one(text: str, place: values.Place) -> float:
            stamp = values.stamp(text, place)
            return _shift(stamp, text, place) + stamp.second

        def _form(field: bytes, row: int, begins: Places, ends: Places) -> tuple[Floats, Flags] | None:
            match = _STAMPED.fullmatch(field)
            if match is None or len(match[1]) > 8 or len(match[6]) > 8:
                return None
            text = field.decode()
            place = self.place(row, column)
            offset = _shift(values.stamp(text, place), text, place)
            at = begins + len(match[1])
            ok: Flags = (ends - begins) == len(field)
            self._are(match[1], begins, ok)
            self._are(match[2][:8], at, ok)
            self._are(match[2][8:], at + 8, ok)
            seconds = self._clock(at, ok)
            seconds += offset
            result = seconds.astype(np.float64)
            if match[5]:
                decimals = len(match[5])
                self._are(b".", at + 19, ok)
                fraction = digits.last_characters(self._words, at + (20 + decimals), np.array([decimals]))
                ok &= digits.all_digits(fraction)
                result += digits.eight_digits(fraction) / 10.0**decimals
            self._are(match[6], ends - len(match[6]), ok)
            return result, ok

        result = np.empty(self.rows, np.float64)
        self._learned(column, result, _form, _one)
        return result

    def _clock(self, at: Places, ok: Flags) -> Places:
        """Seconds since midnight of ``HH:MM:SS``, 11 characters after ``at``; clears ``ok`` where it is none."""
        hours = self._words[at + 8]  # "DD HH:MM"
        seconds = self._words[at + 16]  # ":SS....."
        ok &= (hours >> np.uint64(40)) & np.uint64(0xFF) == ord(":")
        ok &= seconds & np.uint64(0xFF) == ord(":")
        clock = (hours ^ word(b"00000000")) & _CLOCK_TIME
        clock |= (seconds ^ word(b"00000000")) & _CLOCK_SECONDS
        ok &= digits.all_digits(clock)
        pairs = clock * np.uint64(10)
        pairs += clock >> np.uint64(8)
        second, hour, minute = ((pairs >> np.uint64(bits)) & np.uint64(0xFF) for bits in (8, 24, 48))
        ok &= hour < 24
        ok &= minute < 60
        ok &= second < 60
        hour *= np.uint64(60)
        hour += minute
        hour *= np.uint64(60)
        hour += second
        return hour.view(np.int64)

    def codes(self, column: int) -> tuple[NDArray[np.int64], list[str], list[int]]:
        """A column of words as numbers.

        Returns
        -------
        codes
            For each row the position of its word in ``labels``, shape (rows,).
        labels
            The distinct words, without spaces around them.
        rows
            A row where each of them stands.
        """
        result = np.full(self.rows, -1, np.int64)
        known: dict[str, int] = {}
        rows: list[int] = []

        def _code(row: int) -> int:
            label = self.text(row, column).strip()
            if label not in known:
                known[label] = len(known)
                rows.append(row)
            return known[label]

        begins, ends = self._span(column)
        left = self._left()
        if left is None:
            left = np.arange(self.rows)
        else:
            begins, ends = begins[left], ends[left]
        parts = self._parts(begins, ends)
        for _ in range(_LABELS):
            if parts is None or left.size == 0:
                break
            same = parts[0] == parts[0][0]
            for part in parts[1:]:
                same &= part == part[0]
            result[left[same]] = _code(int(left[0]))
            rest = ~same
            left = left[rest]
            parts = [part[rest] for part in parts]
        for row in np.flatnonzero(result < 0).tolist():
            result[row] = _code(row)
        return result, list(known), rows
