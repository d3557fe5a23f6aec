"""Runs one plug-in of another package in a process of its own: ``python -m tco.simulators.worker REQUEST RESULT``."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main(request_file: str, result_file: str) -> None:
    """Load the plug-in, run it, write its run or what went wrong."""
    request = json.loads(Path(request_file).read_text(encoding="utf-8"))
    sys.path[:] = request["sys_path"]
    try:
        result = _answer(request)
    except Exception as error:  # whatever a stranger's code raises is its answer
        result = {"fault": str(error) if _is_ours(error) else f"raised {type(error).__name__}: {error}"}
    Path(result_file).write_text(json.dumps(result), encoding="utf-8")


def _is_ours(error: Exception) -> bool:
    from tco.errors import TcoError

    return isinstance(error, TcoError)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from tco.records.base import validate
    from tco.records.run import Run
    from tco.records.system import System
    from tco.records.workload import Workload
    from tco.simulators.base import Options, check_settings

    module, _, attribute = request["target"].partition(":")
    plugin: Any = getattr(import_module(module), attribute)
    missing = [name for name in ("name", "title", "settings", "available", "run") if not hasattr(plugin, name)]
    if missing:
        return {"fault": f"is no simulator: it has no {', '.join(missing)}"}
    options = Options(request["settings"], request["time_limit_s"])
    check_settings(plugin, options)
    why_not = plugin.available(options)
    if why_not is not None:
        return {"fault": str(why_not)}
    workload = validate(Workload, request["workload"], "workload")
    system = validate(System, request["system"], "system")
    run = plugin.run(workload, system, options)
    if not isinstance(run, Run):
        return {"fault": f"returned a {type(run).__name__}, not a Run"}
    return {"run": json.loads(run.to_json())}


if __name__ == "__main__":
    main(*sys.argv[1:3])
