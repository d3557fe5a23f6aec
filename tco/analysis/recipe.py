"""What an estimate is made of, so that it can be made again with something changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tco.errors import EstimateError
from tco.estimation import Estimate, estimate
from tco.records.run import Run

_RECORD_FILES = (".toml", ".json")


@dataclass(frozen=True)
class Recipe:
    """A run and the options of `tco.estimate`.

    Attributes
    ----------
    run
        The run, or its file.
    options
        What else `tco.estimate` is given: ``region``, ``system``, ``set`` ...; None stands for not given.
    title
        What to call it beside others.
    """

    run: Run | str | Path
    options: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    def estimate(self, stated: Mapping[str, object] | None = None) -> Estimate:
        """The estimate, with values of some inputs replaced."""
        options = {key: value for key, value in self.options.items() if value is not None}
        options["set"] = {**(options.get("set") or {}), **(stated or {})}
        return estimate(self.run, **options)

    def with_options(self, **options: Any) -> Recipe:
        """The same with some options replaced where they are given."""
        given = {key: value for key, value in options.items() if value is not None}
        if "set" in given:
            given["set"] = {**(self.options.get("set") or {}), **given["set"]}
        return replace(self, options={**self.options, **given})

    def settled(self) -> Recipe:
        """The same with its run read, so that making many estimates reads the file once."""
        if isinstance(self.run, Run):
            return self
        from tco.readers import read

        path = Path(self.run)
        runs = read(path)
        if len(runs) != 1:
            raise EstimateError(f"{path}: holds {len(runs)} runs; one is needed")
        options = dict(self.options)
        named = runs[0].system
        if options.get("system") is None and named is not None and Path(named).suffix in _RECORD_FILES:
            options["system"] = path.parent / named
        return Recipe(runs[0], options, self.title or runs[0].name or path.stem)
