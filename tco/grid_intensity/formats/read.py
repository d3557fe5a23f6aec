"""Which kind of file a series is in, told by its first bytes and its shape."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tco.errors import ReadError
from tco.grid_intensity.formats.options import Reading
from tco.grid_intensity.series import Series, SeriesAbout


def read_series(path: str | Path, reading: Reading | None = None, *, zone: str | None = None) -> Series:
    """Read a series of grid intensity from a file.

    Parameters
    ----------
    path
        The plain form, a CSV table, a JSON answer of Electricity Maps, NESO, WattTime, EIA or eco2mix, or an XML
        document of ENTSO-E.
    reading
        What the file does not say itself.
    zone
        Short for a `Reading` with this time zone.

    Raises
    ------
    ReadError
        With file, line, what was found and what would be right.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ReadError(f"{path}: no such file") from None
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror}") from None
    return from_bytes(raw, str(path), reading or Reading(zone=zone))


def from_bytes(raw: bytes, where: str, reading: Reading) -> Series:
    """A series from the content of a file, or of an answer; `where` names it in messages."""
    about = SeriesAbout(title=Path(where).name, file=where, sha256=hashlib.sha256(raw).hexdigest())
    head = raw[:512].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head:
        raise ReadError(f"{where}: is empty")
    if head.startswith(b"<"):
        from tco.grid_intensity.formats.entsoe import read_document

        return read_document(raw, about, reading)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{where}: is not UTF-8 text (byte {error.start})") from None
    if head.startswith((b"{", b"[")):
        from tco.grid_intensity.formats.answers import read_answer

        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{where}: not valid JSON: {error}") from None
        return read_answer(data, about, reading)
    from tco.grid_intensity.formats.table import read_table

    return read_table(text.replace("\r\n", "\n"), about, reading)
