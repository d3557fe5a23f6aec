"""A CSV file as a header and blocks of whole rows, in bounded memory.

Blocks are read in order and worked on by a few threads; what the threads find comes back in the order of the file.
"""

from __future__ import annotations

import csv
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

import numpy as np

from tco.errors import ReadError, did_you_mean
from tco.readers import compressed
from tco.readers.columns import Block, wrong_number_of_fields
from tco.readers.digits import BACK, FRONT

T = TypeVar("T")

#: Smaller blocks keep threads waiting for the interpreter, larger ones do not fit the caches.
BLOCK_SIZE = 1 << 22
#: More of them would wait for the interpreter; each needs some 25 MB.
_MOST_THREADS = 3
_LONGEST_LINE = 1 << 16
#: Bytes at a time where the temporary array should stay in the fastest cache.
_CHUNK = 1 << 18
_PEEK = 2 * _LONGEST_LINE
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
#: What to say of a file of which nothing but its column names is there.
NO_ROWS = "has no rows; a line of column names and rows under it are expected"


@dataclass(frozen=True)
class Header:
    """The first lines of a CSV file.

    Attributes
    ----------
    path
        The file.
    names
        Column names, without spaces around them.
    line
        Line of the file where they stand.
    data_at
        Byte where the first row begins.
    first_row
        Fields of the first row, without spaces around them; empty where there is none.
    comments
        Lines before the names that begin with ``#``, without it.
    """

    path: Path
    names: tuple[str, ...]
    line: int
    data_at: int
    first_row: tuple[str, ...]
    comments: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """File and line of the names, for messages; the file alone where the names are not in it."""
        return f"{self.path}:{self.line}" if self.line else str(self.path)

    def column(self, name: str) -> int:
        """Position of the column of this name.

        Raises
        ------
        ReadError
            If there is none, or more than one.
        """
        places = [index for index, known in enumerate(self.names) if known == name]
        if len(places) == 1:
            return places[0]
        where = self.place
        if places:
            raise ReadError(f"{where}: the column '{name}' stands {len(places)} times; each needs a name of its own")
        raise ReadError(f"{where}: there is no column '{name}'{did_you_mean(name, self.names)}")


def first_bytes(path: Path) -> bytes:
    """The first 4 KiB of a file, for `sniff`; none where it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(4096)
    except ReadError:
        return b""


def first_line(path: Path, *, comments: bool = False) -> str:
    """The first line of a file that is not blank (nor a comment), without its end, for `sniff`."""
    raw = first_bytes(path)
    utf_16 = raw[:2] in _UTF_16  # looked into here so that `read_header` can say what is wrong with it
    text = raw.decode("utf-16" if utf_16 else "utf-8-sig", "replace")
    lines = (line.rstrip() for line in text.split("\n"))
    return next((line for line in lines if line and not (comments and line.startswith("#"))), "")


def small_table(path: Path, *, width: int) -> list[tuple[int, list[str]]]:
    """All rows of a small CSV file, each with its line.

    Raises
    ------
    ReadError
        If a row has another number of fields, or the last line has no end.
    """
    with open_file(path) as file:
        raw = file.read()
    if not raw.endswith(b"\n"):
        raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
    rows = []
    for line, text in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if text.strip():
            row = _line_fields(text, f"{path}:{line}")
            if len(row) != width:
                raise ReadError(f"{path}:{line}: {wrong_number_of_fields(text, len(row), width)}")
            rows.append((line, list(row)))
    return rows


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading bytes, forwards; a compressed one as what it holds.

    Raises
    ------
    ReadError
        If it is not there or may not be read.
    """
    try:
        file = path.open("rb")
        kind = compressed.kind_of(file.peek(4)[:4])
        return file if kind is None else compressed.expanded(path, file, kind)
    except FileNotFoundError:
        raise ReadError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise ReadError(f"{path}: is a folder, not a file") from None
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror}") from None


def _line_fields(raw: bytes, where: str) -> tuple[str, ...]:
    try:
        row = next(csv.reader([raw.decode()], strict=True, skipinitialspace=True), [])
    except UnicodeDecodeError:
        raise ReadError(f"{where}: is not UTF-8 text") from None
    except csv.Error as error:
        raise ReadError(f"{where}: is not CSV: {error}") from None
    return tuple(field.strip() for field in row)


def read_header(path: Path, *, comments: bool = False, names: Sequence[str] | None = None) -> Header:
    """The column names of a CSV file, and its first row.

    Parameters
    ----------
    path
        The file.
    comments
        Whether lines that begin with ``#`` may stand before the names.
    names
        Names of the columns where the file itself has none.

    Raises
    ------
    ReadError
        If the file has no such line, is not UTF-8 text, or has its fields separated by something else than commas.
    """
    with open_file(path) as file:
        head = file.read(_PEEK)
    if head[:2] in _UTF_16:
        raise ReadError(f"{path}: is UTF-16 text, as PowerShell writes it with '>'; save it as UTF-8")
    at = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    if not head[at:].strip():
        raise ReadError(f"{path}: is empty")
    line = 1
    said: list[str] = []
    while True:
        stop = head.find(b"\n", at)
        if stop < 0:
            what = NO_ROWS if len(head) < _PEEK else "has no line ends near its beginning; a CSV file is expected"
            raise ReadError(f"{path}:{line}: {what}")
        text = head[at:stop].strip()
        if text and not (comments and text.startswith(b"#")):
            break
        if text:
            said.append(text[1:].decode("utf-8", "replace").strip())
        at, line = stop + 1, line + 1
    for separator, name in ((b";", "semicolons"), (b"\t", "tabs")):
        if text.count(separator) > text.count(b","):
            raise ReadError(
                f"{path}:{line}: fields are separated by {name}; "
                "write them separated by commas, and numbers with a decimal point"
            )
    if names is not None:
        first = _line_fields(text, f"{path}:{line}")
        if len(first) != len(names):
            raise ReadError(
                f"{path}:{line}: has {len(first)} fields, and {len(names)} names are given: {', '.join(names)}"
            )
        return Header(path, tuple(names), line - 1, at, first)
    names = _line_fields(text, f"{path}:{line}")
    following = head[stop + 1 :].lstrip().split(b"\n")[0]
    if not following:
        raise ReadError(f"{path}:{line}: {NO_ROWS}")
    return Header(path, names, line, stop + 1, _line_fields(following, f"{path}:{line + 1}"), tuple(said))


def _whole_lines(file: BufferedReader, path: Path, free: list[bytearray]) -> Iterator[tuple[bytearray, int]]:
    """Buffers of whole lines, and where they end; the last line ends with a newline even where the file does not."""
    carried = b""
    at_once = BLOCK_SIZE
    if file.seekable():  # a small file needs no large buffer
        at_once = min(at_once, max(os.fstat(file.fileno()).st_size, _CHUNK))
    while True:
        buffer = free.pop() if free else bytearray(FRONT + _LONGEST_LINE + at_once + BACK)
        begin = FRONT + len(carried)
        buffer[FRONT:begin] = carried
        with memoryview(buffer) as view:
            end = begin + file.readinto(view[begin : begin + at_once])
        if end == begin:
            if carried:
                buffer[end] = ord("\n")
                yield buffer, end + 1
            return
        cut = buffer.rfind(b"\n", FRONT, end) + 1
        if cut == 0:
            cut = FRONT
        carried = bytes(buffer[cut:end])
        if len(carried) > _LONGEST_LINE:
            raise ReadError(f"{path}: has a line of more than {_LONGEST_LINE:,} bytes; it is not a CSV file")
        if cut > FRONT:
            yield buffer, cut


def unfinished_line(path: Path) -> str | None:
    """The last line of a file where it has no line end, as when the tool that wrote it was stopped; else None."""
    with open_file(path) as file:
        if file.seekable():
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LONGEST_LINE))
            tail = file.read()
        else:
            tail = piece = b""
            while piece := file.read(BLOCK_SIZE):
                tail = (tail + piece)[-_LONGEST_LINE:]
    return tail.rpartition(b"\n")[2].decode("utf-8", "replace").strip() or None


def each_block(header: Header, work: Callable[[Block], T], *, threads: int | None = None) -> Iterator[T]:
    """What ``work`` makes of each block of rows, in the order of the file.

    Parameters
    ----------
    header
        The file, as `read_header` gives it.
    work
        Called in several threads; its result may not refer to the buffer of the block.
    threads
        How many; by default one for each processor, three at most, and none for a small file.

    Raises
    ------
    ReadError
        If a row has another number of fields than the header, or whatever ``work`` raises.
    """
    path, names = str(header.path), header.names

    def _done(buffer: bytearray, end: int, line: int) -> T:
        return work(Block(path, names, buffer, FRONT, end, line))

    line = header.line + 1
    free: list[bytearray] = []
    with open_file(header.path) as file:
        if threads is None:
            small = header.path.stat().st_size < (4 * BLOCK_SIZE if file.seekable() else BLOCK_SIZE)
            threads = 0 if small else min(_MOST_THREADS, os.cpu_count() or 1)
        if file.seekable():
            file.seek(header.data_at)
        else:
            file.read(header.data_at)
        pieces = _whole_lines(file, header.path, free)
        if threads == 0:
            for buffer, end in pieces:
                yield _done(buffer, end, line)
                line += _lines(buffer, end)
                free.append(buffer)
            return
        _keep_freed_memory()
        with ThreadPoolExecutor(threads) as pool:
            running: deque[tuple[Future[T], bytearray]] = deque()
            for buffer, end in pieces:
                running.append((pool.submit(_done, buffer, end, line), buffer))
                line += _lines(buffer, end)
                if len(running) > threads:
                    yield _next(running, free)
            while running:
                yield _next(running, free)


def _keep_freed_memory() -> None:
    """Let the C library keep the memory of the arrays of one block for those of the next.

    glibc returns freed blocks above a limit to the system, which then clears each page again: a third of the time
    here. The limit follows the largest block freed so far, up to 32 MB. Elsewhere this does nothing.
    """
    bytearray(31 << 20)


def _next(running: deque[tuple[Future[T], bytearray]], free: list[bytearray]) -> T:
    future, buffer = running.popleft()
    result = future.result()
    free.append(buffer)
    return result


def _lines(buffer: bytearray, end: int) -> int:
    view = np.frombuffer(buffer, np.uint8, end - FRONT, FRONT)
    return sum(int(np.count_nonzero(view[at : at + _CHUNK] == 0x0A)) for at in range(0, len(view), _CHUNK))
