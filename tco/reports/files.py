"""An estimate in any format: text for a stream, or bytes for a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tco.errors import TcoError
from tco.estimation.result import Estimate

#: Format by suffix of a file; ``focus`` goes by the name of the file, see `format_of`.
SUFFIXES: Mapping[str, str] = {
    ".json": "json", ".csv": "csv", ".md": "md", ".txt": "table", ".html": "html", ".tex": "latex", ".xlsx": "xlsx",
    ".parquet": "parquet",
}  # fmt: skip
#: Formats that show several cost methods beside each other, so that they ask for them.
SHOWS_METHODS = ("xlsx", "html", "latex")
BINARY = ("xlsx", "parquet")


def format_of(path: Path) -> str:
    """The format that the name of a file says: its suffix, and ``focus`` where it is a CSV file called so.

    Raises
    ------
    TcoError
        If it says none.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv" and "focus" in path.stem.casefold().replace("-", ".").replace("_", ".").split("."):
        return "focus"
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise TcoError(f"{path}: the suffix '{path.suffix}' says no format; use one of {known}, or --format")
    return SUFFIXES[suffix]


def content(estimate: Estimate, format_: str) -> str | bytes:
    """An estimate in a format beyond the plain ones: ``html``, ``latex``, ``focus``, ``xlsx``, ``parquet``."""
    if format_ == "xlsx":
        from tco.reports.workbook.write import to_workbook

        return to_workbook([estimate])
    if format_ == "parquet":
        from tco.reports.frame import to_parquet

        return to_parquet(estimate)
    if format_ == "focus":
        from tco.reports.focus import to_focus

        return to_focus(estimate)
    return from_template(estimate, "report" if format_ == "html" else f"report-{format_}")


def from_template(estimate: Estimate, template: str | Path) -> str:
    """An estimate by a template: the name of a shipped one, or a file."""
    from tco.reports.context import context
    from tco.reports.templates import render

    values: dict[str, Any] = context(estimate)
    return render(template, values)
