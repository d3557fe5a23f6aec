"""The empty bid workbook that a bidder fills in, and `tco.bids` reads back."""

from __future__ import annotations

from typing import Any, get_args

from tco.bids.reading import BENCHMARK_COLUMNS, BENCHMARKS, FIELDS, OFFER, PRICE_COLUMNS, PRICES
from tco.bids.records import BOUGHT, Category, Tender
from tco.reports.workbook.style import Formats
from tco.units import CURRENCIES

#: Rows of the price sheet.
_ROWS = 40
_HELP = (
    "Fill in the yellow cells and send the file back. Prices without value-added tax.",
    "What is bought once is priced 'once', what is paid by time per year.",
    "A line without a price counts as missing, never as 0. An option is shown and not counted.",
    "A price that an index clause moves is 'indexed': write the clause beside it.",
)
_CHOICES: dict[str, tuple[str, ...]] = {
    "category": get_args(Category), "currency": CURRENCIES, "per": ("once", "year"), "terms": ("fixed", "indexed"),
    "option": ("no", "yes"), "vat_included": ("no", "yes"), "committed": ("yes", "no"),
}  # fmt: skip
_WIDTHS = {"item": 44, "name": 34, "index": 30, "category": 14, "unit_price": 15, "figure": 28}


def to_template(tender: Tender | None = None) -> bytes:
    """The empty workbook, with the benchmarks and the currency of a tender where one is given."""
    import io
    from datetime import datetime

    from xlsxwriter import Workbook  # type: ignore[import-untyped]

    buffer = io.BytesIO()
    safe = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = Workbook(buffer, {"in_memory": True, **safe})
    book.set_properties({"title": "Bid", "author": "", "created": datetime(2000, 1, 1)})
    formats = Formats(book)
    _offer(book, formats, tender)
    _prices(book, formats, tender)
    if tender is None or tender.benchmark:
        _benchmarks(book, formats, tender)
    book.close()
    return buffer.getvalue()


def _sheet(book: Any, formats: Formats, name: str, title: str) -> Any:
    sheet = book.add_worksheet(name)
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    sheet.protect("", {"format_columns": True, "format_rows": True})
    sheet.set_column(0, 0, 14)
    sheet.write_string(0, 1, title, formats.title())
    return sheet


def _offer(book: Any, formats: Formats, tender: Tender | None) -> None:
    sheet = _sheet(book, formats, OFFER, f"Bid: {tender.name}" if tender else "Bid")
    sheet.set_column(0, 0, 12, None, {"hidden": True})
    sheet.set_column(1, 1, 66)
    sheet.set_column(2, 2, 34)
    row = 2
    for text in _HELP:
        sheet.write_string(row, 1, text, formats.purpose())
        row += 1
    row += 1
    day = formats.make(
        num_format="yyyy-mm-dd",
        locked=False,
        bg_color=formats.colours["input_fill"],
        align="left",
        font_color=formats.colours["input_ink"],
        border=1,
        border_color=formats.colours["line"],
    )
    for key, label, unit in FIELDS:
        sheet.write_string(row, 0, key, formats.text(muted=True))
        sheet.write_string(row, 1, label, formats.text())
        date = key in ("delivery", "valid_until")
        sheet.write_blank(row, 2, None, day if date else formats.input() if unit else formats.input(text=True))
        shown = {"1": "number", "m**2": "m²"}.get(unit, unit) or ("YYYY-MM-DD" if date else "text")
        sheet.write_string(row, 3, shown, formats.unit())
        if unit:
            sheet.data_validation(row, 2, row, 2, {
                "validate": "decimal", "criteria": ">=", "value": 0, "error_title": "A number is needed",
                "error_message": f"A number in {shown}, 0 or more."})  # fmt: skip
        row += 1


def _table(sheet: Any, formats: Formats, top: int, columns: tuple[tuple[str, str, str], ...], rows: int) -> None:
    """A row of keys, which is hidden, a row of headings, and cells to fill in."""
    for column, (key, heading, _) in enumerate(columns):
        sheet.set_column(column, column, _WIDTHS.get(key, 12))
        sheet.write_string(top, column, key, formats.text(muted=True))
        sheet.write_string(top + 1, column, heading, formats.head())
        text = key in ("item", "name", "index", "price_base") or key in _CHOICES
        form = formats.input("yyyy-mm-dd") if key == "delivery" else formats.input(text=text)
        for row in range(top + 2, top + 2 + rows):
            sheet.write_blank(row, column, None, form)
        if key in _CHOICES:
            where = (top + 2, column, top + 1 + rows, column)
            sheet.data_validation(*where, {"validate": "list", "source": list(_CHOICES[key])})
        elif key in ("quantity", "unit_price", "warranty", "figure"):
            where = (top + 2, column, top + 1 + rows, column)
            sheet.data_validation(*where, {
                "validate": "decimal", "criteria": ">=", "value": 0, "error_title": "A number is needed",
                "error_message": "A number, 0 or more."})  # fmt: skip
    sheet.set_row(top, None, None, {"hidden": True})
    sheet.freeze_panes(top + 2, 1)


def _prices(book: Any, formats: Formats, tender: Tender | None) -> None:
    sheet = _sheet(book, formats, PRICES, "Prices")
    sheet.write_string(0, 0, "Prices", formats.title())
    sheet.write_blank(0, 1, None)
    bought = ", ".join(BOUGHT)
    by_time = ", ".join(name for name in get_args(Category) if name not in BOUGHT)
    sheet.write_string(1, 0, f"Bought once: {bought}. Paid per year: {by_time}.", formats.purpose())
    _table(sheet, formats, 3, PRICE_COLUMNS, _ROWS)
    keys = [key for key, _, _ in PRICE_COLUMNS]
    for offset, category in enumerate(tender.required if tender else ()):
        row = 5 + offset
        sheet.write_string(row, keys.index("category"), category, formats.input(text=True))
        sheet.write_string(row, keys.index("per"), "once" if category in BOUGHT else "year", formats.input(text=True))
        sheet.write_string(row, keys.index("item"), category.capitalize(), formats.input(text=True))
        if tender is not None and tender.currency is not None:
            sheet.write_string(row, keys.index("currency"), tender.currency, formats.input(text=True))


def _benchmarks(book: Any, formats: Formats, tender: Tender | None) -> None:
    sheet = _sheet(book, formats, BENCHMARKS, "Benchmarks")
    sheet.write_string(0, 0, "Benchmarks", formats.title())
    sheet.write_blank(0, 1, None)
    sheet.write_string(1, 0, "Figure of merit on one node; more is better. What is left empty counts as left out.",
                       formats.purpose())  # fmt: skip
    benchmarks = tender.benchmark if tender else ()
    _table(sheet, formats, 3, BENCHMARK_COLUMNS, len(benchmarks) or 10)
    for offset, benchmark in enumerate(benchmarks):
        sheet.write_string(5 + offset, 0, benchmark.name, formats.input(text=True))
        sheet.write_string(5 + offset, 2, "yes", formats.input(text=True))
        sheet.write_string(5 + offset, 3, benchmark.unit, formats.unit())
