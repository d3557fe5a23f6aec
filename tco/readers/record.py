"""A run record: whether a file is one, and reading it with the power traces that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tco.errors import TcoError
from tco.readers.base import ReadOptions
from tco.records.base import load, read_data
from tco.records.run import Run

SUFFIXES = (".json", ".toml")
#: No record is larger; what is, is a trace or a bill, and not read whole only to look at it.
_LARGEST = 8 << 20


def is_run_record(path: Path) -> bool:
    """Whether a file says that it is a run record, or has no fields but those of one."""
    if path.suffix.lower() not in SUFFIXES or not path.is_file() or path.stat().st_size > _LARGEST:
        return False
    try:
        data: Any = read_data(path)
    except TcoError:
        return False
    if not isinstance(data, dict):
        return False
    schema = data.get("schema")
    if isinstance(schema, str):
        return schema.startswith("tco.run/")
    known = {field.alias or name for name, field in Run.model_fields.items()}
    return bool(data) and set(data) <= known | set(Run.also_known_as)


def load_run(path: Path, options: ReadOptions) -> Run:
    """Read a run record and integrate the power traces that it names; see `tco.readers.load_run`."""
    run = load(Run, path)
    if all(reading.trace is None for reading in run.power):
        return run
    from tco.readers.named_traces import with_traces  # not needed by the many records that name none

    return with_traces(path, run, options)
