"""A comparison as tables: lines side by side, what sets the cases apart, and what causes it."""

from __future__ import annotations

import math

from tco.analysis.compare import Comparison
from tco.graph import Node
from tco.reports.numbers import digits
from tco.reports.tables import Cell, Table


def _shown(node: Node | None) -> str:
    return "" if node is None else f"{digits(node.value, padded=True)} {node.unit}".removesuffix(" 1")


def tables(comparison: Comparison) -> list[Table]:
    """All that a reader wants to see, in order."""
    found = [_lines(comparison)]
    for case in comparison.against:
        if case.inputs:
            sides = tuple((name, _shown(one), _shown(other)) for name, one, other in case.inputs)
            title = f"Inputs that differ: {case.title}"
            found.append(Table(f"inputs of {case.title}", title, ("Input", comparison.titles[0], case.title), sides))
        for line, shares in case.attributions.items():
            if not shares:
                continue
            difference = case.differences[line]
            rows = tuple((share.name, f"{digits(share.amount)} {difference.unit}") for share in shares)
            title = f"What causes the difference of {line}: {case.title}"
            found.append(Table(f"causes of {line} in {case.title}", title, ("Input", "Its part"), rows))
    return found


def _lines(comparison: Comparison) -> Table:
    """Values of all cases; of the others also the difference from the first, and how sure it is that they are lower."""
    columns = ["Line", *comparison.titles, "Unit"]
    for case in comparison.against:
        columns += [f"{case.title} against the first", f"{case.title} is lower"]
    rows: list[tuple[Cell, ...]] = []
    for name in comparison.lines:
        nodes = [estimate.graph.named.get(name) for estimate in comparison.estimates]
        known = next(node for node in nodes if node is not None)
        cells: list[Cell] = [name]
        cells += ["" if node is None else digits(node.value, padded=True) for node in nodes]
        cells.append(known.unit)
        for case in comparison.against:
            difference = case.differences.get(name)
            relative = difference.relative if difference is not None else math.nan
            cells.append(f"{100 * relative:+.1f} %" if math.isfinite(relative) else "")
            sure = difference.sure if difference is not None else None
            cells.append("" if sure is None else f"{100 * sure.together:.0f} %")
        rows.append(tuple(cells))
    notes = []
    if any(each.sure for case in comparison.against for each in case.differences.values()):
        notes.append("Is lower: probability, where inputs that both have err alike.")
    return Table("lines", "Side by side", tuple(columns), tuple(rows), (), tuple(notes))
