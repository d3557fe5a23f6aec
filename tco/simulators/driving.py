"""Drivers: small scripts that call a simulator in a Python of its own, and hand back what it says."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

from tco.simulators.base import SimulatorError
from tco.simulators.process import call, last_words


def drive(driver: str, request: dict[str, Any], *, python: str | None, time_limit_s: float) -> Any:
    """Run a driver with a request and return its result.

    Parameters
    ----------
    driver
        Name of the script in `tco.simulators.drivers`.
    request
        Plain data.
    python
        Interpreter that has the simulator; the present one where None.
    time_limit_s
        When it is stopped.

    Raises
    ------
    SimulatorError
        If it fails, or leaves no result.
    """
    script = resources.files("tco.simulators") / "drivers" / f"{driver}.py"
    with tempfile.TemporaryDirectory(prefix="tco-") as scratch, resources.as_file(script) as path:
        folder = Path(scratch)
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        done = call(
            [python or sys.executable, str(path), "request.json", "result.json"],
            folder=folder,
            time_limit_s=time_limit_s,
        )
        try:
            result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise SimulatorError(f"left no result{last_words(done.stderr or done.stdout)}") from None
    if isinstance(result, dict) and "fault" in result:
        raise SimulatorError(str(result["fault"]))
    return result
