"""The summary that llm-analysis writes for a training run (``...-summary.json``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

UNSTATED = (
    "power and energy",
    "which device it is of",
    "pipeline bubble, and communication between data-parallel and pipeline ranks (taken as nothing)",
    "time of the backward pass by part (only that of the forward pass)",
)
#: Efficiencies of which (predicted, measured) pairs are stored; the time goes with one over the efficiency.
_STORED = 1.0
#: Older releases write it so.
_ACHIEVED = ("achieved_flops", "achived_flops")


def run_of_summary(data: Mapping[str, Any], where: str, **fields: Any) -> Run:
    """A run from the summary of llm-analysis: the whole training where it states its tokens, else one iteration.

    Raises
    ------
    ReadError
        If a figure is missing or cannot be.
    """
    from tco.errors import ReadError
    from tco.readers.simulators import shared
    from tco.records.run import Prediction, Tool, Work
    from tco.units import Q

    step = shared.time_s(shared.number(data, "latency_per_iter", where), f"{where}: latency_per_iter")
    count = shared.number(data, "total_num_gpus", where)
    batch, length = shared.number(data, "global_batch_size", where), shared.number(data, "seq_len", where)
    efficiency = shared.number(data, "flops_efficiency", where)
    shares = [shared.utilisation("HFU", efficiency, f"{where}: flops_efficiency", stated=True)]
    tokens, whole, per_step = data.get("total_num_tokens"), data.get("total_training_latency"), batch * length
    steps = 1.0
    if tokens is not None and whole is not None:
        # whole iterations, as the tool counts them
        steps = float(round(shared.checked_number(whole, f"{where}: total_training_latency") / step))
        wanted = shared.checked_number(tokens, f"{where}: total_num_tokens") / per_step
        if abs(steps - wanted) > 1:
            raise ReadError(
                f"{where}: total_training_latency: is {steps:g} iterations of {step:.6g} s, and {tokens:g} tokens in "
                f"batches of {per_step:g} are {wanted:g}"
            )
    memory = data.get("(weight+op_state+grad+act)_memory_per_gpu")
    if memory is None:
        parts = [data.get(f"{part}_memory_per_gpu") for part in ("weight", "gradient", "optimizer_state", "activation")]
        memory = sum(parts) if all(isinstance(part, int | float) for part in parts) else None  # type: ignore[arg-type]
    return shared.run_of(
        where,
        utilisation=shares,
        unstated=UNSTATED,
        tool=Tool(name="llm-analysis"),
        duration=Q(step * steps, "s"),
        devices=shared.devices(count),
        work=[
            Work(quantity="iterations", value=steps),
            Work(quantity="sequences", value=steps * batch),
            Work(quantity="tokens", basis="total", value=steps * per_step),
        ],
        memory=None if memory is None else Q(shared.checked_number(memory, f"{where}: memory per device"), "B"),
        prediction=Prediction(
            simulator="llm-analysis",
            step_time=Q(step, "s"),
            steps=steps,
            pairs="llm-analysis-eff1.0",
            pairs_factor=_STORED / efficiency,
        ),
        **fields,
    )


class LlmAnalysis:
    """Reads the JSON summary of llm-analysis."""

    name = "llm-analysis"
    title = "training summary of llm-analysis (JSON)"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether the file begins with the first keys of a summary."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path, 4096)
        if '"batch_size_per_gpu"' in head and '"gradient_accumulation_steps"' in head:
            return 1.0
        return 0.9 if "batch_size_per_gpu:" in head and "Summary---" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run of the whole training."""
        from tco.errors import ReadError
        from tco.readers.simulators import shared
        from tco.records.run import Warning_

        if "Summary---" in shared.head_of(path, 4096):
            raise ReadError(
                f"{path}: is the readable form, whose numbers are rounded and change their unit with their size; read "
                "the '-summary.json' beside it"
            )
        data = shared.table_of(path)
        run = run_of_summary(data, str(path), name=path.stem, provenance=shared.files(path, None))
        shared.count_of(run.device_count, options, str(path))
        warnings = []
        achieved = next((data[name] for name in _ACHIEVED if name in data), None)
        if achieved is not None:
            warnings.append(
                Warning_(
                    code="efficiency-stated",
                    message=f"the efficiency of {data['flops_efficiency']:.4g} ({achieved:.4g} TFLOP/s a device) went "
                    "into the tool; where it was measured on the run that is predicted, the agreement is circular",
                    where=f"{path}: flops_efficiency",
                )
            )
        return [run.model_copy(update={"warnings": (*run.warnings, *warnings)})]


READER = LlmAnalysis()
