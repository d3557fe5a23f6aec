"""Calculon from a checkout that the user names, in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tco.records.run import Run
    from tco.records.system import System
    from tco.records.workload import Workload
    from tco.simulators.base import Options, SimulatorError

_REPOSITORY = "github.com/calculon-ai/calculon"
#: Its files for the accelerators of the catalogue.
_SYSTEMS = {"a100-sxm4-80gb": "systems/a100_80g.json", "h100-sxm5-80gb": "systems/h100_80g_nvl8.json"}
_DATATYPES = {"fp32": "float32", "bf16": "float16", "fp16": "float16", "fp8": "float8"}
_RECOMPUTE = {"none": "none", "selective": "attn_only", "full": "full"}


class Calculon:
    """Runs Calculon."""

    name = "calculon"
    title = "Calculon, an analytical model of transformer training"
    settings: Mapping[str, str] = {
        "path": f"checkout of {_REPOSITORY}",
        "system": "its system file (JSON), where the catalogue's accelerator has none there",
    }

    def available(self, options: Options) -> str | None:
        """Whether a checkout is named that holds it."""
        path = options.settings.get("path")
        if path is None:
            return (
                f"needs a checkout of {_REPOSITORY}: --setting calculon.path=DIR{_namesake()}; it is on no package "
                "index"
            )
        if not (Path(path) / "calculon" / "llm" / "llm.py").is_file():
            return f"'{path}' is no checkout of {_REPOSITORY}: it has no calculon/llm/llm.py{_namesake()}"
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
        from tco.errors import TcoError
        from tco.readers.simulators.calculon import run_of_statistics
        from tco.records.run import Tool
        from tco.simulators.base import SimulatorError
        from tco.simulators.driving import drive

        checkout = Path(options.settings["path"]).resolve()
        machine = _machine(checkout, system, options)
        first_tier = float(machine["networks"][0]["size"])
        cases: list[dict[str, Any] | SimulatorError] = []
        for workload in workloads:
            try:
                cases.append(_case(workload, first_tier))
            except SimulatorError as error:
                cases.append(error)
        request = {
            "checkout": str(checkout),
            "system": machine,
            "cases": [case for case in cases if isinstance(case, dict)],
        }
        result = drive("calculon_driver", request, python=None, time_limit_s=options.time_limit_s)
        tool = Tool(name="Calculon", version=_version(checkout))
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
                count, sequence = float(workload.devices or 1), float(workload.model.sequence)
                run = run_of_statistics(answer["statistics"], self.name, count=count, sequence=sequence)
                runs.append(run.model_copy(update={"tool": tool}))
            except SimulatorError as error:
                runs.append(error)
            except TcoError as error:
                runs.append(SimulatorError(str(error)))
        return runs


def _namesake() -> str:
    """A word about the other package of this name, where it is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("calculon")
    except PackageNotFoundError:
        return ""
    return f" (the installed package 'calculon' {found} is an unrelated library that shares the name)"


def _version(checkout: Path) -> str | None:
    """The commit of the checkout, read from its files; None where it has none."""
    git = checkout / ".git"
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if head.startswith("ref: "):
            head = (git / head.removeprefix("ref: ")).read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return f"commit {head[:12]}" if head else None


def _machine(checkout: Path, system: System, options: Options) -> dict[str, Any]:
    """The description of the hardware that Calculon takes."""
    import json

    from tco.simulators.base import SimulatorError

    named = options.settings.get("system")
    if named is None:
        own = _SYSTEMS.get(system.accelerator or "")
        if own is None:
            of = system.accelerator or f"system '{system.name}'"
            raise SimulatorError(
                f"has no system file for {of} (it has for {', '.join(_SYSTEMS)}); write one as its systems/*.json and "
                "name it: --setting calculon.system=FILE"
            )
        path = checkout / own
    else:
        path = Path(named) if Path(named).is_file() else checkout / named
    try:
        machine: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        networks = machine["networks"]
        for tier in networks:
            # a job need not fill the nodes that it is spread over
            tier["must_be_filled"] = False
    except OSError as error:
        raise SimulatorError(f"system: '{path}' cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise SimulatorError(f"system: '{path}' is no system file of Calculon (JSON with 'networks')") from None
    if not networks:
        raise SimulatorError(f"system: '{path}' has no network")
    return machine


def _case(workload: Workload, first_tier: float) -> dict[str, Any]:
    """Application and execution of a workload, as Calculon takes them."""
    from tco.simulators.base import SimulatorError

    model, split, count = workload.model, workload.parallelism, workload.devices or 1
    for given, field, what in (
        (model.gated, "model.gated", "no gated feed-forward network"),
        (model.kv_heads not in (None, model.heads), "model.kv_heads", "no heads of keys and values that are shared"),
        (model.experts > 1, "model.experts", "no experts"),
        (split.context > 1, "parallelism.context", "no context parallelism"),
    ):
        if given:
            raise SimulatorError(f"{field}: it has {what}")
    if split.recompute is None:
        raise SimulatorError("parallelism.recompute: is not stated; write 'none', 'selective' or 'full'")
    if workload.precision not in _DATATYPES:
        raise SimulatorError(f"precision: it has no {workload.precision}")
    inside = count <= first_tier
    return {
        "application": {
            "hidden": model.hidden,
            "feedforward": model.inner,
            "seq_size": model.sequence,
            "attn_heads": model.heads,
            "attn_size": model.hidden // model.heads,
            "num_blocks": model.layers,
        },
        "execution": {
            "num_procs": count,
            "tensor_par": split.tensor,
            "pipeline_par": split.pipeline,
            "data_par": split.data,
            "tensor_par_net": 0 if inside or split.tensor <= first_tier else 1,
            "pipeline_par_net": 0 if inside else 1,
            "data_par_net": 0 if inside else 1,
            "batch_size": workload.global_batch,
            "microbatch_size": split.micro_batch,
            "datatype": _DATATYPES[workload.precision],
            "fused_activation": False,
            "attention_type": "multihead",
            "activation_recompute": _RECOMPUTE[split.recompute],
            "pipeline_interleaving": split.interleave,
            "optimizer_sharding": split.zero > 0,
            "tensor_par_comm_type": "rs_ag" if split.sequence_parallel else "ar",
            "tensor_par_overlap": "none",
            "seq_par_ag_redo": split.sequence_parallel,
            "data_par_overlap": False,
            "weight_offload": False,
            "activations_offload": False,
            "optimizer_offload": False,
            "training": True,
        },
    }


SIMULATOR = Calculon()
