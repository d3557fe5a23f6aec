"""The files of the knowledge folder ``grid_intensity``: their text, and the rows of its CSV tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from tco.knowledge import folder


def content(*path: str) -> bytes:
    """A file of the folder, as it is stored."""
    return folder("grid_intensity").joinpath(*path).read_bytes()


def rows(*path: str) -> Iterator[list[str]]:
    """The rows of a CSV table without its header; nothing is converted, so ``NA`` stays Namibia."""
    table = csv.reader(io.StringIO(content(*path).decode("utf-8"), newline=""), strict=True)
    next(table)
    return table
