"""Files that are read whole: text and JSON of a size that memory holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tco.errors import ReadError
from tco.readers.blocks import open_file

#: Text, numbers and what is made of them stay below 1 GB.
MOST_BYTES = 128 << 20
#: JSON that becomes Python objects all at once takes some ten times its size.
MOST_BYTES_OF_OBJECTS = 32 << 20


def text_of(path: Path, hint: str = "cut it, or log less often", most: int = MOST_BYTES) -> str:
    """The text of a file.

    Parameters
    ----------
    path
        The file.
    hint
        What to do where it is too large.
    most
        How large it may be.

    Raises
    ------
    ReadError
        If it is larger, empty, or not UTF-8 text.
    """
    with open_file(path) as file:
        raw = bytearray()
        while piece := file.read(1 << 20):
            raw += piece
            if len(raw) > most:
                raise ReadError(f"{path}: holds more than {most >> 20} MiB, too much for this format; {hint}")
    if not raw.strip():
        raise ReadError(f"{path}: is empty")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ReadError(f"{path}: is UTF-16 text, as PowerShell writes it with '>'; save it as UTF-8")
    nul = raw.find(0)
    if nul >= 0:
        line = raw.count(b"\n", 0, nul) + 1
        raise ReadError(f"{path}:{line}: holds a zero byte; the file is damaged or is not text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ReadError(f"{path}:{line}: is not UTF-8 text") from None


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers."""
    at, number = 0, 1
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop]
        if line.strip():
            yield number, line.rstrip("\r")
        at, number = stop + 1, number + 1


def json_of(path: Path, text: str) -> Any:
    """What JSON text holds.

    Raises
    ------
    ReadError
        Naming the line where it is not JSON.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut = "the file was cut off" if error.pos >= len(text.rstrip()) else error.msg
        raise ReadError(f"{path}:{error.lineno}: is not JSON: {cut}") from None
    except (RecursionError, ValueError) as error:
        what = "is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ReadError(f"{path}: is not JSON that can be read: {what}") from None


def json_values(path: Path, text: str, at: int = 0, *, in_list: bool = False) -> Iterator[Any]:
    """JSON values that stand one after the other, with or without commas and newlines between them.

    Parameters
    ----------
    path, text
        The file, and what it holds.
    at
        Where the first of them begins.
    in_list
        Whether they are those of a list, which has to end.

    Raises
    ------
    ReadError
        Naming the line where one cannot be read.
    """
    decoder = json.JSONDecoder()
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) and in_list:
            raise ReadError(f"{path}: is not JSON: the file was cut off")
        if at >= len(text) or (in_list and text[at] == "]"):
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            line = text.count("\n", 0, error.pos) + 1
            cut = "the file was cut off" if error.pos >= len(text.rstrip()) else error.msg
            raise ReadError(f"{path}:{line}: is not JSON: {cut}") from None
        except (RecursionError, ValueError) as error:
            what = "is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise ReadError(f"{path}: is not JSON that can be read: {what}") from None
        yield value
