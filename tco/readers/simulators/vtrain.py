"""What vTrain ships and logs: tables of measured iteration times, and the predicted time of a configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

UNSTATED = ("power and energy", "vocabulary", "communication and bubble (only the whole iteration)", "memory")
_TIME = "iteration time (ms)"
_COLUMNS = (
    "# GPUs",
    "global batch",
    "micro batch",
    "sequence length",
    "tensor parallelism",
    "data parallelism",
    "pipeline parallelism",
    _TIME,
)
_SPLIT = ("tensor parallelism", "data parallelism", "pipeline parallelism")
_PREDICTED = re.compile(r"predicted iteration time: (\S+) ms")


class VTrain:
    """Reads the measured tables of vTrain, and the log of a prediction."""

    name = "vtrain"
    title = "measured iteration times of vTrain (CSV), or the log of its prediction"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether it is a table with its columns, a log with a prediction, or a configuration."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path)
        if _TIME in head.partition("\n")[0]:
            return 1.0
        if _PREDICTED.search(head):
            return 0.9
        return 0.9 if '"use_gradient_bucket"' in head and '"tensor_parallel_size"' in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run of one iteration for each row of a table, or the one that a log predicts."""
        from tco.errors import ReadError
        from tco.readers.simulators import shared

        head = shared.head_of(path)
        if _TIME in head.partition("\n")[0]:
            return _measured(path, options)
        if '"use_gradient_bucket"' in head:
            raise ReadError(
                f"{path}: is a configuration, the input of vTrain, and holds no time; read the log of its prediction, "
                "with this file beside it"
            )
        return [_predicted(path, options)]


def _measured(path: Path, options: ReadOptions) -> list[Run]:
    import csv

    from tco.errors import ReadError
    from tco.readers.simulators import shared
    from tco.records.run import Tool, Work
    from tco.units import Q

    text = shared.text_of(path)
    rows = csv.DictReader(text.splitlines())
    missing = [name for name in _COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise ReadError(f"{path}:1: there is no column '{missing[0]}'; columns: {', '.join(rows.fieldnames or ())}")
    provenance, runs = shared.files(path, None), []
    for index, row in enumerate(rows):
        where = f"{path}:{rows.line_num}"
        if None in row or None in row.values():
            raise ReadError(f"{where}: does not have the {len(rows.fieldnames or ())} cells of the header")
        cells = {name: shared.checked_number(row[name], f"{where}: column '{name}'") for name in _COLUMNS}
        product = cells[_SPLIT[0]] * cells[_SPLIT[1]] * cells[_SPLIT[2]]
        if product != cells["# GPUs"]:
            raise ReadError(
                f"{where}: column '# GPUs': {cells['# GPUs']:g} are not the product of the parallelisms, {product:g}"
            )
        seconds = shared.time_s(cells[_TIME] / 1e3, f"{where}: column '{_TIME}'")
        batch = cells["global batch"]
        runs.append(
            shared.run_of(
                where,
                unstated=UNSTATED,
                name=f"{path.stem} row {index}",
                tool=Tool(name="Megatron-DeepSpeed"),
                duration=Q(seconds, "s"),
                devices=shared.devices(shared.count_of(cells["# GPUs"], options, where)),
                work=[
                    Work(quantity="iterations", value=1),
                    Work(quantity="sequences", value=batch),
                    Work(quantity="tokens", basis="total", value=batch * cells["sequence length"]),
                ],
                provenance=provenance,
            )
        )
    if not runs:
        raise ReadError(f"{path}: has no row below its header")
    last = runs[-1].model_copy(update={"warnings": tuple(shared.unfinished(text, str(path)))})
    return [*runs[:-1], last]


def _predicted(path: Path, options: ReadOptions) -> Run:
    from tco.errors import ReadError
    from tco.readers.simulators import shared
    from tco.records.run import Prediction, Tool, Work
    from tco.units import Q

    found = _PREDICTED.findall(shared.text_of(path))
    if len(found) != 1:
        raise ReadError(f"{path}: holds {len(found)} predicted iteration times; write one log for each configuration")
    seconds = shared.time_s(shared.checked_number(found[0], f"{path}: predicted iteration time") / 1e3, str(path))
    companion = shared.companion_of(path, options, "json")
    companion = None if companion == path else companion
    count, work = None, [Work(quantity="iterations", value=1)]
    if companion is not None:
        config = shared.table_of(companion)
        count = shared.number(config, "num_gpus", str(companion))
        batch = shared.number(config, "global_batch_size", str(companion))
        length = shared.number(config, "max_length", str(companion))
        work += [
            Work(quantity="sequences", value=batch),
            Work(quantity="tokens", basis="total", value=batch * length),
        ]
    count = shared.count_of(count, options, str(companion or path))
    return shared.run_of(
        str(path),
        unstated=[*UNSTATED, *([] if count else ["number of devices (it is in the configuration)"])],
        name=path.stem,
        tool=Tool(name="vTrain"),
        duration=Q(seconds, "s"),
        devices=shared.devices(count),
        work=work,
        prediction=Prediction(simulator="vtrain", step_time=Q(seconds, "s"), pairs="vtrain"),
        provenance=shared.files(path, companion),
    )


READER = VTrain()
