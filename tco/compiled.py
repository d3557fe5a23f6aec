"""A calculation graph as a program over arrays: base-unit magnitudes, in blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tco.errors import EstimateError, did_you_mean
from tco.graph import Graph, Node, base_factor
from tco.operations import OPERATIONS

Array = npt.NDArray[np.float64]
Step = tuple[Callable[..., Any], tuple[int, ...], int]


class Program:
    """The lines of a graph as a function of some of its inputs.

    Parts of the graph that the varying inputs do not reach are computed once, when the program is made. The others
    run block by block over a few buffers that are used again as soon as nothing needs them any more.

    Parameters
    ----------
    graph
        The graph; its other inputs keep their values.
    lines
        Names of the nodes to compute.
    vary
        Names of the inputs that the samples give.
    block
        Samples evaluated at a time.
    """

    def __init__(self, graph: Graph, lines: Sequence[str], vary: Sequence[str], *, block: int = 16384) -> None:
        self.lines = tuple(lines)
        self.vary = tuple(vary)
        self.block = block
        inputs = {node.name: node for node in graph.inputs()}
        for name in self.vary:
            if name not in inputs:
                raise EstimateError(f"'{name}' is not an input of this estimate{did_you_mean(name, inputs)}")
        outputs = [graph[name] for name in self.lines]
        needed = graph.needed_for(outputs)

        place: dict[int, int] = {}  # node -> register
        fixed: dict[int, float] = {}  # node -> base-unit magnitude that no sample changes
        last_use = {operand.index: node.index for node in needed for operand in node.operands}
        last_use |= {node.index: len(graph.nodes) for node in outputs}
        self._steps: list[Step] = []
        self._constants: list[float] = []
        self._buffers = 0
        free: list[int] = []

        def constant(value: float) -> int:
            self._constants.append(value)
            return -len(self._constants)  # registers from the end hold constants

        def buffer() -> int:
            if free:
                return free.pop()
            self._buffers += 1
            return len(self.vary) + self._buffers - 1  # the first registers hold the samples

        def release(operands: Sequence[Node], at: Node) -> None:
            for operand in dict.fromkeys(operands):
                own = place.get(operand.index, -1) >= len(self.vary)
                if own and last_use[operand.index] == at.index:
                    free.append(place[operand.index])

        for node in needed:
            if node.name in self.vary:
                sample, factor = self.vary.index(node.name), base_factor(node.quantity.units)
                place[node.index] = sample
                if factor != 1.0:
                    place[node.index] = buffer()
                    self._steps.append((np.multiply, (sample, constant(factor)), place[node.index]))
                continue
            if not node.operands:
                fixed[node.index] = node.value * base_factor(node.quantity.units)
                continue
            operation = OPERATIONS[node.operation].on_arrays
            if all(operand.index in fixed for operand in node.operands):
                fixed[node.index] = float(operation(*(fixed[operand.index] for operand in node.operands)))
                continue
            sources = tuple(
                constant(fixed[operand.index]) if operand.index in fixed else place[operand.index]
                for operand in node.operands
            )
            if node.operation == "where":  # it is written in two passes: its result must not share a buffer
                place[node.index] = buffer()
                release(node.operands, node)
            else:
                release(node.operands, node)
                place[node.index] = buffer()
            self._steps.append((operation, sources, place[node.index]))
        self._stores: list[tuple[str, float, int | None, float]] = [
            (node.name, 1.0 / base_factor(node.quantity.units), place.get(node.index), fixed.get(node.index, 0.0))
            for node in outputs
        ]

    def __call__(self, samples: Mapping[str, npt.ArrayLike]) -> dict[str, Array]:
        """Evaluate the lines for every sample.

        Parameters
        ----------
        samples
            For each input of `vary` an array of shape (n,), in the unit of the input.

        Returns
        -------
        dict
            For each line an array of shape (n,), in the unit of the line.
        """
        given = [np.asarray(samples[name], dtype=np.float64) for name in self.vary]
        shapes = {array.shape for array in given}
        if len(shapes) != 1 or len(next(iter(shapes))) != 1:
            raise ValueError(f"every sampled input needs one array of the same length, got shapes {sorted(shapes)}")
        n = len(given[0])
        results = {name: np.empty(n) for name in self.lines}
        width = min(self.block, max(n, 1))
        buffers = [np.empty(width) for _ in range(self._buffers)]
        constants = self._constants[::-1]
        for start in range(0, n, width):
            stop = min(start + width, n)
            own = buffers if stop - start == width else [buffer[: stop - start] for buffer in buffers]
            registers: list[Any] = [array[start:stop] for array in given] + own + constants
            for operation, sources, target in self._steps:
                operation(*[registers[source] for source in sources], out=registers[target])
            for name, factor, source, constant in self._stores:
                if source is None:
                    results[name][start:stop] = constant * factor
                else:
                    np.multiply(registers[source], factor, out=results[name][start:stop])
        return results
