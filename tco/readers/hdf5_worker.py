"""Reads one HDF5 file in a process of its own, and writes what is in it to standard output; see `tco.readers.hdf5`."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import numpy as np

#: Address space of the process; a damaged file may ask for any size.
_MOST_MEMORY = 2 << 30
#: Values that are read of one dataset: 10 million samples of 6 devices.
_MOST_VALUES = 60_000_000
_MOST_TREE_VALUES = 5_000_000
#: Each node of a tree is two groups deep.
_DEEPEST = 24
_DAMAGED = (OSError, KeyError, ValueError, RuntimeError, TypeError, AttributeError, OverflowError, MemoryError)


class _RefusedError(Exception):
    """What the file holds is not what was asked for."""


def main(arguments: list[str]) -> int:
    """Read what was asked for.

    Parameters
    ----------
    arguments
        ``frame`` or ``tree``, the file, and the key of the frame.

    Returns
    -------
    int
        0, or 2 with a message on standard error.
    """
    what, path, key = arguments
    try:
        import h5py  # type: ignore[import-untyped]
    except ImportError:
        return _fail("is an HDF5 file, which needs h5py: pip install 'tco-carbon[hdf5]' (or write CSV with the tool)")
    _limit_memory()
    try:
        with h5py.File(path, "r") as file:
            content = _frame(file, key) if what == "frame" else json.dumps(_group(file, 0, [0])).encode()
    except _RefusedError as refused:
        return _fail(str(refused))
    except _DAMAGED as error:
        text = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        return _fail(f"is damaged, or not the HDF5 file that it seems to be: {text}")
    sys.stdout.buffer.write(content)
    return 0


def _fail(message: str) -> int:
    sys.stderr.write(message.replace("\n", " ") + "\n")
    return 2


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MOST_MEMORY if hard == resource.RLIM_INFINITY else min(_MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _numbers(data: Any, what: str) -> Any:
    if not hasattr(data, "shape") or data.dtype.kind not in "fiu":
        raise _RefusedError(f"{what} holds no numbers")
    if data.size > _MOST_VALUES:
        raise _RefusedError(
            f"{what} has {data.size:,} values, at most {_MOST_VALUES:,} are read; write CSV with the tool"
        )
    return np.asarray(data[()], np.float64)


def _texts(data: Any, what: str) -> list[str]:
    if not hasattr(data, "shape") or data.dtype.kind != "S" or data.size > _MOST_VALUES // 100:
        raise _RefusedError(f"{what} holds no texts of fixed length")
    try:
        return [bytes(text).decode() for text in data[()]]
    except UnicodeDecodeError:
        raise _RefusedError(f"{what} is not UTF-8 text") from None


def _frame(file: Any, key: str) -> bytes:
    """A table or a series in the fixed form of pandas, as columns."""
    kind = _plain(file[key].attrs.get("pandas_type")) if key in file else None
    group: Any = file[key] if kind else {}
    columns: dict[str, Any] = {}
    if kind == "series":
        labels, numbers = _texts(group.get("index"), "the index"), _numbers(group.get("values"), "the series")
        if numbers.shape != (len(labels),):
            raise _RefusedError(f"the series has {len(labels)} labels and {numbers.size} values")
        columns = {label: numbers[at : at + 1] for at, label in enumerate(labels)}
    elif kind == "frame":
        for number in range(min(int(group.attrs.get("nblocks", 0)), 64)):
            names = _texts(group.get(f"block{number}_items"), f"block {number}")
            numbers = _numbers(group.get(f"block{number}_values"), f"block {number}")
            if numbers.ndim != 2 or numbers.shape[1] != len(names):
                raise _RefusedError(f"block {number} has {len(names)} names for values of shape {numbers.shape}")
            columns |= {name: np.ascontiguousarray(numbers[:, at]) for at, name in enumerate(names)}
        order = _texts(group.get("axis0"), "the list of columns")
        if sorted(order) != sorted(columns) or len({len(values) for values in columns.values()}) > 1:
            raise _RefusedError("the columns do not fit together")
        columns = {name: columns[name] for name in order}
    else:
        found = ", ".join(f"'{name}'" for name in list(file)[:8]) or "none"
        raise _RefusedError(
            f"key '{key}': is no table that pandas stored in its fixed form (keys in the file: {found})"
        )
    buffer = io.BytesIO()
    names_json = np.array(json.dumps(list(columns)))
    np.savez(buffer, names=names_json, **{f"column{at}": values for at, values in enumerate(columns.values())})
    return buffer.getvalue()


def _group(group: Any, depth: int, read: list[int]) -> dict[str, Any]:
    """A group as plain data; ``read`` counts the values so far."""
    if depth > _DEEPEST:
        raise _RefusedError("is nested too deeply for the result of a tool")
    groups: dict[str, Any] = {}
    datasets: dict[str, Any] = {}
    for name in group:
        item = group[name]
        if hasattr(item, "shape"):
            if item.dtype.kind not in "fiu":
                continue
            read[0] += item.size
            if read[0] > _MOST_TREE_VALUES:
                raise _RefusedError(f"has more than {_MOST_TREE_VALUES:,} values; export CSV with the tool")
            datasets[name] = {"attrs": _attributes(item), "values": _numbers(item, name).ravel().tolist()}
        else:
            groups[name] = _group(item, depth + 1, read)
    return {"attrs": _attributes(group), "groups": groups, "datasets": datasets}


def _attributes(item: Any) -> dict[str, Any]:
    return {name: _plain(item.attrs[name]) for name in item.attrs}


def _plain(value: Any) -> Any:
    """An attribute as a number or a text; None for anything else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        value = value.item()
        return _plain(value) if isinstance(value, bytes) else value
    return value if isinstance(value, str | int | float) else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
