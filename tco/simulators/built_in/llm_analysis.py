"""llm-analysis from the package index (extra ``simulators``), in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.records.run import Run, Warning_
    from tco.records.system import System
    from tco.records.workload import Workload
    from tco.simulators.base import Options, SimulatorError

_PACKAGE = "llm-analysis"
#: Names of accelerators there.
_GPUS = {
    "a100-sxm4-40gb": "a100-sxm-40gb",
    "a100-sxm4-80gb": "a100-sxm-80gb",
    "h100-pcie-80gb": "h100-pcie-80gb",
    "h100-sxm5-80gb": "h100-sxm-80gb",
    "mi250x": "mi250x-128gb",
    "v100-sxm2-32gb": "v100-sxm-32gb",
}
_RECOMPUTE = {"none": 0, "selective": 1, "full": 2}
_DTYPES = {"fp16": "w16a16e16", "bf16": "w16a16e16"}
#: Bytes of layer-norm activations that the stored predictions were made with, the package's own default.
_LAYERNORM_BYTES = 4


class LlmAnalysis:
    """Runs llm-analysis."""

    name = "llm-analysis"
    title = "llm-analysis, operations at a stated efficiency"
    settings: Mapping[str, str] = {
        "flops_efficiency": "share of the peak that is reached, 0 to 1",
        "gpu": "name of the device there, where the catalogue's is not known to it",
        "python": "interpreter of an environment that has the package, in place of this one",
    }

    def available(self, options: Options) -> str | None:
        """Whether the package is installed here, or an interpreter is named that may have it."""
        python = options.settings.get("python")
        if python is not None:
            from shutil import which

            return None if which(python) else f"there is no interpreter '{python}'"
        from importlib.metadata import PackageNotFoundError, version

        try:
            version(_PACKAGE)
        except PackageNotFoundError:
            return (
                "the package llm-analysis is not installed: pip install 'tco-carbon[simulators]', or name the Python "
                "of another environment that has it: --setting llm-analysis.python=/path/to/bin/python"
            )
        return None

    def run(self, workload: Workload, system: System, options: Options) -> Run:
        """The run of one step."""
        from tco.simulators.base import SimulatorError

        answer = self.run_many([workload], system, options)[0]
        if isinstance(answer, SimulatorError):
            raise answer
        return answer

    def run_many(self, workloads: Sequence[Workload], system: System, options: Options) -> list[Run | SimulatorError]:
        """One run, or the reason why there is none, for each workload."""
        from tco.catalog.performance import baseline
        from tco.errors import TcoError
        from tco.readers.simulators.llm_analysis import run_of_summary
        from tco.simulators.base import SimulatorError
        from tco.simulators.driving import drive

        efficiency = options.number("flops_efficiency", at_most=1) or baseline("llm-analysis.flops_efficiency").value
        gpu = options.settings.get("gpu") or _GPUS.get(system.accelerator or "")
        if gpu is None:
            raise SimulatorError(
                f"its name for {system.accelerator or system.name} is not known; set gpu to a name that it has, such "
                "as 'h100-sxm-80gb'"
            )
        cases: list[dict[str, Any] | SimulatorError] = []
        for workload in workloads:
            try:
                cases.append(_case(workload))
            except SimulatorError as error:
                cases.append(error)
        precisions = {workload.precision for workload in workloads}
        if not precisions <= set(_DTYPES):
            raise SimulatorError(f"precision: is {', '.join(sorted(precisions))}; run here are fp16 and bf16")
        request = {
            "gpu": gpu,
            "dtype": _DTYPES[workloads[0].precision],
            "efficiencies": {
                "flops_efficiency": efficiency,
                "hbm_memory_efficiency": 1,
                "intra_node_memory_efficiency": 1.0,
                "inter_node_memory_efficiency": 1.0,
            },
            "cases": [case for case in cases if isinstance(case, dict)],
        }
        result = drive(
            "llm_analysis_driver", request, python=options.settings.get("python"), time_limit_s=options.time_limit_s
        )
        answers = iter(result["answers"])
        runs: list[Run | SimulatorError] = []
        for workload, case in zip(workloads, cases, strict=True):
            if isinstance(case, SimulatorError):
                runs.append(case)
                continue
            answer = next(answers)
            try:
                if "fault" in answer:
                    raise SimulatorError(str(answer["fault"]))
                runs.append(run_of_summary(answer["summary"], self.name, warnings=_warnings(workload)))
            except SimulatorError as error:
                runs.append(error)
            except TcoError as error:
                runs.append(SimulatorError(str(error)))
        return runs


def _warnings(workload: Workload) -> list[Warning_]:
    """A word where it counts other operations than the model has."""
    from tco.records.run import Warning_

    model = workload.model
    has = (3 if model.gated else 2) * model.inner * model.active_experts
    counted = 2 * 4 * model.hidden
    if has == counted:
        return []
    return [
        Warning_(
            code="other-operations",
            message="llm-analysis counts the operations of a feed-forward network of 4 x hidden without a gate; that "
            f"of this model has {has / counted:.3g} times as many",
        )
    ]


def _case(workload: Workload) -> dict[str, Any]:
    from tco.simulators.base import SimulatorError

    model, split = workload.model, workload.parallelism
    if split.recompute is None:
        raise SimulatorError("parallelism.recompute: is not stated; write 'none', 'selective' or 'full'")
    if split.context > 1:
        raise SimulatorError("parallelism.context: it has no context parallelism")
    return {
        "model": {
            "num_layers": model.layers,
            "n_head": model.heads,
            "hidden_dim": model.hidden,
            "vocab_size": model.vocabulary,
            "max_seq_len": model.sequence,
            "ffn_embed_dim": model.inner,
            "expansion_ratio": model.inner / model.hidden,
            "num_key_value_heads": model.kv_heads or model.heads,
            "moe_num_experts": model.experts,
            "moe_top_k": model.active_experts,
        },
        "parallelism": {
            "tp_size": split.tensor,
            "pp_size": split.pipeline,
            "dp_size": split.data,
            "ep_size": split.expert,
            "sp_size": split.tensor,
        },
        "training": {
            "batch_size_per_gpu": split.micro_batch,
            "gradient_accumulation_steps": workload.micro_batches,
            "global_batch_size": workload.global_batch,
            "seq_len": model.sequence,
            "activation_recomputation": _RECOMPUTE[split.recompute],
            "ds_zero": split.zero,
            "layernorm_dtype_bytes": _LAYERNORM_BYTES,
            "flash_attn": True,
            "mlp_gated_linear_units": model.gated,
        },
    }


SIMULATOR = LlmAnalysis()
