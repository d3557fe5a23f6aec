"""The statistics of one training batch that Calculon writes with ``calculon llm APP EXE SYS OUT.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.simulators.shared import Activity
    from tco.records.run import Run

#: The eleven times that add up to the total, what they are, and what the devices do in them.
PHASES: tuple[tuple[str, str, Activity], ...] = (
    ("fw_time", "forward", "busy"),
    ("bw_time", "backward", "busy"),
    ("optim_step_time", "optimiser", "busy"),
    ("recompute_time", "recomputation", "busy"),
    ("recomm_exposed_time", "exposed communication of the recomputation", "waiting"),
    ("bubble_time", "pipeline bubble", "waiting"),
    ("tp_comm_exposed_time", "exposed tensor-parallel communication", "waiting"),
    ("pp_comm_exposed_time", "exposed pipeline communication", "waiting"),
    ("dp_comm_exposed_time", "exposed data-parallel communication", "waiting"),
    ("fw_offload_exposed_time", "exposed offloading, forward", "waiting"),
    ("bw_offload_exposed_time", "exposed offloading, backward", "waiting"),
)
UNSTATED = (
    "power and energy",
    "number of devices (it is in the execution file)",
    "sequence length and tokens (they are in the application file)",
    "vocabulary and output layer (not modelled)",
    "which memory the devices have",
)
#: Sums of the eleven times and products of the rate agree with the total to rounding.
_ROUNDING = 1e-9


class Batch(NamedTuple):
    """What the statistics say of one batch."""

    seconds: float
    sequences: float
    memory_bytes: float


def batch_of(data: Mapping[str, Any], where: str) -> Batch:
    """Time, sequences and memory of the batch.

    Raises
    ------
    ReadError
        If a figure is missing or cannot be, or if the parts do not add up to the total.
    """
    from tco.errors import ReadError
    from tco.readers.simulators import shared

    total = shared.time_s(shared.number(data, "total_time", where), f"{where}: total_time")
    parts = sum(shared.number(data, name, where) for name, _, _ in PHASES)
    if abs(parts - total) > _ROUNDING * total:
        raise ReadError(f"{where}: total_time: the eleven times add up to {parts:.9g} s, the total is {total:.9g} s")
    sequences = shared.number(data, "sample_rate", where) * total
    return Batch(total, round(sequences, 9), shared.number(data, "proc_mem_tier1_cap_req", where))


def run_of_statistics(
    data: Mapping[str, Any], where: str, *, count: float | None, sequence: float | None = None, **fields: Any
) -> Run:
    """A run of one batch from the statistics of Calculon.

    Parameters
    ----------
    data
        As Calculon writes them.
    where
        Place, for messages.
    count
        Devices, where somebody says how many.
    sequence
        Tokens of a sequence, likewise.
    fields
        Further fields of the run.
    """
    from tco.readers.simulators import shared
    from tco.records.run import Prediction, Tool, Work
    from tco.units import Q

    batch = batch_of(data, where)
    work = [Work(quantity="iterations", value=1), Work(quantity="sequences", value=batch.sequences)]
    if sequence is not None:
        work.append(Work(quantity="tokens", basis="total", value=batch.sequences * sequence))
    return shared.run_of(
        where,
        phases=[shared.phase(title, activity, shared.number(data, name, where)) for name, title, activity in PHASES],
        utilisation=[shared.utilisation("MFU", data.get("total_efficiency"), f"{where}: total_efficiency")],
        unstated=[what for what in UNSTATED if count is None or not what.startswith("number of devices")],
        tool=Tool(name="Calculon"),
        duration=Q(batch.seconds, "s"),
        devices=shared.devices(count),
        work=work,
        memory=Q(batch.memory_bytes, "B"),
        prediction=Prediction(simulator="calculon", step_time=Q(batch.seconds, "s"), pairs="calculon"),
        **fields,
    )


class Calculon:
    """Reads the JSON statistics of Calculon."""

    name = "calculon"
    title = "statistics of Calculon (JSON), with its execution file for the number of devices"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether the file begins with the first statistics."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path, 4096)
        return 1.0 if '"block_fw_flops"' in head else 0.9 if "Batch total time:" in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run of one batch; the number of devices is that of the execution file, or as told."""
        from tco.errors import ReadError
        from tco.readers.simulators import shared

        if "Batch total time:" in shared.head_of(path):
            raise ReadError(
                f"{path}: is what Calculon prints, rounded to four decimals; let it write a file with the suffix .json"
            )
        data, companion = shared.table_of(path), shared.companion_of(path, options, "execution.json")
        count = None
        if companion is not None:
            execution = shared.table_of(companion)
            count = shared.number(execution, "num_procs", str(companion))
            batch, stated = batch_of(data, str(path)).sequences, execution.get("batch_size")
            if stated is not None and abs(batch - shared.checked_number(stated, f"{companion}: batch_size")) > 1e-6:
                raise ReadError(
                    f"{companion}: batch_size: is {stated}, and the result {path} is of a batch of {batch:g}; they do "
                    "not belong together"
                )
        count = shared.count_of(count, options, str(companion or path))
        return [
            run_of_statistics(data, str(path), count=count, name=path.stem, provenance=shared.files(path, companion))
        ]


READER = Calculon()
