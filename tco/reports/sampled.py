"""What samples of an estimate say, beside its lines: percentiles and a histogram of text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.analysis.sampling import Sampled
from tco.estimation.result import Estimate
from tco.reports.numbers import digits, show_in
from tco.reports.summary import Summary
from tco.units import Q

HEADINGS = ("P5", "P50", "P95", "Histogram")
#: Heights of a bar of text.
_HEIGHTS = " ▁▂▃▄▅▆▇█"
#: Bins of a sample that one bar shows.
_JOINED = 2
_KINDS = {"random": "random samples", "latin": "samples of a Latin hypercube", "sobol": "Sobol' points"}


def bars(counts: Sequence[int]) -> str:
    """A histogram in one line of text."""
    joined = [sum(counts[place : place + _JOINED]) for place in range(0, len(counts), _JOINED)]
    most, top = max(joined, default=0), len(_HEIGHTS) - 1
    return "".join(_HEIGHTS[math.ceil(top * count / most) if most else 0] for count in joined)


def with_samples(summary: Summary, estimate: Estimate, sampled: Sampled) -> Summary:
    """The summary of an estimate with what samples say of each line, in the units shown there."""
    rows = []
    for row in summary.rows:
        spread = sampled.lines.get(row.name)
        if spread is None or not spread.counts:
            rows.append(row)
            continue
        units = estimate.graph[row.name].quantity.units
        levels = (Q(level, units) for level in (spread.p5, spread.p50, spread.p95))
        texts = (show_in(level, row.unit or "1", padded=True)[0] for level in levels)
        rows.append(row._replace(sampled=(*texts, bars(spread.counts))))
    return summary._replace(rows=tuple(rows), sampling=sampling_notes(sampled))


def sampling_notes(sampled: Sampled) -> tuple[tuple[str, str], ...]:
    """How the samples were drawn: a heading, then one text an input and what a reader should know."""
    head = f"P5, P50, P95 of {sampled.n:,} {_KINDS[sampled.method]}, seed {sampled.seed}; inputs drawn"
    drawn = [(name, f"{each} {sampled.units[name]}".removesuffix(" 1")) for name, each in sampled.inputs.items()]
    return ((head, ""), *(drawn or [("none", "no input has a range")]), *(("note", note) for note in sampled.notes))


def histogram(estimate: Estimate, sampled: Sampled, name: str, *, width: int = 60) -> str:
    """A histogram of one line, one bin a row of text."""
    spread, node = sampled.lines[name], estimate.graph[name]
    head = f"{name}, {node.label} [{node.unit}]"
    if not spread.counts:
        return f"{head}\n  {digits(node.value)}: it does not vary\n"
    most = max(spread.counts)
    rows = [head]
    ends = [digits(edge, padded=True) for edge in spread.edges]
    space = max(map(len, ends))
    for place, count in enumerate(spread.counts):
        low, high = spread.edges[place], spread.edges[place + 1]
        marks = [
            mark
            for mark, level in zip(HEADINGS, (spread.p5, spread.p50, spread.p95), strict=False)
            if low <= level < high
        ]
        bar = "█" * round(width * count / most) or ("▏" if count else "")
        rows.append(f"  {ends[place]:>{space}} to {ends[place + 1]:>{space}}  {bar} {' '.join(marks)}".rstrip())
    return "\n".join(rows) + "\n"
