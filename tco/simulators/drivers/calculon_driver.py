"""Calls Calculon from a checkout: ``driver REQUEST.json RESULT.json``."""

import json
import logging
import sys
import types
from importlib import import_module


def main(request_file: str, result_file: str) -> None:
    """Read cases, write statistics or a fault for each."""
    with open(request_file, encoding="utf-8") as file:  # noqa: PTH123
        request = json.load(file)
    sys.path.insert(0, request["checkout"])
    for name in ("pandas", "psutil"):
        # imported by its searches over executions, which are not called here
        sys.modules.setdefault(name, types.ModuleType(name))
    try:
        calculon = import_module("calculon")
        llm = import_module("calculon.llm").Llm
    except ImportError as error:
        put(result_file, {"fault": f"Calculon cannot be imported from {request['checkout']}: {error}"})
        return
    logger = logging.getLogger("calculon")
    answers = []
    for case in request["cases"]:
        try:
            system = calculon.System(request["system"])
            model = llm(llm.Application(case["application"]), logger)
            model.compile(system, llm.Execution.from_json(case["execution"]))
            model.run(system)
            answers.append({"statistics": model.get_stats_json(False)})
        except Exception as error:  # noqa: BLE001,RUF100 - whatever a tool raises is its answer
            answers.append(
                {"fault": f"{error}" if isinstance(error, llm.Error) else f"{type(error).__name__}: {error}"}
            )
    put(result_file, {"answers": answers})


def put(file_name: str, result: object) -> None:
    """Write the result."""
    with open(file_name, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(result, file)


if __name__ == "__main__":
    main(*sys.argv[1:3])
