"""The description of a system that a submission keeps beside its results, and what it says of the hardware."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from tco.errors import ReadError
from tco.readers.rows import document
from tco.records.run import Device

#: Folders between a result and ``results/``: system, benchmark, scenario, mode, run.
_DEEPEST = 8


class System(NamedTuple):
    """What a submission says of its hardware.

    Attributes
    ----------
    path
        The file; None where there is none.
    name
        The system, by its folder where there is no file.
    nodes
        How many.
    devices
        Its accelerators.
    """

    path: Path | None
    name: str | None
    nodes: int | None
    devices: list[Device]


def system_of(path: Path) -> System:
    """The system of a result in the folders of a submission: ``results/<system>/...`` and ``systems/<system>.json``."""
    path = path.resolve()
    for folder in path.parents[:_DEEPEST]:
        if folder.name == "results":
            name = path.relative_to(folder).parts[0]
            file = folder.parent / "systems" / f"{name}.json"
            return _described(file, name) if file.is_file() else System(None, name, None, [])
    return System(None, None, None, [])


def _described(path: Path, name: str) -> System:
    data = document(path)
    if not isinstance(data, dict):
        raise ReadError(f"{path}: is not the description of a system, which is a table of fields")
    nodes = _whole(data.get("number_of_nodes"))
    each = _whole(data.get("accelerators_per_node"))
    model = data.get("accelerator_model_name")
    devices = []
    if each and isinstance(model, str) and model.strip():
        devices.append(Device(kind="accelerator", model=model.strip(), count=each * (nodes or 1)))
    title = data.get("system_name")
    return System(path, title if isinstance(title, str) and title else name, nodes, devices)


def _whole(value: Any) -> int | None:
    """A count, which submissions write as a number or as text; None where it is none."""
    if isinstance(value, bool):
        return None
    match = re.fullmatch(r"\s*(\d{1,7})(?:\.0+)?\s*", str(value))
    return int(match[1]) or None if match else None
