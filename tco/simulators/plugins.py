"""The simulators that there are: our own, those that other packages add as entry points, and files of the user.

Only what the user names is loaded. What belongs to others runs in a process of its own, so that it can neither hang
nor end this one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tco.errors import RecordError, TcoError, did_you_mean
from tco.simulators.base import Options, Simulator, SimulatorError
from tco.simulators.process import call, last_words

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from tco.records.run import Run
    from tco.records.system import System
    from tco.records.workload import Workload

GROUP = "tco.simulators"
#: Our own simulators, as pyproject.toml declares them; listed here because looking for entry points takes 50 ms.
OWN = {
    "6nd": "tco.simulators.built_in.rule:SIX",
    "8nd": "tco.simulators.built_in.rule:EIGHT",
    "llm-analysis": "tco.simulators.built_in.llm_analysis:SIMULATOR",
    "calculon": "tco.simulators.built_in.calculon:SIMULATOR",
}


def own(name: str) -> Simulator:
    """One of our own simulators."""
    module, _, attribute = OWN[name].partition(":")
    return cast("Simulator", getattr(import_module(module), attribute))


def others() -> list[EntryPoint]:
    """The entry points of other packages; nothing of them is loaded."""
    from importlib.metadata import entry_points

    return [point for point in entry_points(group=GROUP) if OWN.get(point.name) != point.value]


def find(name: str) -> Simulator:
    """The simulator that a user means: one of ours, one of another package, or a TOML file.

    Raises
    ------
    SimulatorError
        If there is none of that name; the message lists those there are.
    """
    if name in OWN:
        return own(name)
    path = Path(name)
    if path.suffix.lower() == ".toml" or "/" in name:
        from tco.simulators.built_in.command import Command

        try:
            return Command(path)
        except RecordError as error:
            raise SimulatorError(str(error)) from None
    points = others()
    found = [point for point in points if point.name == name]
    if len(found) > 1:
        raise SimulatorError(f"'{name}' is added by {len(found)} packages: {', '.join(p.value for p in found)}")
    if found:
        return _Apart(name, found[0].value)
    known = [*OWN, *(point.name for point in points)]
    raise SimulatorError(
        f"there is no simulator '{name}'{did_you_mean(name, known)} (simulators: {', '.join(known)}, or a TOML file "
        "that describes one)"
    )


class _AnySetting(dict[str, str]):
    """The settings of a plug-in that is not loaded here: it checks them itself."""

    def __contains__(self, key: object) -> bool:
        return True


class _Apart:
    """A plug-in of another package, in a process of its own."""

    def __init__(self, name: str, target: str) -> None:
        self.name, self.target = name, target
        self.title = f"plug-in of another package ({target})"
        self.settings: Mapping[str, str] = _AnySetting()

    def available(self, options: Options) -> str | None:
        """It says so itself when it runs."""
        return None

    def run(self, workload: Workload, system: System, options: Options) -> Run:
        """The run of one step, as the plug-in returns it."""
        import tempfile

        from tco.records.base import validate
        from tco.records.run import Run

        request: dict[str, Any] = {
            "target": self.target,
            "sys_path": [entry for entry in sys.path if entry],
            "settings": dict(options.settings),
            "time_limit_s": options.time_limit_s,
            "workload": json.loads(workload.to_json()),
            "system": json.loads(system.to_json()),
        }
        here = str(Path(__file__).resolve().parent.parent.parent)
        with tempfile.TemporaryDirectory(prefix="tco-") as scratch:
            folder = Path(scratch)
            (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
            done = call(
                [sys.executable, "-m", "tco.simulators.worker", "request.json", "result.json"],
                folder=folder,
                time_limit_s=options.time_limit_s,
                environment={"PYTHONPATH": here},
            )
            try:
                result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                raise SimulatorError(f"left no result{last_words(done.stderr or done.stdout)}") from None
        if "fault" in result:
            raise SimulatorError(str(result["fault"]))
        try:
            return validate(Run, result.get("run"), "its run")
        except TcoError as error:
            raise SimulatorError(str(error)) from None
