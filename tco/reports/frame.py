"""An estimate as a data frame, and as a Parquet file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from tco.estimation.result import Estimate

if TYPE_CHECKING:
    import pandas as pd

#: What a line says of itself, each with a column.
FACTS = ("method", "basis", "boundary", "phase", "stage", "scope", "currency", "price_year")


def to_frame(estimate: Estimate) -> pd.DataFrame:
    """The lines of an estimate, one row each, by name; numbers in the unit beside them."""
    import pandas as pd

    rows = [
        {
            "line": name,
            "value": line.value,
            "unit": line.unit,
            "low": line.low,
            "high": line.high,
            "label": line.label,
            **{fact: None if line.facts.get(fact) is None else str(line.facts[fact]) for fact in FACTS},
        }
        for name, line in estimate.lines.items()
    ]
    columns = ["line", "value", "unit", "low", "high", "label", *FACTS]
    return pd.DataFrame(rows, columns=columns).set_index("line")


def to_parquet(estimate: Estimate) -> bytes:
    """The lines of an estimate as a Parquet file (extra: parquet)."""
    from tco.analysis.extras import load, parquet

    pa = load("pyarrow", "parquet", "a Parquet file")
    frame = to_frame(estimate).reset_index()
    numbers = ("value", "low", "high")
    fields = [pa.field(name, pa.float64() if name in numbers else pa.string()) for name in frame.columns]
    arrays = [pa.array(frame[field.name].tolist(), type=field.type, from_pandas=True) for field in fields]
    buffer = io.BytesIO()
    parquet().write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), buffer)
    return buffer.getvalue()
