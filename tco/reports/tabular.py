"""An estimate as CSV, one row a line, numbers at full precision."""

from __future__ import annotations

import csv
import io

from tco.estimation.result import Estimate

_COLUMNS = ("line", "value", "unit", "low", "high", "label", "method", "basis", "boundary", "stage", "scope")


def as_text_cell(text: str) -> str:
    """Text that a spreadsheet shows as text and never runs as a formula."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def to_csv(estimate: Estimate) -> str:
    """The lines of an estimate as CSV with a header."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for name, line in estimate.lines.items():
        facts = [
            as_text_cell(str(line.facts.get(key, ""))) for key in ("method", "basis", "boundary", "stage", "scope")
        ]
        row = [name, repr(line.value), line.unit, repr(line.low), repr(line.high), as_text_cell(line.label), *facts]
        writer.writerow(row)
    return buffer.getvalue()
