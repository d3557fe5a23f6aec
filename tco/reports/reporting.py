"""Fields that rules ask for (EED, AI Act, ESRS E1): filled where an estimate can, else the reason why not."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from tco.errors import TcoError, did_you_mean
from tco.estimation.result import Estimate
from tco.graph import Node
from tco.knowledge import folder
from tco.provenance import Source
from tco.units import Quantity, convert

Status = Literal["filled", "part", "not applicable"]


class Rule(NamedTuple):
    """A set of fields: its title, a short name, of what its figures are, and where it was read."""

    key: str
    title: str
    short: str
    level: str
    remark: str
    source: Source
    fields: tuple[dict[str, Any], ...]


class Field(NamedTuple):
    """One field.

    Attributes
    ----------
    name, symbol, unit
        As the rule has them.
    status
        ``filled``; ``part``: the figure is of the whole (facility, undertaking), the value the run's part of it.
    node
        Line or input that fills it.
    quantity
        Its value in `unit`.
    remark
        Why it is not applicable, or what a reader should know of the value.
    """

    name: str
    symbol: str
    unit: str
    status: Status
    node: Node | None
    quantity: Quantity | None
    remark: str


@lru_cache(maxsize=1)
def rules() -> dict[str, Rule]:
    """All rules by key."""
    found = {}
    files = [entry for entry in folder("reports").joinpath("reporting").iterdir() if entry.name.endswith(".toml")]
    for entry in sorted(files, key=lambda entry: entry.name):
        data = tomllib.loads(entry.read_text(encoding="utf-8"))
        key = entry.name.removesuffix(".toml")
        found[key] = Rule(
            key, data["title"], data["short"], data["level"], data["remark"], Source(**data["source"]),
            tuple(data["field"]),
        )  # fmt: skip
    return found


def rule(key: str) -> Rule:
    """One rule.

    Raises
    ------
    TcoError
        Naming those there are.
    """
    if key not in rules():
        raise TcoError(f"'{key}' is no set of fields{did_you_mean(key, rules())} ({', '.join(rules())})")
    return rules()[key]


def fields(estimate: Estimate, about: Rule) -> list[Field]:
    """The fields of a rule, filled by an estimate."""
    return [_field(estimate, data) for data in about.fields]


def _field(estimate: Estimate, data: dict[str, Any]) -> Field:
    unit = data.get("unit", "")
    named = estimate.graph.named
    for status, key in (("filled", "value"), ("part", "part")):
        node = next((named[name] for name in data.get(key, ()) if name in named), None)
        if node is None:
            continue
        if any(str(node.facts.get(fact)) != wanted for fact, wanted in data.get("needs", {}).items()):
            break
        return Field(
            data["name"], data.get("symbol", ""), unit, status, node, convert(node.quantity, unit),  # type: ignore[arg-type]
            _remark(node, status),
        )  # fmt: skip
    return Field(data["name"], data.get("symbol", ""), unit, "not applicable", None, None, data["why"])


def _remark(node: Node, status: str) -> str:
    words = ["the part of this run"] if status == "part" else []
    if node.given is not None and node.given.assumed:
        words.append("assumed, not of this site: not to be reported as it is")
    facts = [str(node.facts[key]) for key in ("method", "basis", "boundary") if node.facts.get(key)]
    return "; ".join([*words, ", ".join(dict.fromkeys(facts))] if facts else words)
