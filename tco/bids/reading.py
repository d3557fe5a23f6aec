"""Reading tenders and bids: TOML or JSON records, and bid workbooks that a bidder filled in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from tco.bids.records import Bid, Tender
from tco.errors import ReadError, RecordError, did_you_mean
from tco.records.base import load, validate
from tco.records.site import Site

_WORKBOOKS = (".xlsx", ".xlsm")
#: Sheets of a bid workbook, and the word in their first column or row by which they are found.
OFFER, PRICES, BENCHMARKS = "Offer", "Prices", "Benchmarks"
#: Fields of the sheet of the offer: key, what it is, unit of a bare number.
FIELDS: tuple[tuple[str, str, str], ...] = (
    ("bidder", "Name of the bidder", ""),
    ("nodes", "Number of nodes", "1"),
    ("system", "Hardware record, for embodied carbon (may stay empty)", ""),
    ("power", "Power of one node at its AC inlet, under the load of the tender", "W"),
    ("idle_power", "Power of one node when nothing runs", "W"),
    ("rating", "Power to provision for one node", "W"),
    ("floor_area", "Floor of the whole system with the space around it", "m**2"),
    ("delivery", "Day of delivery", ""),
    ("valid_until", "The bid is valid until", ""),
    ("note", "Remarks", ""),
)
#: Columns of the price sheet: key, heading, unit of a bare number.
PRICE_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("item", "Item", ""), ("category", "Category", ""), ("quantity", "Quantity", "1"), ("unit_price", "Unit price", ""),
    ("currency", "Currency", ""), ("per", "Per", ""), ("terms", "Price is", ""), ("index", "Index clause", ""),
    ("price_base", "Price base", ""), ("delivery", "Delivery", ""), ("warranty", "Warranty, years", "year"),
    ("option", "Option?", ""), ("vat_included", "VAT included?", ""),
)  # fmt: skip
BENCHMARK_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("name", "Benchmark", ""), ("figure", "Figure of merit of one node", "1"), ("committed", "Committed?", ""),
)  # fmt: skip
_YES_NO = {"yes": True, "no": False, "true": True, "false": False}


def read_tender(path: Path) -> Tender:
    """A tender; a site that is named by its file is read.

    Raises
    ------
    TcoError
        Naming the file, the field and what would be right.
    """
    tender = load(Tender, path)
    if isinstance(tender.site, str):
        return tender.model_copy(update={"site": load(Site, path.parent / tender.site)})
    return tender


def read_bid(path: Path) -> Bid:
    """A bid: a record, or a workbook that was made by ``tco bids template`` and filled in.

    Raises
    ------
    TcoError
        Naming the file, the field or the cell, and what would be right.
    """
    if path.suffix.lower() in _WORKBOOKS:
        return validate(Bid, _read_workbook(path), str(path))
    return load(Bid, path)


def _read_workbook(path: Path) -> dict[str, Any]:
    from zipfile import BadZipFile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        values = openpyxl.load_workbook(path, data_only=True)
        formulas = openpyxl.load_workbook(path)
    except FileNotFoundError:
        raise ReadError(f"{path}: there is no such file") from None
    except (BadZipFile, InvalidFileException, KeyError, ValueError, EOFError) as error:
        raise ReadError(f"{path}: is not a workbook that can be read ({error})") from None
    reader = _Reader(path, values, formulas)
    data = reader.fields()
    data["prices"] = [_price(line, path, row) for row, line in reader.table(PRICES, PRICE_COLUMNS)]
    data["benchmarks"] = [line for _, line in reader.table(BENCHMARKS, BENCHMARK_COLUMNS) if "figure" in line]
    return data


class _Reader:
    """Cells of a bid workbook, by the keys in its first column and row."""

    def __init__(self, path: Path, values: Any, formulas: Any) -> None:
        self.path, self.values, self.formulas = path, values, formulas
        for name in (OFFER, PRICES):
            if name not in values.sheetnames:
                hint = did_you_mean(name, values.sheetnames)
                raise ReadError(
                    f"{path}: there is no sheet '{name}'{hint} Fill in the workbook that 'tco bids template' writes"
                )

    def cell(self, sheet: str, row: int, column: int, unit: str) -> Any:
        """What a cell holds as plain data; None where it is empty."""
        cell = self.values[sheet].cell(row, column)
        value = cell.value
        source = self.formulas[sheet].cell(row, column)
        where = f"{self.path}: {sheet}!{cell.coordinate}"
        if value is None and source.data_type == "f":
            raise ReadError(
                f"{where}: holds a formula without a value; open and save the file in a spreadsheet program"
            )
        if isinstance(value, str):
            value = value.strip()
            if value.startswith("#") and cell.data_type == "e":
                raise ReadError(f"{where}: holds the error {value}")
            return value or None
        if isinstance(value, datetime):
            return value.date()
        if isinstance(value, bool | date) or value is None:
            return value
        return {"value": float(value), "unit": unit} if unit else value

    def fields(self) -> dict[str, Any]:
        """The fields of the offer."""
        sheet = self.values[OFFER]
        known = {key: unit for key, _, unit in FIELDS}
        data: dict[str, Any] = {}
        for row in range(1, sheet.max_row + 1):
            key = sheet.cell(row, 1).value
            if key not in known:
                continue
            value = self.cell(OFFER, row, 3, known[key])
            if value is None:
                continue
            data[key] = str(value) if key in ("bidder", "system", "note") else value
        return data

    def table(self, name: str, columns: tuple[tuple[str, str, str], ...]) -> list[tuple[int, dict[str, Any]]]:
        """Rows of a table below the row of its keys; rows without their first cell are empty."""
        if name not in self.values.sheetnames:
            return []
        sheet = self.values[name]
        first = columns[0][0]
        top = next((row for row in range(1, sheet.max_row + 1) if sheet.cell(row, 1).value == first), None)
        if top is None:
            raise ReadError(
                f"{self.path}: {name}: the row of keys, which begins with '{first}', is gone; take a new template"
            )
        known = {key: unit for key, _, unit in columns}
        keys = {column: sheet.cell(top, column).value for column in range(1, sheet.max_column + 1)}
        found = []
        for row in range(top + 2, sheet.max_row + 1):
            line = {}
            for column, key in keys.items():
                if key in known:
                    value = self.cell(name, row, column, known[key])
                    if value is not None:
                        line[key] = _plain(value, key)
            if first in line:
                found.append((row, line))
        return found


def _plain(value: Any, key: str) -> Any:
    if key in ("option", "vat_included", "committed") and isinstance(value, str):
        return _YES_NO.get(value.casefold(), value)
    if key in ("item", "name", "price_base", "index"):
        return value.isoformat() if isinstance(value, date) else str(value)
    return value


def _price(line: dict[str, Any], path: Path, row: int) -> dict[str, Any]:
    """A price line as the record has it: number, currency and 'per' in one unit."""
    line = dict(line)
    money, per = line.pop("currency", None), line.pop("per", "once")
    price = line.get("unit_price")
    if isinstance(price, int | float) and not isinstance(price, bool):
        if money is None:
            raise RecordError(f"{path}: {PRICES}, row {row}: the price {price:g} has no currency")
        unit = f"{money}" if per == "once" else f"{money}/{per}"
        line["unit_price"] = {"value": float(price), "unit": unit}
    elif isinstance(price, Mapping):
        line["unit_price"] = dict(price)
    return line
