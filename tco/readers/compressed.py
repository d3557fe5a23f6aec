"""Files compressed with gzip or Zstandard, read as they are: a piece at a time, and no further than sense goes."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tco.errors import ReadError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SUFFIXES = (".gz", ".zst")
#: No log expands so much, since each line has a time stamp of its own; of the most regular ones, gzip makes a
#: thirtieth and Zstandard some thousandth.
MOST_EXPANSION = {"gzip": 400, "zstd": 4000}
#: A file that holds less may expand as it likes.
FREE_BYTES = 64 << 20
#: Bytes taken at a time: a bomb of Zstandard makes 32 KiB of each byte before anybody can look at it.
_PIECE = 1 << 10
_MOST_AT_ONCE = 1 << 20


def kind_of(head: bytes) -> str | None:
    """Whether a file that begins so is compressed: ``gzip``, ``zstd`` or None."""
    return "gzip" if head.startswith(GZIP) else "zstd" if head.startswith(ZSTD) else None


def plain_name(path: Path) -> str:
    """The name of the file without the suffix of its compression."""
    return path.stem if path.suffix.lower() in SUFFIXES else path.name


def expanded(path: Path, raw: BinaryIO, kind: str) -> io.BufferedReader:
    """What a compressed file holds.

    Parameters
    ----------
    path
        The file, for messages.
    raw
        It, at its beginning; closed with the result.
    kind
        As `kind_of` gives it.

    Raises
    ------
    ReadError
        If the package for it is not installed; later, on reading, if the file is damaged, cut off, or a bomb.
    """
    pieces = _gzip(raw) if kind == "gzip" else _zstd(path, raw)
    return io.BufferedReader(_Expanded(path, raw, pieces, MOST_EXPANSION[kind]), 1 << 16)


class _CutOffError(Exception):
    """The compressed data end in the middle."""


class _Expanded(io.RawIOBase):
    """The pieces as a file that is read forwards."""

    def __init__(self, path: Path, raw: BinaryIO, pieces: Iterator[bytes], most: int) -> None:
        self._path, self._raw, self._pieces, self._most = path, raw, pieces, most
        self._left = memoryview(b"")
        self._total = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes, as many as there are at once."""
        if not self._left:
            self._left = memoryview(self._next())
            self._total += len(self._left)
            if self._total > FREE_BYTES and self._total > self._most * self._raw.tell():
                raise ReadError(
                    f"{self._path}: expands to more than {self._most} times its size, which no log does; if it "
                    "is what you mean to read, decompress it yourself"
                )
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def _next(self) -> bytes:
        try:
            return next(self._pieces, b"")
        except (_CutOffError, EOFError):
            raise ReadError(f"{self._path}: was cut off: the compressed data end in the middle") from None
        except (zlib.error, OSError, ValueError) as error:
            raise ReadError(f"{self._path}: is damaged: {error}") from None

    def close(self) -> None:
        """Close the compressed file as well."""
        self._raw.close()
        super().close()


def _gzip(raw: BinaryIO) -> Iterator[bytes]:
    engine = zlib.decompressobj(wbits=31)
    at_start = True
    while data := raw.read(_PIECE):
        more = True
        while more:
            if at_start:
                data = data.lstrip(b"\0")  # padding after a member
                if not data:
                    break
                at_start = False
            piece = engine.decompress(data, _MOST_AT_ONCE)
            if piece:
                yield piece
            data, more = engine.unconsumed_tail, len(piece) == _MOST_AT_ONCE
            if engine.eof:
                data, engine, at_start = engine.unused_data, zlib.decompressobj(wbits=31), True
            more = more or bool(data)
    if not at_start:
        raise _CutOffError


def _zstd(path: Path, raw: BinaryIO) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise ReadError(
            f"{path}: is compressed with Zstandard; run 'pip install tco-carbon[zstd]', or 'zstd -d' on the file"
        ) from None
    frame = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    engine: Any = frame.decompressobj()
    at_start = True
    try:
        while data := raw.read(_PIECE):
            while data:
                at_start = False
                piece = engine.decompress(data)
                if piece:
                    yield piece
                data = b""
                if engine.eof:
                    data, engine, at_start = engine.unused_data, frame.decompressobj(), True
    except zstandard.ZstdError as error:
        raise ValueError(error) from None
    if not at_start:
        raise _CutOffError
