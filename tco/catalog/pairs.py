"""Pairs (predicted, measured): data files with their provenance, and sets of points chosen from them."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field, model_validator

from tco.catalog.validations import EvidenceClass, Mode, Quantity
from tco.errors import ReadError, did_you_mean
from tco.records.base import Record

if TYPE_CHECKING:
    from tco.catalog.metrics import Array

#: Columns with a meaning of their own; others may be used in conditions.
KNOWN_COLUMNS = (
    "pair_id",
    "predicted",
    "measured",
    "unit",
    "quantity",
    "better",
    "workload",
    "mode",
    "config",
    "hardware",
    "devices",
    "nodes",
    "batch",
    "in_training_distribution",
)
#: Read out of the words of the column ``config`` where there is no column of that name.
_IN_CONFIG = {
    "batch": re.compile(r"(?<![a-z])batch (\d+)"),
    "tp": re.compile(r"\bTP(\d+)"),
    "pp": re.compile(r"\bPP(\d+)"),
    "dp": re.compile(r"\bDP(\d+)"),
}


class Prediction(Record):
    """One predictor's column in a file of pairs: a set.

    Attributes
    ----------
    set
        Id of the set.
    column, tool, predictor
        Its column, the record of the tool where it has one, and its name in words.
    version, how
        Of the tool, and how the predictions came about.
    evidence, evidence_note
        What the predictor had seen of the target.
    same_as
        Id of a set of the same predictions and measurements in another file.
    """

    set: str
    column: str = "predicted"
    tool: str | None = None
    predictor: str
    version: str | None = None
    how: str | None = None
    evidence: EvidenceClass | None = None
    evidence_note: str | None = None
    same_as: str | None = None


class PairFile(Record):
    """A data file of pairs, and where its numbers come from.

    Attributes
    ----------
    file, sha256, rows
        Name of the CSV file beside the record, its hash and its number of rows.
    data
        Id of the measurements, shared by all predictors that are compared with them.
    unit, quantity
        Of both sides; by kind.
    constants
        Columns that have one value in all rows.
    measured, source, licence
        How it was measured, where it was read, and the terms.
    """

    file: str
    sha256: str
    rows: int = Field(gt=0)
    data: str
    unit: str
    quantity: Quantity
    reference_is: Literal["hardware", "simulation", "estimate"] = "hardware"
    modes: tuple[Mode, ...]
    constants: Mapping[str, str] = Field(default_factory=dict)
    measured: str
    source: str
    licence: str
    predictions: tuple[Prediction, ...] = Field(min_length=1)
    note: str | None = None

    @model_validator(mode="after")
    def _sets_differ(self) -> PairFile:
        for what in ("set", "column"):
            names = [getattr(prediction, what) for prediction in self.predictions]
            if len(set(names)) < len(names):
                raise ValueError(f"two predictions have the same {what}")
        return self


@dataclass(frozen=True)
class Pairs:
    """Points of one predictor: both sides in one unit, and the other columns as text.

    Attributes
    ----------
    skipped
        Points that the predictor gave no answer for, not among these.
    """

    where: str
    unit: str
    predicted: tuple[float, ...]
    measured: tuple[float, ...]
    columns: tuple[Mapping[str, str], ...]
    skipped: int = 0

    def __len__(self) -> int:
        return len(self.predicted)

    @property
    def arrays(self) -> tuple[Array, Array]:
        """Predicted and measured as arrays."""
        import numpy as np

        return np.array(self.predicted), np.array(self.measured)

    def values(self, column: str) -> tuple[str, ...]:
        """The different texts of a column, in order of appearance."""
        return tuple(dict.fromkeys(text for row in self.columns if (text := cell(row, column))))

    def numbers(self, column: str) -> tuple[float, ...]:
        """The numbers of a column; empty where a row has none."""
        try:
            return tuple(float(cell(row, column)) for row in self.columns)
        except ValueError:
            return ()


def cell(row: Mapping[str, str], column: str) -> str:
    """Text of a column; tp, pp, dp and batch are found in the words of ``config`` too."""
    if column in row:
        return row[column]
    if column in _IN_CONFIG and (found := _IN_CONFIG[column].search(row.get("config", ""))):
        return found[1]
    return ""


class PairSet(NamedTuple):
    """A set of pairs that the catalogue holds; `where` is the file of its record."""

    id: str
    file: PairFile
    prediction: Prediction
    folder: Traversable
    where: str

    def load(self) -> Pairs:
        """Its points.

        Raises
        ------
        ReadError
            If the file is missing, changed, or not as its record says.
        """
        place = self.folder / self.file.file
        try:
            content = place.read_bytes()
        except OSError:
            raise ReadError(f"{self.where}: file: there is no '{self.file.file}' beside it") from None
        found = hashlib.sha256(content).hexdigest()
        if found != self.file.sha256:
            raise ReadError(
                f"{self.where}: sha256: '{self.file.file}' has {found}, not {self.file.sha256}; "
                "state the new hash if the file was changed on purpose"
            )
        pairs = read_pairs(
            content.decode("utf-8"),
            self.file.file,
            predicted=self.prediction.column,
            unit=self.file.unit,
            constants=self.file.constants,
        )
        if len(pairs) + pairs.skipped != self.file.rows:
            count = len(pairs) + pairs.skipped
            raise ReadError(f"{self.where}: rows: '{self.file.file}' has {count} rows, not {self.file.rows}")
        return pairs


def _number(text: str, place: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ReadError(f"{place}: {what}: '{text}' is not a number; write for instance 1.42") from None
    if not math.isfinite(value) or value <= 0:
        raise ReadError(f"{place}: {what}: {text} is not above zero; errors are relative, so it must be")
    return value


def read_pairs(
    text: str,
    where: str,
    *,
    predicted: str = "predicted",
    measured: str = "measured",
    unit: str | None = None,
    constants: Mapping[str, str] | None = None,
) -> Pairs:
    """Pairs from the text of a CSV file with a header.

    Parameters
    ----------
    text, where
        The content, and the name of the file for messages.
    predicted, measured
        Names of the two columns. An empty prediction is one that the tool could not make; it is counted, not scored.
    unit
        Of both, where there is no column ``unit``.
    constants
        Values of columns that the file leaves out.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = list(reader.fieldnames or ())
        for column in (predicted, measured):
            if column not in names:
                hint = did_you_mean(column, names)
                raise ReadError(
                    f"{where}: has no column '{column}'{hint or '.'} Its columns: {', '.join(names) or 'none'}"
                )
        points: list[tuple[float, float, Mapping[str, str]]] = []
        skipped, units = 0, set()
        for row in reader:
            place = f"{where}:{reader.line_num}"
            if None in row or None in row.values():
                raise ReadError(f"{place}: does not have the {len(names)} cells of the header; quote text with commas")
            cells = {name: value.strip() for name, value in row.items()}
            truth = _number(cells[measured], place, measured)
            units.add(cells.get("unit", ""))
            if not cells[predicted]:
                skipped += 1
                continue
            points.append((_number(cells[predicted], place, predicted), truth, {**(constants or {}), **cells}))
    except csv.Error as error:
        raise ReadError(f"{where}:{reader.line_num}: not readable as CSV: {error}") from None
    units.discard("")
    if len(units) > 1:
        raise ReadError(f"{where}: column 'unit': {', '.join(sorted(units))} in one file; score one unit at a time")
    if not points:
        raise ReadError(f"{where}: has no row with a prediction and a measurement")
    return Pairs(
        where,
        units.pop() if units else unit or "",
        tuple(p for p, _, _ in points),
        tuple(m for _, m, _ in points),
        tuple(columns for _, _, columns in points),
        skipped,
    )


def read_pairs_file(path: Path, *, predicted: str = "predicted", measured: str = "measured") -> Pairs:
    """Pairs from a CSV file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except IsADirectoryError:
        raise ReadError(f"{path}: is a folder, not a CSV file") from None
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror}") from None
    return read_pairs(text, str(path), predicted=predicted, measured=measured)


_CONDITION = re.compile(r"^\s*([A-Za-z_]+)\s*(\^=|<=|>=|!=|=|<|>)\s*(.+?)\s*$")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def _fits(row: Mapping[str, str], column: str, sign: str, wanted: str, condition: str) -> bool:
    found = cell(row, column)
    if sign == "=":
        return found == wanted
    if sign == "!=":
        return found != wanted
    if sign == "^=":
        return found.startswith(wanted)
    try:
        return bool(found) and _COMPARE[sign](float(found), float(wanted))
    except ValueError:
        raise ReadError(f"'{condition}': compares '{found}' with '{wanted}'; '{sign}' needs numbers") from None


def select(pairs: Pairs, conditions: Sequence[str]) -> Pairs:
    """The points that fit all conditions.

    Parameters
    ----------
    conditions
        ``COLUMN=TEXT``, ``COLUMN!=TEXT``, ``COLUMN^=START`` or ``COLUMN<=NUMBER`` (also ``<``, ``>``, ``>=``).
    """
    kept = list(zip(pairs.predicted, pairs.measured, pairs.columns, strict=True))
    for condition in conditions:
        found = _CONDITION.match(condition)
        if found is None:
            raise ReadError(
                f"'{condition}' is no condition; write for instance 'devices=8', 'tp<=8' or 'workload^=GPT'"
            )
        column, sign, wanted = found.groups()
        known = {name for row in pairs.columns for name in row} | {name for name in _IN_CONFIG if pairs.values(name)}
        if column not in known:
            raise ReadError(
                f"'{condition}': {pairs.where} has no column '{column}'{did_you_mean(column, known)} "
                f"Columns: {', '.join(sorted(known))}"
            )
        kept = [point for point in kept if _fits(point[2], column, sign, wanted, condition)]
        if not kept:
            have = ", ".join(pairs.values(column)[:8])
            raise ReadError(f"'{condition}': no point of {pairs.where} fits; '{column}' has for instance: {have}")
    return replace(
        pairs,
        predicted=tuple(point[0] for point in kept),
        measured=tuple(point[1] for point in kept),
        columns=tuple(point[2] for point in kept),
    )


def as_throughput(pairs: Pairs) -> Pairs:
    """The same points as work per time: the batch over each side."""
    batches = pairs.numbers("batch")
    if not batches or min(batches) <= 0:
        raise ReadError(f"{pairs.where}: throughput needs the batch of each point, in a column 'batch' or in 'config'")
    return replace(
        pairs,
        predicted=tuple(batch / p for batch, p in zip(batches, pairs.predicted, strict=True)),
        measured=tuple(batch / m for batch, m in zip(batches, pairs.measured, strict=True)),
        unit=f"1/{pairs.unit}" if pairs.unit else "",
    )
