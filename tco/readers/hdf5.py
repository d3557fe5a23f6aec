"""HDF5 files, read with h5py, which is asked for only here (``pip install 'tco-carbon[hdf5]'``).

Nothing in a file is unpickled: what pandas stores as Python objects is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tco.errors import ReadError

MAGIC = b"\x89HDF\r\n\x1a\n"
#: A table that is read whole; 10 million samples of 12 devices.
_MOST_VALUES = 120_000_000


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """An HDF5 file that is open for reading.

    Raises
    ------
    ReadError
        If h5py is not installed, or the file is damaged, also where that shows only later.
    """
    try:
        import h5py  # type: ignore[import-untyped]
    except ImportError:
        raise ReadError(
            f"{path}: is an HDF5 file, which needs h5py: pip install 'tco-carbon[hdf5]' (or write CSV with the tool)"
        ) from None
    try:
        with h5py.File(path, "r") as file:
            yield file
    except ReadError:
        raise
    except (OSError, KeyError, ValueError, RuntimeError, TypeError, AttributeError, OverflowError) as error:
        raise ReadError(f"{path}: is damaged, or not the HDF5 file that it seems to be: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def array(data: Any, where: str) -> NDArray[np.float64]:
    """The numbers of a dataset.

    Raises
    ------
    ReadError
        If it holds something else, or more than fits.
    """
    if not hasattr(data, "shape") or data.dtype.kind not in "fiu":
        raise ReadError(f"{where}: holds no numbers")
    if data.size > _MOST_VALUES:
        raise ReadError(
            f"{where}: has {data.size:,} values, {_MOST_VALUES:,} at most are read; write CSV with the tool"
        )
    return np.asarray(data[()], np.float64)


def texts(data: Any, where: str) -> list[str]:
    """The texts of a dataset.

    Raises
    ------
    ReadError
        If it holds something else.
    """
    if not hasattr(data, "shape") or data.dtype.kind != "S" or data.size > _MOST_VALUES // 100:
        raise ReadError(f"{where}: holds no texts of fixed length")
    try:
        return [bytes(text).decode() for text in data[()]]
    except UnicodeDecodeError:
        raise ReadError(f"{where}: is not UTF-8 text") from None


def frame(path: Path, key: str) -> dict[str, NDArray[np.float64]]:
    """The columns of a table, or the values of a series, that pandas stored under a key in its fixed form.

    Returns
    -------
    dict
        For a table its columns; for a series one array of length 1 for each label.
    """
    with opened(path) as file:
        where = f"{path}: key '{key}'"
        kind, group = _stored_kind(file, key)
        if kind == "series":
            labels, numbers = texts(group.get("index"), f"{where}, index"), array(group.get("values"), where)
            if len(labels) != len(numbers) or numbers.ndim != 1:
                raise ReadError(f"{where}: has {len(labels)} labels and {len(numbers)} values")
            return {label: numbers[at : at + 1] for at, label in enumerate(labels)}
        if kind != "frame":
            found = ", ".join(f"'{name}'" for name in list(file)[:8]) or "none"
            raise ReadError(f"{where}: is no table that pandas stored in its fixed form (keys in the file: {found})")
        columns: dict[str, NDArray[np.float64]] = {}
        for number in range(int(group.attrs.get("nblocks", 0))):
            names = texts(group.get(f"block{number}_items"), f"{where}, block {number}")
            numbers = array(group.get(f"block{number}_values"), f"{where}, block {number}")
            if numbers.ndim != 2 or numbers.shape[1] != len(names):
                raise ReadError(f"{where}, block {number}: has {len(names)} names for {numbers.shape} values")
            columns |= {name: np.ascontiguousarray(numbers[:, at]) for at, name in enumerate(names)}
        order = texts(group.get("axis0"), f"{where}, columns")
        if sorted(order) != sorted(columns) or len({len(values) for values in columns.values()}) > 1:
            raise ReadError(f"{where}: its columns do not fit together")
        return {name: columns[name] for name in order}


def _stored_kind(file: Any, key: str) -> tuple[str | None, Any]:
    """What pandas stored under a key, and the group that holds it."""
    group = file.get(key)
    return (None if group is None else _text(group.attrs.get("pandas_type"))), group


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)
