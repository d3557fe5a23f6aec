"""A calculation graph as a program over arrays: bare numbers, in blocks that stay in the processor's cache."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tco.errors import EstimateError, did_you_mean
from tco.graph import Graph, Node, base_factor
from tco.operations import OPERATIONS

Array = npt.NDArray[np.float64]
Step = tuple[Callable[..., Any], tuple[int, ...], int]

#: A factor this near to 1 is 1, and the rounding of two conversions.
_ONE = 4 * sys.float_info.epsilon


class Program:
    """The lines of a graph as a function of some of its inputs.

    Numbers are kept in the unit that the graph has them in, as a person would write the formulas down: a factor stands
    only where units meet that are not alike, and it goes into a constant where there is one. Parts of the graph that
    the varying inputs do not reach are computed once, when the program is made. The others run block by block over a
    few buffers that are used again as soon as nothing needs them any more.

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
        outputs = {graph[name].index: place for place, name in enumerate(self.lines)}
        needed = graph.needed_for([graph[name] for name in self.lines])
        _Compiler(self, graph, needed, outputs)

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
        results = [np.empty(n) for _ in self.lines]
        for place, value in self._fixed:
            results[place][:] = value
        for place, sample in self._copied:
            results[place][:] = given[sample]
        width = min(self.block, max(n, 1))
        buffers = [np.empty(width) for _ in range(self._buffers)]
        constants = self._constants[::-1]
        for start in range(0, n, width):
            stop = min(start + width, n)
            own = buffers if stop - start == width else [buffer[: stop - start] for buffer in buffers]
            registers: list[Any] = [array[start:stop] for array in given]
            registers += [array[start:stop] for array in results]
            registers += own + constants
            for operation, sources, target in self._steps:
                operation(*[registers[source] for source in sources], out=registers[target])
        return dict(zip(self.lines, results, strict=True))

    _steps: list[Step]
    _constants: list[float]
    _buffers: int
    _fixed: list[tuple[int, float]]
    _copied: list[tuple[int, int]]


class _Compiler:
    """Turns the nodes of a graph into the steps of a program.

    Registers hold, in this order, the samples, the lines, the buffers, and from the end the constants.
    """

    def __init__(self, program: Program, graph: Graph, needed: Sequence[Node], outputs: Mapping[int, int]) -> None:
        self.samples = {name: place for place, name in enumerate(program.vary)}
        self.outputs, self.first_buffer = outputs, len(program.vary) + len(program.lines)
        self.steps: list[Step] = []
        self.constants: list[float] = []
        self.buffers = 0
        self.free: list[int] = []
        self.place: dict[int, int] = {}  # node -> register
        self.fixed: dict[int, float] = {}  # node -> its value in its unit, where no sample changes it
        self.factor = {node.index: base_factor(node.quantity.units) for node in needed}
        self.last_use = {operand.index: node.index for node in needed for operand in node.operands}
        for node in needed:
            if node.name in self.samples:
                self.place[node.index] = self.samples[node.name]
            elif not node.operands or all(operand.index in self.fixed for operand in node.operands):
                self.fixed[node.index] = node.value  # as the graph has it, to the last digit
            else:
                self.add(node)
        program._steps, program._constants, program._buffers = self.steps, self.constants, self.buffers
        program._fixed = [(outputs[index], self.fixed[index]) for index in outputs if index in self.fixed]
        program._copied = [
            (outputs[index], self.place[index])
            for index in outputs
            if self.place.get(index, len(program.vary)) < len(program.vary)
        ]

    def constant(self, value: float) -> int:
        """A register that holds a number."""
        self.constants.append(value)
        return -len(self.constants)

    def buffer(self) -> int:
        """A register that holds an array, for a while."""
        if self.free:
            return self.free.pop()
        self.buffers += 1
        return self.first_buffer + self.buffers - 1

    def release(self, node: Node) -> None:
        """Give back the buffers of operands that nothing needs any more."""
        for operand in dict.fromkeys(node.operands):
            own = self.place.get(operand.index, -1) >= self.first_buffer
            if own and self.last_use[operand.index] == node.index:
                self.free.append(self.place[operand.index])

    def add(self, node: Node) -> None:
        """Append the steps of a node that samples reach."""
        scales, after = self.scales(node)
        sources: list[int] = []
        borrowed: list[int] = []
        for position, (operand, scale) in enumerate(zip(node.operands, scales, strict=True)):
            if operand.index in self.fixed:
                value = self.fixed[operand.index] * scale
                if node.operation in ("multiply", "divide") and after != 1.0:
                    divisor = node.operation == "divide" and position == 1
                    value, after = (value / after if divisor else value * after), 1.0
                sources.append(self.constant(value))
            elif scale != 1.0:
                borrowed.append(self.buffer())
                self.steps.append((np.multiply, (self.place[operand.index], self.constant(scale)), borrowed[-1]))
                sources.append(borrowed[-1])
            else:
                sources.append(self.place[operand.index])
        operation = OPERATIONS[node.operation].on_arrays
        in_two_passes = node.operation == "where"  # its result must not share a buffer with what it chooses from
        if not in_two_passes:
            self.release(node)
            self.free.extend(borrowed)
        line = self.outputs.get(node.index)
        target = self.buffer() if line is None else len(self.samples) + line
        if in_two_passes:
            self.release(node)
            self.free.extend(borrowed)
        self.place[node.index] = target
        self.steps.append((operation, tuple(sources), target))
        if after != 1.0:
            self.steps.append((np.multiply, (target, self.constant(after)), target))

    def scales(self, node: Node) -> tuple[list[float], float]:
        """Factors for the operands of a node before its operation, and for the result behind it."""
        own, operands = self.factor[node.index], [self.factor[operand.index] for operand in node.operands]
        match node.operation:
            case "multiply":
                return [1.0, 1.0], _factor(operands[0] * operands[1] / own)
            case "divide":
                return [1.0, 1.0], _factor(operands[0] / operands[1] / own)
            case "less" | "less_equal":
                return [1.0, _factor(operands[1] / operands[0])], 1.0
            case "where":
                return [1.0, *(_factor(factor / own) for factor in operands[1:])], 1.0
            case "add" | "subtract" | "same" | "negative" | "minimum" | "maximum":
                return [_factor(factor / own) for factor in operands], 1.0
            case _:  # of plain numbers, but for what is raised to a power that does not vary: all in base units
                return [_factor(factor) for factor in operands], _factor(1.0 / own)


def _factor(value: float) -> float:
    return 1.0 if abs(value - 1.0) <= _ONE else value
