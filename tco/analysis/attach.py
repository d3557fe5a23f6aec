"""Samples attached to the data of an estimate: additions to ``tco.estimate/1`` and to its CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from tco.analysis.sampling import Sampled
from tco.estimation.result import Estimate

_COLUMNS = ("mean", "deviation", "p5", "p50", "p95")


def with_samples(data: dict[str, Any], sampled: Sampled) -> dict[str, Any]:
    """The data of an estimate, with ``sampled`` in each line and ``sampling`` beside them."""
    lines: dict[str, Any] = {
        name: {**line, "sampled": sampled.lines[name].to_dict()} if name in sampled.lines else line
        for name, line in data["lines"].items()
    }
    return {**data, "lines": lines, "sampling": sampled.to_dict()}


def json_with_samples(estimate: Estimate, sampled: Sampled) -> str:
    """The estimate as JSON text, numbers at full precision."""
    data = with_samples(estimate.to_dict(), sampled)
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def csv_with_samples(text: str, estimate: Estimate, sampled: Sampled) -> str:
    """The CSV of an estimate, with mean, deviation and percentiles behind its range."""
    rows = list(csv.reader(io.StringIO(text)))
    at = rows[0].index("high") + 1
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*rows[0][:at], *_COLUMNS, *rows[0][at:]])
    for row in rows[1:]:
        spread = sampled.lines.get(row[0]) if row[0] in estimate else None
        cells = ["" if spread is None else repr(getattr(spread, column)) for column in _COLUMNS]
        writer.writerow([*row[:at], *cells, *row[at:]])
    return buffer.getvalue()
