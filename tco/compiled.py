"""A calculation graph as a program over arrays: base-unit magnitudes, in blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tco.errors import EstimateError, did_you_mean
from tco.graph import Graph, base_factor
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

    def __init__(self, graph: Graph, lines: Sequence[str], vary: Sequence[str], *, block: int = 8192) -> None:
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
        free: list[int] = []
        count = 0

        def register() -> int:
            nonlocal count
            if free:
                return free.pop()
            count += 1
            return count - 1

        self._loads: list[tuple[str, float, int]] = []
        self._steps: list[Step] = []
        constants: list[float] = []
        for node in needed:
            if node.name in self.vary:
                place[node.index] = register()
                self._loads.append((node.name, base_factor(node.quantity.units), place[node.index]))
                continue
            if not node.operands:
                fixed[node.index] = node.value * base_factor(node.quantity.units)
                continue
            operation = OPERATIONS[node.operation].on_arrays
            if all(operand.index in fixed for operand in node.operands):
                fixed[node.index] = float(operation(*(fixed[operand.index] for operand in node.operands)))
                continue
            sources = []
            for operand in node.operands:
                if operand.index in fixed:
                    constants.append(fixed[operand.index])
                    sources.append(-len(constants))  # registers from the end hold constants
                else:
                    sources.append(place[operand.index])
            for operand in dict.fromkeys(node.operands):
                if operand.index in place and last_use[operand.index] == node.index and node.operation != "where":
                    free.append(place[operand.index])
            place[node.index] = register()
            self._steps.append((operation, tuple(sources), place[node.index]))
            if node.operation == "where":  # its result must not share a buffer with what it reads
                for operand in dict.fromkeys(node.operands):
                    if operand.index in place and last_use[operand.index] == node.index:
                        free.append(place[operand.index])
        self._buffers = count
        self._constants = constants
        self._stores: list[tuple[str, float, int | None, float]] = []
        for node in outputs:
            factor = 1.0 / base_factor(node.quantity.units)
            self._stores.append((node.name, factor, place.get(node.index), fixed.get(node.index, 0.0)))

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
        given = {name: np.asarray(samples[name], dtype=np.float64) for name in self.vary}
        sizes = {array.shape for array in given.values()}
        if len(sizes) != 1 or len(next(iter(sizes))) != 1:
            raise ValueError(f"every sampled input needs one array of the same length, got shapes {sorted(sizes)}")
        (n,) = next(iter(sizes))
        results = {name: np.empty(n) for name in self.lines}
        width = min(self.block, max(n, 1))
        whole: list[Any] = [np.empty(width) for _ in range(self._buffers)] + list(reversed(self._constants))
        for start in range(0, n, width):
            stop = min(start + width, n)
            registers = (
                whole
                if stop - start == width
                else [r[: stop - start] if isinstance(r, np.ndarray) else r for r in whole]
            )
            for name, factor, target in self._loads:
                np.multiply(given[name][start:stop], factor, out=registers[target])
            for operation, sources, target in self._steps:
                operation(*[registers[source] for source in sources], out=registers[target])
            for name, factor, source_register, constant in self._stores:
                if source_register is None:
                    results[name][start:stop] = constant * factor
                else:
                    np.multiply(registers[source_register], factor, out=results[name][start:stop])
        return results
