"""The nodes of a graph as expressions over cells, conversions between units included."""

from __future__ import annotations

from collections.abc import Callable

from tco.graph import Node
from tco.reports.workbook.live import Expressions, Live, number
from tco.reports.workbook.units import Conversions
from tco.units import Unit, parse_unit

_PLAIN = parse_unit("1")


def expression(node: Node, at: Callable[[Node], Live], conversions: Conversions) -> Live:
    """What the cell of a node holds.

    Parameters
    ----------
    node
        A node that is no input.
    at
        The cell of each operand.
    conversions
        Where the factors between units are kept.

    Returns
    -------
    Live
        In the unit of the node; its value is that of the cells it refers to.
    """
    operands = [number(o.value) if o.operation == "constant" else at(o) for o in node.operands]
    units = [o.quantity.units for o in node.operands]
    own: Unit = node.quantity.units
    operation = node.operation

    def to(position: int, unit: Unit) -> Live:
        return conversions.convert(operands[position], units[position], unit)

    if operation in ("multiply", "divide"):
        raw = units[0] * units[1] if operation == "multiply" else units[0] / units[1]
        return conversions.convert(Expressions.operate(operation, *operands), raw, own)
    if operation == "power":
        # A base with a dimension has a constant exponent; of a plain number the base itself is brought to 1.
        plain = units[0].dimensionless
        base, raw = (to(0, _PLAIN), _PLAIN) if plain else (operands[0], units[0] ** node.operands[1].value)
        return conversions.convert(Expressions.operate(operation, base, to(1, _PLAIN)), raw, own)
    if operation in ("exp", "log", "ceil"):
        return conversions.convert(Expressions.operate(operation, to(0, _PLAIN)), _PLAIN, own)
    if operation in ("less", "less_equal"):
        return Expressions.operate(operation, operands[0], to(1, units[0]))
    if operation == "where":
        return Expressions.operate(operation, operands[0], to(1, own), to(2, own))
    return Expressions.operate(operation, *(to(position, own) for position in range(len(operands))))
