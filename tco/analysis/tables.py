"""Tables that grow chunk by chunk into CSV or Parquet files, whole or not at all."""

from __future__ import annotations

import csv
import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tco.analysis.columns import heading
from tco.analysis.extras import load, parquet
from tco.errors import TcoError

SUFFIXES = (".csv", ".parquet")


class TableWriter(Protocol):
    """Takes chunks of columns."""

    def write(self, chunk: Mapping[str, Any]) -> None:
        """Append a chunk: columns by name."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


class _Csv:
    def __init__(self, path: Path, columns: Mapping[str, str]) -> None:
        self._names = list(columns)
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow([heading(name, unit) for name, unit in columns.items()])

    def write(self, chunk: Mapping[str, Any]) -> None:
        """Append a chunk."""
        self._writer.writerows(rows_of(chunk, self._names))

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class _Parquet:
    def __init__(self, path: Path, columns: Mapping[str, str]) -> None:
        pa = load("pyarrow", "parquet", "a Parquet file")
        self._names = list(columns)
        fields = [
            pa.field(
                heading(name, unit), pa.float64() if unit else pa.string(), metadata={"unit": unit} if unit else None
            )
            for name, unit in columns.items()
        ]
        self._pa, self._schema = pa, pa.schema(fields)
        self._writer = parquet().ParquetWriter(path, self._schema)

    def write(self, chunk: Mapping[str, Any]) -> None:
        """Append a chunk as a row group."""
        arrays = [
            self._pa.array(chunk[name], type=field.type, from_pandas=True)
            for name, field in zip(self._names, self._schema, strict=True)
        ]
        self._writer.write_table(self._pa.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()


def rows_of(chunk: Mapping[str, Any], names: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    """Rows of a chunk for a CSV file: numbers at full precision, nothing where there is none."""
    columns = []
    for name in names:
        values = np.asarray(chunk[name]).tolist()
        columns.append(["" if isinstance(value, float) and math.isnan(value) else value for value in values])
    return zip(*columns, strict=True)


@contextmanager
def writing(path: Path, columns: Mapping[str, str]) -> Iterator[TableWriter]:
    """A table file to write chunks to; a reader sees all of it, or the file that was there before.

    Parameters
    ----------
    path
        ``.csv`` or ``.parquet``.
    columns
        Unit by name of each column; a column without a unit holds text.

    Raises
    ------
    TcoError
        If the suffix says no format.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TcoError(f"{path}: the suffix '{path.suffix}' says no format; use one of {', '.join(SUFFIXES)}")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        scratch = Path(folder) / f"part{suffix}"
        writer: TableWriter = _Csv(scratch, columns) if suffix == ".csv" else _Parquet(scratch, columns)
        try:
            yield writer
        finally:
            writer.close()
        scratch.replace(path)
