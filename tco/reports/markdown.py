"""An estimate as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tco.reports.summary import Summary

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!&~])")


def escape(text: str) -> str:
    """Text that Markdown shows as it is, in one table cell."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _table(head: tuple[str, ...], align: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(align) + " |"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def to_markdown(summary: Summary) -> str:
    """The summary as a Markdown page."""
    lines = [f"# {escape(summary.title)}", ""]
    lines += [f"- {key}: {escape(value)}" for key, value in summary.facts] + [""]
    rows = [
        (
            "&nbsp;" * 4 * row.depth + f"`{row.name}`",
            row.value,
            row.unit,
            *((row.sampled or ("", "", "", "")) if summary.sampling else (row.range,)),
            escape(row.label + (f" ({row.remark})" if row.remark else "")),
        )
        for row in summary.rows
    ]
    spread: tuple[str, ...] = ("Range",)
    align: tuple[str, ...] = ("---",)
    if summary.sampling:
        spread, align = ("P5", "P50", "P95", "Histogram"), ("---:", "---:", "---:", "---")
    lines += _table(("Line", "Value", "Unit", *spread, "What it is"), ("---", "---:", "---", *align, "---"), rows)
    if summary.sampling:
        lines += [escape(summary.sampling[0][0]) + ":", ""]
        lines += [f"- {escape(name)}: {escape(text)}" for name, text in summary.sampling[1:]] + [""]
    if summary.missing:
        lines += ["## Not estimated", ""] + [f"- `{line}`: {escape(reason)}" for line, reason in summary.missing] + [""]
    if summary.readings:
        lines += ["## Also recorded, not added", ""]
        lines += [f"- {boundary} ({how}): {text}" for boundary, how, text in summary.readings] + [""]
    if summary.assumed:
        lines += ["## Assumed inputs", ""]
        cells = [(f"`{a.name}`", a.value, a.range, escape(a.label), escape(a.source)) for a in summary.assumed]
        lines += _table(
            ("Input", "Value", "Range", "What it is", "Source"), ("---", "---:", "---", "---", "---"), cells
        )
        lines += ["Ranges take every assumed input at the end of its range that is worst for the line.", ""]
    if summary.warnings:
        lines += ["## Warnings", ""] + [f"- `{code}`: {escape(message)}" for code, message in summary.warnings] + [""]
    return "\n".join(lines)
