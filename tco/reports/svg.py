"""Small charts as SVG inside a page: they take its colours, and need nothing from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.reports.context import Breakdown

#: How many colours the page defines: --c0, --c1 ...
COLOURS = 8
_WIDTH, _HEIGHT, _BAR = 1000.0, 64, 44


def segments(shares: Sequence[float]) -> list[tuple[float, float]]:
    """Beginning and width of each part of a bar, negative parts left out."""
    positive = [max(share, 0.0) for share in shares]
    whole = sum(positive) or 1.0
    found, at = [], 0.0
    for share in positive:
        width = _WIDTH * share / whole
        found.append((at, width))
        at += width
    return found


def stacked_bar(parts: Breakdown) -> Any:
    """One bar of the parts of a total, with a text alternative; the legend beside it is the page's."""
    from markupsafe import Markup, escape

    bars = []
    for place, (part, (at, width)) in enumerate(
        zip(parts.parts, segments([p.share for p in parts.parts]), strict=True)
    ):
        bars.append(
            f'<rect x="{at:.2f}" y="10" width="{max(width - 2, 0.5):.2f}" height="{_BAR}" rx="3" '
            f'class="c{place % COLOURS}"><title>{escape(part.label)}: {escape(part.value)} {escape(parts.unit)}</title>'
            "</rect>"
        )
    words = "; ".join(f"{part.label} {part.value} {parts.unit}" for part in parts.parts)
    name = "chart-" + "".join(letter if letter.isalnum() else "-" for letter in parts.name)
    return Markup(
        f'<svg viewBox="0 0 {_WIDTH:.0f} {_HEIGHT}" role="img" aria-labelledby="{name}" preserveAspectRatio="none">'
        f'<title id="{name}">{escape(parts.title)}: {escape(words)}</title>{"".join(bars)}</svg>'
    )
