"""Scenario files: named sets of options and overrides, with inheritance.

[base]
region = "eu"
[base.set]
"site.pue" = 1.2

[green]
inherits = "base"
[green.set]
"grid.intensity" = { value = 30, unit = "gCO2e/kWh", low = 20, high = 45 }
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from tco.errors import RecordError, did_you_mean
from tco.records.base import Record, read_data, validate

#: Fields whose text may be the path of a file, seen from the scenario file.
_PATHS = ("run", "system", "site")
_RECORD_FILES = (".toml", ".json")


class Scenario(Record):
    """One scenario of a file, as it stands there."""

    also_known_as: ClassVar[Mapping[str, str]] = {"parent": "inherits", "extends": "inherits", "overrides": "set"}

    title: str | None = Field(default=None, description="What it is called in tables; else its name.")
    inherits: str | tuple[str, ...] = Field(
        default=(), description="Scenarios of the same file to start from; of several, later ones win."
    )
    run: str | None = None
    region: str | None = None
    system: str | None = None
    site: str | None = None
    year: int | None = None
    currency: str | None = None
    embodied_method: str | None = None
    set: Mapping[str, Any] = Field(default_factory=dict, description="Values for inputs by dotted name.")

    @property
    def parents(self) -> tuple[str, ...]:
        """The scenarios to start from."""
        return (self.inherits,) if isinstance(self.inherits, str) else self.inherits


def read_scenarios(path: Path) -> dict[str, dict[str, Any]]:
    """All scenarios of a TOML file by name, inheritance resolved: options for `tco.estimate`, and ``run``, ``title``.

    Raises
    ------
    RecordError
        Naming the file, the scenario, and what would be right.
    """
    data = read_data(path)
    if not isinstance(data, Mapping) or not data:
        raise RecordError(f"{path}: a scenario file holds one table a scenario, for instance [base]")
    loose = [name for name, item in data.items() if not isinstance(item, Mapping)]
    if loose:
        raise RecordError(f"{path}: '{loose[0]}' stands outside of a scenario; put it under a heading such as [base]")
    scenarios = {name: validate(Scenario, item, f"{path}: [{name}]") for name, item in data.items()}
    return {name: _resolved(name, scenarios, path, ()) for name in scenarios}


def _resolved(name: str, all_: Mapping[str, Scenario], path: Path, below: tuple[str, ...]) -> dict[str, Any]:
    if name in below:
        raise RecordError(f"{path}: [{name}] inherits from itself: {' > '.join((*below, name))}")
    own = all_[name]
    options: dict[str, Any] = {"set": {}}
    for parent in own.parents:
        if parent not in all_:
            raise RecordError(f"{path}: [{name}]: inherits '{parent}', which is not there{did_you_mean(parent, all_)}")
        inherited = _resolved(parent, all_, path, (*below, name))
        options = {**options, **inherited, "set": {**options["set"], **inherited["set"]}}
    given = own.model_dump(exclude_none=True, exclude={"inherits", "set", "title"})
    for key in _PATHS:
        named = given.get(key)
        if named is None or named.startswith("example:"):
            continue
        if key == "run" or Path(named).suffix.lower() in _RECORD_FILES:
            given[key] = str(path.parent / named)
    stated = dict(_flat(own.set))
    return {**options, **given, "title": own.title or name, "set": {**options["set"], **stated}}


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """``site.pue = 1.2`` without quotes is a table in a table to TOML: both are the input ``site.pue``."""
    found: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, Mapping) and "value" not in value and "samples" not in value:
            found.extend(_flat(value, f"{prefix}{key}."))
        else:
            found.append((f"{prefix}{key}", value))
    return found


def find_scenarios(text: str) -> dict[str, dict[str, Any]]:
    """What ``FILE`` or ``FILE:NAME`` names: all scenarios of the file, or the one.

    Raises
    ------
    RecordError
        If the file or the scenario is not there.
    """
    file, name = text, ""
    if not Path(text).exists() and ":" in text:
        file, _, name = text.rpartition(":")
    scenarios = read_scenarios(Path(file))
    if not name:
        return scenarios
    if name not in scenarios:
        known = ", ".join(scenarios)
        raise RecordError(f"{file}: there is no scenario '{name}'{did_you_mean(name, scenarios)} (there are: {known})")
    return {name: scenarios[name]}


def find_scenario(text: str) -> dict[str, Any]:
    """The one scenario that ``FILE`` or ``FILE:NAME`` names.

    Raises
    ------
    RecordError
        Also if the file holds several and none is named.
    """
    scenarios = find_scenarios(text)
    if len(scenarios) > 1:
        first = next(iter(scenarios))
        raise RecordError(
            f"{text}: holds several scenarios ({', '.join(scenarios)}); name one: --scenario {text}:{first}"
        )
    return next(iter(scenarios.values()))
