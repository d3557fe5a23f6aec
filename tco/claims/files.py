"""Claims from files: TOML or JSON with one claim or many, or a table with a claim in each row."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tco.claims.record import SUM, Claim, ClaimFile
from tco.claims.vocabulary import VOCABULARY
from tco.errors import ReadError, RecordError, UnitError, did_you_mean
from tco.records.base import read_data, validate
from tco.units import split_number

_RECORDS = (".toml", ".json")
#: Columns of a table that are words and not numbers.
_WORDS = ("id", "title", "about", "device", "region", "note")
_HEAD = re.compile(r"\s*([^\[\]]+?)\s*(?:\[([^\[\]]*)\])?\s*")
_RESULT = re.compile(r"(energy|carbon|cost|water)\.[a-z_.]+|power\.mean")


def is_claim_file(path: Path) -> bool:
    """Whether a file holds claims, by its keys or by the head of its table; a run record does not."""
    suffix = path.suffix.lower()
    if suffix in _RECORDS:
        try:
            data = read_data(path)
        except RecordError:
            return False
        return isinstance(data, Mapping) and (
            str(data.get("schema", "")).startswith("tco.claim/")
            or "claims" in data
            or ("results" in data and "inputs" in data)
        )
    if suffix != ".csv":
        return False
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return False
    names = [match.group(1) for cell in head if (match := _HEAD.fullmatch(cell))]
    return any(map(_RESULT.fullmatch, names)) and any(name in VOCABULARY for name in names)


def read_claims(path: str | Path) -> tuple[Claim, ...]:
    """The claims of a file.

    Parameters
    ----------
    path
        TOML or JSON: one claim (``inputs``, ``results``), or many (``[[claims]]``); CSV: a claim in each row, columns
        named by inputs, ``also.`` inputs and results, with the unit in brackets: ``device_hours [h]``.

    Raises
    ------
    TcoError
        Naming file, line and field, what was found and what would be right.
    """
    path = Path(path)
    if path.suffix.lower() == ".csv":
        return _of_table(path)
    data = read_data(path)
    if not isinstance(data, Mapping):
        raise ReadError(f"{path}: a claim is a table of fields; write 'inputs' and 'results'")
    if "claims" not in data:
        one = {key: item for key, item in data.items() if key != "schema"}
        one.setdefault("id", re.sub(r"[^\w.-]+", "-", path.stem) or "claim")
        return (validate(Claim, one, str(path)),)
    return validate(ClaimFile, data, str(path)).all()


def _of_table(path: Path) -> tuple[Claim, ...]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = list(csv.reader(file, strict=True))
    except FileNotFoundError:
        raise ReadError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except csv.Error as error:
        raise ReadError(f"{path}: not a valid CSV file: {error}") from None
    if not table:
        raise ReadError(f"{path}: is empty; the first line names the columns: id, device_hours [h], ...")
    columns = [_column(path, cell) for cell in table[0]]
    claims = []
    for line, row in enumerate(table[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(columns):
            raise ReadError(f"{path}:{line}: {len(row)} fields, {len(columns)} expected")
        claims.append(validate(Claim, _row(columns, row, line), f"{path}:{line}"))
    if not claims:
        raise ReadError(f"{path}: has no rows")
    return tuple(claims)


def _column(path: Path, cell: str) -> tuple[str, str, str]:
    """Where a column goes (a field, ``inputs``, ``also``, ``results``), its name there, and its unit."""
    match = _HEAD.fullmatch(cell)
    name, unit = (match.group(1), (match.group(2) or "").strip()) if match else (cell.strip(), "")
    if name in _WORDS or name == "year":
        return "", name, ""
    if name.startswith("also."):
        return "also", name.removeprefix("also."), unit
    if name in VOCABULARY:
        return "inputs", name, unit
    if name == SUM or _RESULT.fullmatch(name):
        return "results", name, unit
    if "." in name:
        return "inputs", name, unit
    known = (*_WORDS, "year", *VOCABULARY, SUM)
    hint = did_you_mean(name, known)
    raise ReadError(
        f"{path}:1: column '{name}' is not known{hint} (inputs: {', '.join(VOCABULARY)}; results: lines of an "
        "estimate such as carbon.operational; words: " + ", ".join(_WORDS) + ")"
    )


def _has_no_unit(text: str) -> bool:
    """Whether a cell leaves its unit to the head of its column; what is no number is left to the record to refuse."""
    try:
        return not split_number(text, "kWh")[1]
    except UnitError:
        return True


def _row(columns: list[tuple[str, str, str]], row: list[str], line: int) -> dict[str, Any]:
    claim: dict[str, Any] = {"inputs": {}, "also": {}, "results": {}}
    for (kind, name, unit), cell in zip(columns, row, strict=True):
        text = cell.strip()
        if not text:
            continue
        if not kind:
            claim[name] = int(text) if name == "year" and text.isdigit() else text
            continue
        claim[kind][name] = {"value": text, "unit": unit} if unit and _has_no_unit(text) else text
    claim.setdefault("id", f"row-{line}")
    return claim
