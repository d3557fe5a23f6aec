"""Files of tools, and run records, as runs.

>>> from tco.readers import read
>>> runs = read("power.node01.csv")  # doctest: +SKIP

A format is a reader: an object with ``name``, ``title``, ``boundary``, ``sniff`` and ``read`` (see `Reader`),
declared as an entry point of the group ``tco.readers``. Importing this module loads none of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tco.readers.base import Reader, ReadOptions, TraceReader

if TYPE_CHECKING:
    from tco.records.run import Run

__all__ = ["ReadOptions", "Reader", "TraceReader", "load_run", "read"]


def read(path: str | Path, *, as_: str | None = None, options: ReadOptions | None = None) -> list[Run]:
    """The runs that a file holds.

    Parameters
    ----------
    path
        A run record (JSON or TOML), a file that a reader knows, or a folder of a benchmark that one knows.
    as_
        Name of the reader, or ``run``; by default the one that is surest of the file.
    options
        How to read it.

    Raises
    ------
    ReadError
        If no reader knows the file, or if it is not what it claims to be.
    """
    from tco.errors import ReadError
    from tco.readers import plugins, record, sanity
    from tco.records.run import Warning_

    path, options = Path(path), options or ReadOptions()
    if not path.exists():
        raise ReadError(f"{path}: no such file")
    if as_ == "run" or (as_ is None and record.is_run_record(path)):
        if options.devices is not None or options.boundary is not None:
            raise ReadError(
                f"{path}: is a run record, which says itself what was measured and where; edit it, instead of "
                "--devices or --boundary"
            )
        return [sanity.checked(record.load_run(path, options))]
    found = plugins.most_confident(path) if as_ is None else plugins.by_name(as_)
    if found is None:
        if path.is_dir():
            raise ReadError(
                f"{path}: is a folder, not a file; of folders, only those of MLPerf results are read "
                "(run_1/spl.txt, or result_*.txt with power/)"
            )
        if path.suffix.lower() in record.SUFFIXES:
            return [record.load_run(path, options)]  # says what is wrong with it as a record
        raise ReadError(
            f"{path}: no reader knows this file; formats: run (a record, .json or .toml), {plugins.looked_for()}; of "
            "any other CSV file say what its columns hold: --as csv --column time=t --column 'power:gpu0[W]=P'"
        )
    runs = [sanity.checked(run) for run in _read_by(found.reader, path, options)]
    faults = tuple(Warning_(code="reader-failed", message=fault) for fault in found.faults)
    return [run.model_copy(update={"warnings": run.warnings + faults}) for run in runs] if faults else runs


def _read_by(reader: Reader, path: Path, options: ReadOptions) -> list[Run]:
    """What a reader reads; whatever else it raises becomes an error that says whose fault it is."""
    from tco.errors import ReadError, TcoError

    try:
        return reader.read(path, options)
    except (TcoError, OSError):
        raise
    except Exception as error:  # a stranger's reader may raise anything
        kind = type(error).__name__
        raise ReadError(
            f"{path}: the reader '{reader.name}' failed on it ({kind}: {error}); that is a fault of the reader, not of "
            "the file"
        ) from error


def load_run(path: str | Path, options: ReadOptions | None = None) -> Run:
    """Read a run record and integrate the power traces that it names.

    Parameters
    ----------
    path
        JSON or TOML file; traces are found relative to it.
    options
        How to read the traces, where the record does not say.

    Returns
    -------
    Run
        As recorded, with an energy added for each power reading that has a trace.
    """
    from tco.readers import record

    return record.load_run(Path(path), options or ReadOptions())
