"""The plain form of a series: UTC starts and ends, one value, and above them what it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tco.files import write_atomically
from tco.grid_intensity.series import Series, stamp

MARK = "# tco.grid-series/1"
COLUMNS = "start_utc,end_utc,gco2e_per_kwh"
#: Facts that travel in the head of the file.
FACTS = ("title", "release", "licence", "region", "basis", "scope", "kind", "gas", "retrieved")


def write_series(series: Series, path: Path) -> None:
    """Write a series in the plain form; steps without a value stay as empty cells, gaps stay gaps."""
    write_atomically(path, to_text(series))


def to_text(series: Series) -> str:
    """A series in the plain form, as text."""
    about = series.about
    head = [MARK]
    for name in FACTS:
        value = getattr(about, name)
        if value is not None:
            head.append(f"# {name} = {_quoted(value)}")
    if about.file:
        head.append(f"# from = {_quoted(Path(about.file).name)}")
    if about.sha256:
        head.append(f"# from_sha256 = {_quoted(about.sha256)}")
    head += [f"# note = {_quoted(note)}" for note in about.notes]
    rows = [
        f"{stamp(start)},{stamp(end)},{'' if np.isnan(value) else repr(value)}"
        for start, end, value in zip(series.start_s.tolist(), series.end_s.tolist(), series.value.tolist(), strict=True)
    ]
    return "\n".join([*head, COLUMNS, *rows]) + "\n"


def _quoted(text: str) -> str:
    return '"' + " ".join(str(text).split()).replace("\\", "\\\\").replace('"', '\\"') + '"'
