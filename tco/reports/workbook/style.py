"""Formats of cells: colours, protection, and number formats that fit a value and its unit."""

from __future__ import annotations

import math
from typing import Any

from tco.reports.workbook.layout import read_toml
from tco.units import CURRENCIES

#: Digits shown of a computed value.
_DIGITS = 5


def number_format(value: float, unit: str = "") -> str:
    """A number format with sensible digits; money carries its currency."""
    if unit in CURRENCIES:
        places = 2 if abs(value) >= 1 or value == 0 else min(8, 2 - math.floor(math.log10(abs(value))))
        return f"#,##0.{'0' * places}\\ [${unit}]"
    if value == 0 or not math.isfinite(value):
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -4 or magnitude >= 12:
        return "0.0000E+00"
    places = max(0, _DIGITS - 1 - magnitude)
    return "#,##0" + (f".{'0' * places}" if places else "")


def input_format(value: float) -> str:
    """A number format that shows an input as it was given, up to seven decimals."""
    if value and not 1e-4 <= abs(value) < 1e12:
        return "0.0000E+00"
    text = f"{value:.7f}".rstrip("0")
    places = len(text.partition(".")[2])
    return ("#,##0" if abs(value) >= 10000 else "0") + (f".{'0' * places}" if places else "")


class Formats:
    """The formats of one workbook, each made once.

    Parameters
    ----------
    book
        An `xlsxwriter.Workbook`.
    """

    def __init__(self, book: Any) -> None:
        self._book = book
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}
        style = read_toml("style.toml")
        self.colours: dict[str, str] = style["colours"]
        self.charts: dict[str, Any] = style["charts"]
        self._font = {"font_name": style["font"]["name"], "font_size": style["font"]["size"]}

    def make(self, **properties: Any) -> Any:
        """A format with these properties."""
        all_ = {**self._font, "font_color": self.colours["ink"], "valign": "top", **properties}
        key = tuple(sorted(all_.items()))
        if key not in self._made:
            self._made[key] = self._book.add_format(all_)
        return self._made[key]

    def title(self) -> Any:
        """Heading of a sheet."""
        return self.make(bold=True, font_size=16)

    def heading(self) -> Any:
        """Heading of a block."""
        return self.make(bold=True, font_size=12)

    def purpose(self) -> Any:
        """The line under the heading of a sheet."""
        return self.make(italic=True, font_color=self.colours["muted"])

    def head(self, *, right: bool = False) -> Any:
        """Heading of a column."""
        return self.make(
            bold=True, font_color=self.colours["head_ink"], bg_color=self.colours["head_fill"], text_wrap=True,
            valign="vcenter", align="right" if right else "left",
        )  # fmt: skip

    def text(self, *, wrap: bool = True, muted: bool = False, bold: bool = False, indent: int = 0) -> Any:
        """Text in a table."""
        colour = self.colours["muted"] if muted else self.colours["ink"]
        return self.make(
            text_wrap=wrap, font_color=colour, bold=bold, indent=indent, align="left", bottom=1,
            bottom_color=self.colours["line"],
        )  # fmt: skip

    def absent(self) -> Any:
        """A word where a number would stand."""
        return self.make(
            align="right", font_color=self.colours["muted"], bottom=1, bottom_color=self.colours["line"], italic=True
        )

    def unit(self) -> Any:
        """A unit beside its number."""
        return self.text(indent=1)

    def number(self, form: str, *, bold: bool = False, muted: bool = False) -> Any:
        """A computed number in a table."""
        extra = {"bg_color": self.colours["total_fill"]} if bold else {}
        colour = self.colours["muted"] if muted else self.colours["ink"]
        return self.make(
            num_format=form, align="right", bold=bold, font_color=colour, bottom=1, bottom_color=self.colours["line"],
            **extra,
        )  # fmt: skip

    def input(self, form: str = "General", *, text: bool = False) -> Any:
        """An input: blue on yellow, unlocked."""
        return self.make(
            num_format="@" if text else form, align="left" if text else "right", text_wrap=text, locked=False,
            font_color=self.colours["input_ink"], bg_color=self.colours["input_fill"], border=1,
            border_color=self.colours["line"],
        )  # fmt: skip

    def check(self) -> Any:
        """1 as ok, 0 as failed."""
        return self.make(
            num_format='[=1]"ok";[=0]"FAILED";0', align="center", bold=True, bottom=1, bottom_color=self.colours["line"]
        )

    def good(self) -> Any:
        """For a conditional format: a check that holds."""
        return self._book.add_format({"bg_color": self.colours["good_fill"], "font_color": self.colours["good_ink"]})

    def bad(self) -> Any:
        """For a conditional format: a check that fails."""
        return self._book.add_format({"bg_color": self.colours["bad_fill"], "font_color": self.colours["bad_ink"]})

    def changed(self) -> Any:
        """For a conditional format: an input that is not as it was written."""
        return self._book.add_format({"bg_color": self.colours["changed_fill"]})
