"""Execution traces in the Chakra format: a graph of operators, as JSON or as protocol buffers (``.et``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run, RunPhase

UNSTATED = ("power and energy", "work done", "utilisation", "memory")
#: Kinds of node as the schema numbers them.
_COMMUNICATION = frozenset({5, 6, 7})
_KINDS = range(1, 8)
_US = 1e6
_WIDTHS = {1: 8, 5: 4}


class Operator(NamedTuple):
    """A node of the graph; times in microseconds."""

    id: int
    kind: int
    start: float
    duration: float
    after: tuple[int, ...]


class Chakra:
    """Reads a Chakra execution trace."""

    name = "chakra"
    title = "Chakra execution trace (.et or JSON)"
    boundary = "none: times only"

    def sniff(self, path: Path) -> float:
        """Whether it is JSON with a workload graph, or begins as length-delimited protocol buffers of one."""
        from tco.readers.simulators.shared import head_of

        head = head_of(path, 4096)
        if '"workload_graph"' in head:
            return 1.0
        return 0.8 if path.suffix == ".et" else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run: from first to last operator where the trace has times, else along its longest chain."""
        from tco.errors import ReadError
        from tco.readers.simulators import shared
        from tco.records.run import Prediction, Result, Tool, Warning_
        from tco.units import Q

        nodes, count = _of_json(path) if path.suffix == ".json" else (list(_of_messages(path)), None)
        if not nodes:
            raise ReadError(f"{path}: has no node")
        total = sum(node.duration for node in nodes)
        if not total:
            raise ReadError(
                f"{path}: its {len(nodes)} nodes have no run times: it is the input of a simulator, which finds them; "
                "read the result of the simulator"
            )
        talking = sum(node.duration for node in nodes if node.kind in _COMMUNICATION)
        timed = any(node.start for node in nodes)
        phases, warnings = (_by_clock(nodes), []) if timed else (_along_chain(nodes, path), [])
        if not timed:
            warnings.append(
                Warning_(
                    code="no-clock",
                    message="the trace has durations and no start times: the run time is that of its longest chain of "
                    "dependent nodes, which it cannot be shorter than",
                    where=str(path),
                )
            )
        seconds = sum(float(part.duration.m_as("s")) for part in phases)
        return [
            shared.run_of(
                str(path),
                phases=phases,
                unstated=UNSTATED,
                name=path.name.partition(".")[0],
                tool=Tool(name="Chakra"),
                duration=Q(shared.time_s(seconds, str(path)), "s"),
                devices=shared.devices(shared.count_of(count, options, str(path))),
                prediction=Prediction(simulator="chakra", step_time=Q(seconds, "s")) if not timed else None,
                results=[
                    Result(name="node time", value=total, unit="us", note="sum over all nodes"),
                    Result(name="communication share", value=talking / total, unit="1", note="of the node time"),
                ],
                warnings=warnings,
                provenance=shared.files(path, None),
            )
        ]


def _by_clock(nodes: list[Operator]) -> list[RunPhase]:
    import numpy as np

    from tco.readers.simulators import intervals, shared

    spans = np.array([(node.start, node.start + node.duration) for node in nodes])
    talking = np.array([node.kind in _COMMUNICATION for node in nodes])
    span = float(spans[:, 1].max() - spans[:, 0].min())
    busy, computing = intervals.length(spans), intervals.length(spans[~talking])
    return [
        shared.phase("compute", "busy", computing / _US),
        shared.phase("exposed communication", "waiting", (busy - computing) / _US),
        shared.phase("nothing runs", "waiting", (span - busy) / _US),
    ]


def _along_chain(nodes: list[Operator], path: Path) -> list[RunPhase]:
    """Computation and communication on the longest chain of dependent nodes."""
    from tco.errors import ReadError
    from tco.readers.simulators import shared

    by_id = {node.id: node for node in nodes}
    if len(by_id) < len(nodes):
        raise ReadError(f"{path}: two nodes have the same id")
    waits = {node.id: sum(before in by_id for before in node.after) for node in nodes}
    followers: dict[int, list[int]] = {}
    for node in nodes:
        for before in node.after:
            if before in by_id:
                followers.setdefault(before, []).append(node.id)
    # (time, of which communication) at the end of each node
    reached = {node.id: (0.0, 0.0) for node in nodes}
    ready = [node for node, count in waits.items() if not count]
    longest, done = (0.0, 0.0), 0
    while ready:
        node = by_id[ready.pop()]
        time, talking = reached[node.id]
        end = time + node.duration, talking + (node.duration if node.kind in _COMMUNICATION else 0.0)
        longest, done = max(longest, end), done + 1
        for follower in followers.get(node.id, ()):
            reached[follower] = max(reached[follower], end)
            waits[follower] -= 1
            if not waits[follower]:
                ready.append(follower)
    if done < len(nodes):
        raise ReadError(f"{path}: its nodes wait for each other in a circle; the graph is damaged")
    time, talking = longest
    return [
        shared.phase("compute", "busy", (time - talking) / _US),
        shared.phase("communication", "waiting", talking / _US),
    ]


def _of_json(path: Path) -> tuple[list[Operator], float | None]:
    from tco.errors import ReadError
    from tco.readers.simulators import shared

    data, nodes = shared.table_of(path), []
    graph = data.get("workload_graph")
    if not isinstance(graph, list):
        raise ReadError(f"{path}: workload_graph: is missing, or no list of nodes")
    for index, node in enumerate(graph):
        where = f"{path}: workload_graph[{index}]"
        if not isinstance(node, dict):
            raise ReadError(f"{where}: is no node")
        kind = int(shared.number(node, "NodeType", where))
        _check_kind(kind, where)
        after = [*(node.get("ctrlDeps") or ()), *(node.get("data_deps") or ())]
        if not all(isinstance(before, int) for before in after):
            raise ReadError(f"{where}: dependencies must be ids of nodes")
        runtime = shared.number(node, "runtime", where)
        nodes.append(Operator(int(shared.number(node, "Id", where)), kind, 0.0, runtime, tuple(after)))
    count = data.get("ngpus")
    return nodes, None if count is None else shared.checked_number(count, f"{path}: ngpus")


def _check_kind(kind: int, where: str) -> None:
    from tco.errors import ReadError

    if kind not in _KINDS:
        raise ReadError(
            f"{where}: a node of kind {kind} is not known ({_KINDS.start} to {_KINDS.stop - 1} are); the field numbers "
            "differ between versions of Chakra"
        )


def _of_messages(path: Path) -> Iterator[Operator]:
    """Nodes of a length-delimited protocol buffer: first the metadata, then a message a node."""
    from tco.errors import ReadError

    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror}") from None
    at, first = 0, True
    while at < len(data):
        size, at = _varint(data, at, path)
        if at + size > len(data):
            raise ReadError(
                f"{path}: was cut off: a message of {size} bytes begins {len(data) - at} bytes before the end"
            )
        if not first:
            yield _node(data[at : at + size], path)
        at, first = at + size, False


def _node(message: bytes, path: Path) -> Operator:
    """One node: id 1, kind 3, dependencies 4 and 5, start 6 and duration 7, the rest passed over."""
    numbers: dict[int, int] = {}
    after: list[int] = []
    at = 0
    while at < len(message):
        key, at = _varint(message, at, path)
        field, wire = key >> 3, key & 7
        value: Any = None
        if wire == 0:
            value, at = _varint(message, at, path)
            if field in (4, 5):
                after.append(value)
            else:
                numbers[field] = value
        elif wire == 2:
            size, at = _varint(message, at, path)
            packed, at = message[at : at + size], at + size
            inner = 0
            while field in (4, 5) and inner < len(packed):
                value, inner = _varint(packed, inner, path)
                after.append(value)
        elif wire in _WIDTHS:
            at += _WIDTHS[wire]
        else:
            _damaged(path)
        if at > len(message):
            _damaged(path)
    _check_kind(numbers.get(3, 0), f"{path}: node {numbers.get(1)}")
    return Operator(numbers.get(1, 0), numbers[3], float(numbers.get(6, 0)), float(numbers.get(7, 0)), tuple(after))


def _varint(data: bytes, at: int, path: Path) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at
    _damaged(path)
    raise AssertionError  # not reached


def _damaged(path: Path) -> None:
    from tco.errors import ReadError

    raise ReadError(f"{path}: is no Chakra trace, or was cut off: a number does not end")


READER = Chakra()
