"""A compiled estimate on many samples, against the same formulas as plain whole-array NumPy.

Bar: at most 0.6 of the time of whole-array NumPy at 1,000,000 samples.

    python benchmarks/graph.py [--samples 1000000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tco
from tco.graph import Graph, base_factor
from tco.operations import OPERATIONS

ROOT = Path(__file__).resolve().parent.parent


def whole_arrays(graph: Graph, lines: list[str], samples: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The formulas of a graph one after the other, each on whole arrays, as one would write them by hand.

    The constant parts are computed once, as in a script; only what the samples reach is an array.
    """
    values: dict[int, object] = {}
    for node in graph.needed_for([graph[name] for name in lines]):
        if node.name in samples:
            values[node.index] = samples[node.name] * base_factor(node.quantity.units)
        elif not node.operands:
            values[node.index] = node.value * base_factor(node.quantity.units)
        else:
            operands = [values[operand.index] for operand in node.operands]
            values[node.index] = OPERATIONS[node.operation].on_arrays(*operands)
    return {name: values[graph[name].index] / base_factor(graph[name].quantity.units) for name in lines}  # type: ignore[operator]


def best_of(action: Callable[[], object], repeat: int = 7) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1_000_000)
    n = parser.parse_args().samples
    random = np.random.default_rng(1)
    for run in sorted((ROOT / "examples").glob("*/run.json")):
        estimate = tco.estimate(run, region="eu")
        graph = estimate.graph
        lines = [line for line in estimate if line.partition(".")[0] in ("energy", "carbon", "cost")]
        vary = [node.name for node in graph.inputs()]
        samples = {name: graph[name].value * random.uniform(0.9, 1.1, n) for name in vary}
        program = estimate.program(lines, vary)
        ours = program(samples)
        theirs = whole_arrays(graph, lines, samples)
        for name in lines:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12)
        compiled = best_of(lambda: program(samples))  # noqa: B023 - called at once
        plain = best_of(lambda: whole_arrays(graph, lines, samples))  # noqa: B023 - called at once
        print(
            f"{run.parent.name:22} {len(graph.nodes):4} nodes, {len(vary):3} inputs vary, {len(lines):3} lines, "
            f"{n:,} samples: "
            f"compiled {compiled:6.3f} s, whole-array NumPy {plain:6.3f} s, ratio {compiled / plain:.2f}"
        )


if __name__ == "__main__":
    main()
