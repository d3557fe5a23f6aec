"""What notebooks show of an estimate and of a comparison."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tco.estimation.result import Estimate
from tco.reports.summary import summary

if TYPE_CHECKING:
    from tco.analysis.compare import Comparison

_TABLE = '<table style="border-collapse:collapse">'
_RIGHT = ' style="text-align:right;font-variant-numeric:tabular-nums"'


def _row(cells: list[str], tag: str = "td", right: tuple[int, ...] = (1,)) -> str:
    return (
        "<tr>"
        + "".join(f"<{tag}{_RIGHT if i in right else ''}>{cell}</{tag}>" for i, cell in enumerate(cells))
        + "</tr>"
    )


def estimate_html(estimate: Estimate) -> str:
    """The lines of an estimate as a table, with what was assumed and what to know folded below it."""
    found = summary(estimate)
    parts = [f"<p><b>{escape(found.title)}</b><br>"]
    parts.append("<br>".join(f"{escape(key)}: {escape(value)}" for key, value in found.facts[1:]) + "</p>")
    parts += [_TABLE, "<thead>", _row(["Line", "Value", "Unit", "Range", "What it is"], "th"), "</thead><tbody>"]
    for row in found.rows:
        name = "&nbsp;" * 3 * row.depth + f"<code>{escape(row.name)}</code>"
        label = escape(row.label) + (f" <small>({escape(row.remark)})</small>" if row.remark else "")
        value = f"<b>{escape(row.value)}</b>" if row.name.endswith(".total") else escape(row.value)
        parts.append(_row([name, value, escape(row.unit), escape(row.range), label]))
    parts.append("</tbody></table>")
    if found.assumed:
        parts.append(f"<details><summary>{len(found.assumed)} assumed inputs</summary>{_TABLE}<tbody>")
        for item in found.assumed:
            parts.append(
                _row([f"<code>{escape(item.name)}</code>", escape(item.value), escape(item.range), escape(item.source)])
            )
        parts.append("</tbody></table></details>")
    notes = [f"{code}: {message}" for code, message in found.warnings]
    notes += [f"not estimated: {line}: {reason}" for line, reason in found.missing]
    if notes:
        parts.append("<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>")
    return "".join(parts)


def comparison_html(comparison: Comparison) -> str:
    """A comparison as tables."""
    from tco.reports.comparison import tables

    parts = []
    for table in tables(comparison):
        parts += [f"<p><b>{escape(table.title)}</b></p>", _TABLE, "<thead>"]
        right = tuple(range(1, len(table.columns)))
        parts += [_row([escape(column) for column in table.columns], "th", right), "</thead><tbody>"]
        parts += [_row([escape("" if cell is None else str(cell)) for cell in row], "td", right) for row in table.rows]
        parts.append("</tbody></table>")
    return "".join(parts)
