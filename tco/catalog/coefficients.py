"""Coefficients of embodied carbon: tables by key (process node, technology, kind of part), and single figures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tco.catalog.tables import table
from tco.errors import RecordError, did_you_mean
from tco.provenance import Basis, Source
from tco.records.base import Record, validate
from tco.records.figure import EmbodiedBoundary, Figure, Phase

_FOLDER = "embodied"


class Coefficients(Record):
    """A table of coefficients of one kind, all of one source.

    Attributes
    ----------
    unit, basis, boundary, phase, method, note, source
        As in `tco.records.figure.Figure`, for every row.
    rows
        Value by key.
    default
        Key of the row that is taken where nobody names one, in the tables that have such a row.
    """

    unit: str
    basis: Basis
    boundary: EmbodiedBoundary | None = None
    phase: Phase | None = None
    method: str | None = None
    note: str | None = None
    default: str | None = None
    source: Source
    rows: Mapping[str, float]

    def figure(
        self, key: str, *, low: float | None = None, high: float | None = None, note: str | None = None
    ) -> Figure:
        """One row as a figure, with a range where one is given."""
        source = self.source.model_copy(update={"where": f"{self.source.where}: {key}"})
        return Figure(
            value=self.rows[key],
            unit=self.unit,
            low=low,
            high=high,
            basis=self.basis,
            boundary=self.boundary,
            phase=self.phase,
            method=self.method,
            note=note or self.note,
            source=source,
        )


def _entry(file: str, name: str) -> tuple[str, object]:
    path = f"catalog/{_FOLDER}/{file}.toml"
    entries = table(_FOLDER, f"{file}.toml")
    if name not in entries:
        raise RecordError(f"{path}: there is no '{name}'{did_you_mean(name, entries)} (known: {', '.join(entries)})")
    return f"{path}: {name}", entries[name]


@lru_cache(maxsize=128)
def coefficients(file: str, name: str) -> Coefficients:
    """A table of the file ``catalog/embodied/<file>.toml``."""
    place, entry = _entry(file, name)
    return validate(Coefficients, entry, place)


@lru_cache(maxsize=1024)
def coefficient(file: str, name: str, key: str | None = None) -> Figure:
    """A single figure of the file, or with `key` a row of a table.

    Raises
    ------
    RecordError
        If there is none; the message lists those there are.
    """
    if key is None:
        place, entry = _entry(file, name)
        return validate(Figure, entry, place)
    rows = coefficients(file, name)
    if key not in rows.rows:
        known = ", ".join(rows.rows)
        raise RecordError(
            f"catalog/{_FOLDER}/{file}.toml: {name}: there is no '{key}'{did_you_mean(key, rows.rows)} (known: {known})"
        )
    return rows.figure(key)
