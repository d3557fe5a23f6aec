"""Calls llm-analysis: ``driver REQUEST.json RESULT.json``."""

import json
import sys
from importlib import import_module


def main(request_file: str, result_file: str) -> None:
    """Read cases, write a summary or a fault for each."""
    with open(request_file, encoding="utf-8") as file:  # noqa: PTH123 - any Python from 3.8
        request = json.load(file)
    # Models are given in full, so nothing has to be looked up, and a second of imports is saved.
    sys.modules["transformers"] = None  # type: ignore[assignment]
    try:
        config = import_module("llm_analysis.config")
        tool = import_module("llm_analysis.analysis")
    except ImportError as error:
        put(result_file, {"fault": f"llm-analysis cannot be imported: {error}"})
        return
    if not config.gpu_configs:
        config.populate_model_and_gpu_configs()
    if request["gpu"] not in config.gpu_configs:
        known = ", ".join(sorted(config.gpu_configs))
        put(result_file, {"fault": f"llm-analysis has no GPU '{request['gpu']}'; set gpu to one of {known}"})
        return
    answers: list = []
    for case in request["cases"]:
        try:
            analysis = tool.LLMAnalysis(
                config.ModelConfig(name="workload", **case["model"]),
                config.gpu_configs[request["gpu"]],
                config.dtype_configs[request["dtype"]],
                config.ParallelismConfig(**case["parallelism"]),
                **request["efficiencies"],
            )
            training = dict(case["training"])
            training["activation_recomputation"] = tool.ActivationRecomputation(training["activation_recomputation"])
            training["ds_zero"] = tool.DSZeRO(training["ds_zero"])
            summary = analysis.training(**training)
            answers.append({"summary": {name: as_plain(value) for name, value in summary.items()}})
        except Exception as error:  # noqa: BLE001,RUF100 - whatever a tool raises is its answer
            answers.append({"fault": f"{type(error).__name__}: {error}"})
    put(result_file, {"peak_tflops": config.gpu_configs[request["gpu"]].peak_fp16_TFLOPS, "answers": answers})


def as_plain(value: object) -> object:
    """A value that JSON has."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def put(file_name: str, result: object) -> None:
    """Write the result."""
    with open(file_name, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(result, file)


if __name__ == "__main__":
    main(*sys.argv[1:3])
