"""What LLMServingSim writes: a CSV with a row for each request, and on standard output a summary with the energy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

UNSTATED_CSV = (
    "power and energy (they are printed on standard output only)",
    "how long the devices compute (requests share them)",
    "memory",
)
UNSTATED_LOG = (
    "losses of the power supplies (the energy is the sum of the components of each node)",
    "memory",
    "how long the devices compute",
)
_HEADER = "instance id,request id,model,input,output,arrival,end_time,latency"
_NS = 1e9
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_REQUESTS = re.compile(r"Total requests:\s+(\d+)")
_CLOCKS = re.compile(r"Total clocks \(ns\):\s+(\S+)")
_INPUT = re.compile(r"Total input tokens:\s+(\d+)")
_OUTPUT = re.compile(r"Total generated tokens:\s+(\d+)")
_ENERGY = re.compile(r"Total energy consumption \(kJ\):\s+(\S+)")
_NODE = re.compile(r"Node (\d+) total energy consumption \(kJ\):\s+(\S+)")
_PART = re.compile(r"[├└]─ (.+?) energy consumption \(J\):\s*(\S+)")
#: Energies are printed in kJ with two decimals.
_ROUNDING_KJ = 0.005


class LlmServingSim:
    """Reads the request table and the printed summary of LLMServingSim."""

    name = "llmservingsim"
    title = "requests (CSV) or printed summary of LLMServingSim"
    boundary = "components of a node, modelled: behind its power supplies"

    def sniff(self, path: Path) -> float:
        """Whether it begins as the table, or holds the headings of the summary."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path)
        if head.startswith(_HEADER):
            return 1.0
        return 0.95 if _CLOCKS.search(head) and _REQUESTS.search(head) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run, from the start of the simulation to the end of its last request."""
        from tco.readers.simulators.shared import head_of

        return [_table(path, options) if head_of(path).startswith(_HEADER) else _log(path, options)]


def _cluster(path: Path, options: ReadOptions) -> tuple[Path | None, float | None, str | None]:
    """The cluster file, and the devices that it places the instances on."""
    from tco.readers.simulators import shared

    companion = shared.companion_of(path, options, "cluster.json")
    if companion is None:
        return None, None, None
    instances: list[Mapping[str, Any]] = [
        instance for node in shared.table_of(companion).get("nodes", ()) for instance in node.get("instances", ())
    ]
    count = sum(shared.number(instance, "tp_size", f"{companion}: instances") for instance in instances)
    kinds = {str(instance.get("hardware")) for instance in instances}
    return companion, count or None, kinds.pop() if len(kinds) == 1 else None


def _run(path: Path, options: ReadOptions, seconds: float, requests: float, read: float, written: float,
         unstated: tuple[str, ...], **fields: Any) -> Run:  # fmt: skip
    from tco.readers.simulators import shared
    from tco.records.run import Prediction, Tool, Work
    from tco.units import Q

    companion, count, model = _cluster(path, options)
    count = shared.count_of(count, options, str(companion or path))
    return shared.run_of(
        str(path),
        unstated=[*unstated, *([] if count else ["number and kind of devices (they are in the cluster file)"])],
        name=path.stem,
        tool=Tool(name="LLMServingSim"),
        duration=Q(seconds, "s"),
        devices=shared.devices(count, model),
        work=[
            Work(quantity="requests", value=requests),
            Work(quantity="tokens", basis="input", value=read),
            Work(quantity="tokens", basis="output", value=written),
        ],
        prediction=Prediction(
            simulator="llmservingsim", step_time=Q(seconds, "s"), mode="inference serving", pairs="llmservingsim-2"
        ),
        provenance=shared.files(path, companion),
        **fields,
    )


def _table(path: Path, options: ReadOptions) -> Run:
    import csv

    from tco.errors import ReadError
    from tco.readers.simulators import shared

    rows = csv.DictReader(shared.text_of(path).splitlines(), strict=True)
    ends, read, written = [], 0.0, 0.0
    try:
        for row in rows:
            where = f"{path}:{rows.line_num}"
            if None in row or None in row.values():
                raise ReadError(f"{where}: does not have the cells of the header; was the file cut off?")
            names = ("input", "output", "arrival", "end_time", "latency")
            cells = {name: shared.checked_number(row[name], f"{where}: column '{name}'") for name in names}
            if abs(cells["end_time"] - cells["arrival"] - cells["latency"]) > 1:
                raise ReadError(f"{where}: column 'latency': is not end_time - arrival; times are read in ns")
            ends.append(cells["end_time"])
            read, written = read + cells["input"], written + cells["output"]
    except csv.Error as error:
        raise ReadError(f"{path}:{rows.line_num}: not readable as CSV: {error}; was the file cut off?") from None
    if not ends:
        raise ReadError(f"{path}: has no request below its header")
    seconds = shared.time_s(max(ends) / _NS, f"{path}: column 'end_time'")
    return _run(path, options, seconds, len(ends), read, written, UNSTATED_CSV)


def _log(path: Path, options: ReadOptions) -> Run:
    from tco.errors import ReadError
    from tco.readers.simulators import shared
    from tco.records.run import EnergyReading, Result

    text = _STYLE.sub("", shared.text_of(path))

    def _found(pattern: re.Pattern[str], what: str) -> float:
        matches = pattern.findall(text)
        if len(matches) != 1:
            raise ReadError(f"{path}: holds {len(matches)} lines '{what}'; it must be the output of one run, complete")
        return shared.checked_number(matches[0], f"{path}: {what}")

    fields: dict[str, Any] = {}
    nodes = _NODE.findall(text)
    if nodes:
        total = _found(_ENERGY, "Total energy consumption (kJ)")
        parts = sum(shared.checked_number(value, f"{path}: Node {index}") for index, value in nodes)
        if abs(total - parts) > _ROUNDING_KJ * (1 + len(nodes)):
            raise ReadError(f"{path}: the energies of the nodes add up to {parts:g} kJ, the total is {total:g} kJ")
        fields["nodes"] = len(nodes)
        fields["energy"] = [EnergyReading(value=total, unit="kJ", boundary="node_dc", method="model", source=path.name)]
        fields["results"] = [
            Result(name=f"{title} energy", value=shared.checked_number(value, f"{path}: {title}"), unit="J")
            for title, value in _PART.findall(text)
        ]
    seconds = shared.time_s(_found(_CLOCKS, "Total clocks (ns)") / _NS, f"{path}: Total clocks (ns)")
    unstated = UNSTATED_LOG if nodes else (UNSTATED_CSV[0].replace(" (", " (of a run with power modelling, "), "memory")
    return _run(
        path,
        options,
        seconds,
        _found(_REQUESTS, "Total requests"),
        _found(_INPUT, "Total input tokens"),
        _found(_OUTPUT, "Total generated tokens"),
        unstated,
        **fields,
    )


READER = LlmServingSim()
