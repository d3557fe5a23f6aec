"""The derivation of one line: formulas, numbers, sources, what was assumed."""

from __future__ import annotations

import inspect
import textwrap

from tco.estimation.result import Estimate
from tco.graph import Node
from tco.operations import OPERATIONS
from tco.reports.numbers import readable_unit, show_range, show_value
from tco.reports.summary import input_range, input_source, input_value


def _value(node: Node) -> str:
    return " ".join(show_value(node.quantity, node.unit)).strip()


def with_numbers(node: Node) -> str:
    """The formula of a node with the values of the named nodes in it."""

    def text(inner: Node, top: bool) -> str:
        if inner.name and not top:
            return _value(inner)
        if not inner.operands:
            return inner.text()
        operation = OPERATIONS[inner.operation]
        written = []
        for position, operand in enumerate(inner.operands):
            piece = text(operand, top=False)
            if not operand.name and operand.operands and operation.binding < 9:
                binding = OPERATIONS[operand.operation].binding
                if binding < operation.binding or (position and inner.operation in ("subtract", "divide")):
                    piece = f"({piece})"
            written.append(piece)
        return operation.text.format(*written)

    return text(node, top=True)


def reference(node: Node) -> str:
    """The reference of the formula behind a line, from its documentation; empty where it has none."""
    if node.formula is None:
        return ""
    documentation = inspect.getdoc(node.formula) or ""
    _, found, tail = documentation.partition("References\n----------\n")
    return " ".join(tail.split()) if found else ""


def explain(estimate: Estimate, name: str) -> str:
    """A line, what it is computed from, and so on down to the inputs; each thing once."""
    graph = estimate.graph
    if name not in graph.named:
        estimate[name]  # says why it is missing, or what is near
    out: list[str] = []
    done: set[str] = set()

    def named_operands(node: Node) -> list[Node]:
        found: list[Node] = []
        for operand in node.operands:
            found.extend([operand] if operand.name else named_operands(operand))
        return list({operand.name: operand for operand in found}.values())

    def wrapped(text: str, indent: str) -> None:
        out.extend(textwrap.wrap(text, width=110, initial_indent=indent, subsequent_indent=indent + "    "))

    def put(node: Node, depth: int) -> None:
        indent = "  " * depth
        if node.name in done:
            return
        done.add(node.name)
        if node.operation == "input":
            mark = "assumed" if node.given and node.given.assumed else "given"
            spread = input_range(node)
            wrapped(
                f"{node.name} = {input_value(node)}" + (f"  [{spread}]" if spread else "") + f"  {mark}: {node.label}",
                indent,
            )
            source = input_source(node)
            if source:
                wrapped(f"from {source}", indent + "    ")
            if node.given and node.given.note and node.given.note != source:
                wrapped(f"note: {node.given.note}", indent + "    ")
            return
        low, high = graph.range_of(node.name)
        spread = show_range(node.quantity, low, high, readable_unit(node.quantity, node.unit))
        wrapped(f"{node.name} = {_value(node)}" + (f"  [{spread}]" if spread else "") + f"  {node.label}", indent)
        wrapped(f"= {node.text(follow_name=True)}", indent + "    ")
        wrapped(f"= {with_numbers(node)}", indent + "    ")
        facts = ", ".join(f"{key} {value}" for key, value in node.facts.items() if value is not None)
        if facts:
            wrapped(facts, indent + "    ")
        cited = reference(node)
        if cited:
            wrapped(f"formula: {cited}", indent + "    ")
        for operand in named_operands(node):
            put(operand, depth + 1)

    put(graph[name], 0)
    return "\n".join(out) + "\n"
