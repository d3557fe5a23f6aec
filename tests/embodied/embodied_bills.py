"""Small bills of materials for the tests."""

from __future__ import annotations

from typing import Any

from tco.embodied import Options, Result, assess
from tco.records.base import validate
from tco.records.system import System


def node(*parts: dict[str, Any], **fields: Any) -> System:
    """A system of these parts, read as a file would be."""
    return validate(System, {"name": "case", "parts": list(parts), **fields}, "case.toml")


def chip(area: str, node_nm: float, *, packages: float = 0, **fields: Any) -> dict[str, Any]:
    """A part that is one package with one kind of die."""
    die = {"area": area, "node": f"{node_nm} nm", **fields}
    return {"name": "chip", "component": {"kind": "cpu", "package": {"packages": packages, "dies": [die]}}}


def store(kind: str, capacity: str, technology: str | None = None, **fields: Any) -> dict[str, Any]:
    """A part that is a piece of memory or storage."""
    component = {"kind": kind, "capacity": capacity, "packages": 0, **fields}
    if technology is not None:
        component["technology"] = technology
    return {"name": "store", "component": component}


def by(method: str, *parts: dict[str, Any], options: Options | None = None, **stated: Any) -> Result:
    """One method on these parts; keywords are inputs, ``__`` stands for a dot."""
    inputs = {name.replace("__", "."): value for name, value in stated.items()}
    return assess(node(*parts), method, set=inputs, options=options)
