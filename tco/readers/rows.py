"""Small tables and logs of text, row by row or line by line, each with its place for messages.

For files with few columns of many kinds. Power traces of many rows go through `tco.readers.blocks`.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tco.errors import ReadError, did_you_mean
from tco.readers import values
from tco.readers.blocks import open_file

#: Logs hold lists of sample numbers in one line; a longer line is not text of a tool.
_LONGEST_LINE = 1 << 24
#: JSON is read whole, in some ten times its size of memory.
_LARGEST_JSON = 1 << 26
#: Rows that a reader may keep: half a gigabyte of those of sacct.
_MOST_ROWS = 200_000
_LONGEST_NAME = 100
_MARK = "\ufeff"


@dataclass(frozen=True)
class Row:
    """One row of a table.

    Attributes
    ----------
    path, line
        Where it stands.
    cells
        Its fields by column name, without spaces around them.
    """

    path: str
    line: int
    cells: Mapping[str, str]

    def place(self, column: str) -> values.Place:
        """Where a field stands, for messages."""
        return values.Place(self.path, self.line, column)

    def text(self, column: str) -> str | None:
        """A field as text; None where the column is not there or the field has no value."""
        text = self.cells.get(column)
        return None if text is None or values.is_missing(text) else text

    def number(self, column: str, *, at_least: float | None = None) -> float | None:
        """A field as a number; None where the column is not there or the field has no value.

        Raises
        ------
        ReadError
            If it is not a number, or below the least that is possible.
        """
        text = self.cells.get(column)
        if text is None:
            return None
        number = values.number(text, None, self.place(column))
        if math.isnan(number):
            return None
        if math.isinf(number):
            raise ReadError(f"{self.place(column)}: '{text}' is too large for a number")
        if at_least is not None and number < at_least:
            raise ReadError(f"{self.place(column)}: {text} is below {at_least:g}, which cannot be")
        return number


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file, without their ends, each with its number.

    Raises
    ------
    ReadError
        If it is not UTF-8 text.
    """
    with open_file(path) as file:
        number = 0
        while raw := file.readline(_LONGEST_LINE + 1):
            number += 1
            if len(raw) > _LONGEST_LINE:
                raise ReadError(f"{path}:{number}: has a line of more than {_LONGEST_LINE:,} bytes; it is not text")
            try:
                text = raw.decode()
            except UnicodeDecodeError:
                what = "UTF-16 text; save it as UTF-8" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "not UTF-8 text"
                raise ReadError(f"{path}:{number}: is {what}") from None
            yield number, (text.removeprefix(_MARK) if number == 1 else text).rstrip("\r\n")


def rows(
    path: Path,
    *,
    separator: str = ",",
    required: Sequence[str] = (),
    first: str | None = None,
    most: int | None = _MOST_ROWS,
) -> Iterator[Row]:
    """The rows of a table with column names.

    Parameters
    ----------
    path
        The file. A line of column names that is repeated begins a new table.
    separator
        What stands between fields.
    required
        Columns that must be there.
    first
        Name of the first column, where tables with other columns may follow in the same file.
    most
        Rows that are given; None for a caller that keeps few of them.

    Raises
    ------
    ReadError
        If a column is not there, a row has another number of fields, there are too many, or a line is not CSV.
    """
    names: list[str] = []
    number = given = 0

    def _texts() -> Iterator[str]:
        nonlocal number
        for at, text in lines(path):
            number = at
            yield text + "\n"

    reader = csv.reader(_texts(), delimiter=separator, strict=True)
    while True:
        begin = number + 1
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise ReadError(f"{path}:{begin}: is not CSV: {error}") from None
        if fields is None:
            break
        fields = [field.strip() for field in fields]
        if not any(fields):
            continue
        if not names or fields == names or (first is not None and fields[0] == first):
            names = fields
            _check_names(path, begin, names, separator, required)
            continue
        if len(fields) != len(names):
            raise ReadError(f"{path}:{begin}: {_wrong_width(fields, names)}")
        given += 1
        if most is not None and given > most:
            raise ReadError(f"{path}:{begin}: has more than {most:,} rows; keep those of the runs that are meant")
        yield Row(str(path), begin, dict(zip(names, fields, strict=True)))
    if not names:
        raise ReadError(f"{path}: is empty")


def _wrong_width(fields: Sequence[str], names: Sequence[str]) -> str:
    found, expected = len(fields), len(names)
    why = (
        "the line was cut off, or columns were dropped when another run was appended"
        if found < expected
        else "write numbers with a decimal point, and quote texts that hold a separator"
    )
    return f"has {found} field{'s'[: found != 1]}, {expected} expected; {why}"


def _check_names(path: Path, line: int, names: Sequence[str], separator: str, required: Sequence[str]) -> None:
    where = f"{path}:{line}"
    if len(names) == 1:
        for other, what in ((";", "semicolons"), ("\t", "tabs"), (",", "commas"), ("|", "bars")):
            if other != separator and other in names[0]:
                raise ReadError(
                    f"{where}: fields are separated by {what}, '{separator}' is expected; write numbers with a "
                    "decimal point"
                )
    for name in names:
        if name and names.count(name) > 1:
            raise ReadError(f"{where}: the column '{name}' stands {names.count(name)} times; each needs its own name")
    for name in required:
        if name not in names:
            near = did_you_mean(name, [other for other in names if len(other) <= _LONGEST_NAME])
            raise ReadError(f"{where}: there is no column '{name}'{near}")


def document(path: Path) -> Any:
    """The content of a JSON file.

    Raises
    ------
    ReadError
        Naming the line where it is not JSON.
    """
    with open_file(path) as file:
        raw = file.read(_LARGEST_JSON + 1)
    if len(raw) > _LARGEST_JSON:
        raise ReadError(f"{path}: has more than {_LARGEST_JSON:,} bytes; write CSV or HDF5 with the tool, where it can")
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise ReadError(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        why = "is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ReadError(f"{path}: not valid JSON: {why}") from None


def head_document(path: Path) -> Any:
    """The content of a JSON file for `sniff`; None where it is none, or is a large one."""
    from tco.readers.blocks import first_bytes

    if not first_bytes(path).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return None
    try:
        return document(path)
    except ReadError:
        return None


def json_number(data: Mapping[str, Any], key: str, where: str, *, at_least: float | None = None) -> float | None:
    """A number of a JSON object; None where it is absent, null or not finite.

    Raises
    ------
    ReadError
        If it is something else than a number, or below the least that is possible.
    """
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, str):
        value = values.number(value, None, values.Place(where, 1, key))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReadError(f"{where}: '{key}': {_short(value)} is not a number")
    try:
        number = float(value)
    except OverflowError:
        raise ReadError(f"{where}: '{key}': {_short(value)} is too large for a number") from None
    if not math.isfinite(number):
        return None
    if at_least is not None and number < at_least:
        raise ReadError(f"{where}: '{key}': {number:g} is below {at_least:g}, which cannot be")
    return number


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
