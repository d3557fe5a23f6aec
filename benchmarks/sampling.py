"""Samples, sweeps and many runs on the compiled graph, as ratios measured in one process.

Bars: evaluating 1,000,000 samples takes at most 0.6 of the time of the same formulas as whole-array NumPy and at most
0.15 of Pint arrays; 10,000,000 samples stream in under 1 GB; 1,000,000 different runs take under 1 us each; an estimate
is built in under 30 ms; time grows with the number of samples to the power of 0.95 to 1.05.

    python benchmarks/sampling.py [--samples 1000000] [--largest 10000000] [--repeat 5]
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tco
from tco.analysis.sampling import Sampler, reached, spread
from tco.compiled import Program
from tco.graph import Graph, base_factor
from tco.operations import OPERATIONS
from tco.records.system import System
from tco.units import Q

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*/run.json"))
LEVELS = [0.05, 0.5, 0.95]
Samples = dict[str, np.ndarray]


def best_of(repeat: int, *actions: Callable[[], object]) -> list[float]:
    """The shortest time of each, interleaved so that a slow moment of the machine meets all of them."""
    best = [math.inf] * len(actions)
    for _ in range(repeat):
        for place, action in enumerate(actions):
            start = time.perf_counter()
            action()
            best[place] = min(best[place], time.perf_counter() - start)
    return best


def formulas_on(graph: Graph, lines: list[str], samples: Samples, *, pint: bool) -> dict[str, Any]:
    """The formulas one after the other on whole arrays, as one would write them by hand: bare, or with Pint's units.

    Bare samples are in base units and so are the results: nothing is converted. With units each line is converted to
    the unit it is shown in, as the estimate does with single values.
    """
    values: dict[int, Any] = {}
    for node in graph.needed_for([graph[name] for name in lines]):
        array, unit = samples.get(node.name), node.quantity.units
        operation = OPERATIONS[node.operation] if node.operands else None
        operands = [values[operand.index] for operand in node.operands]
        if pint:
            value = Q(array, unit) if array is not None else node.quantity
            if operation is not None:
                value = operation.on_quantities(*operands)
                value = value.to(unit) if node.name else value
        elif operation is None:
            value = node.value * base_factor(unit) if array is None else array
        else:
            value = operation.on_arrays(*operands)
        values[node.index] = value
    if pint:
        return {name: values[graph[name].index].magnitude for name in lines}
    return {name: values[graph[name].index] for name in lines}


def in_base_units(graph: Graph, samples: Samples) -> Samples:
    return {name: values * base_factor(graph[name].quantity.units) for name, values in samples.items()}


def models() -> list[tuple[str, Graph, list[str], list[str]]]:
    """Graphs of the examples, and of a large bill of materials; of each its lines and the inputs to vary."""
    found = []
    for run in EXAMPLES:
        graph = tco.estimate(run, region="eu").graph
        found.append((run.parent.name, graph, [n.name for n in graph.lines()], [n.name for n in graph.inputs()]))
    shares = {"value": 0.8, "unit": "1"}
    parts = [
        {
            "name": f"part{place}",
            "count": 1 + place % 4,
            "die": {"area": f"{100 + place} mm2", "per_area": f"{1.2 + place / 100} kgCO2e/cm2", "yield": shares},
        }
        for place in range(36)
    ]
    system = System.model_validate({"name": "large", "devices_per_node": 8, "parts": parts, "price": "200000 EUR"})
    run = ROOT / "examples" / "8xh100-day" / "run.json"
    graph = tco.estimate(run, region="eu", system=system, set={"system.rating": "10 kW"}).graph
    ranged = [n.name for n in graph.inputs()]
    found.append(("36 dies, all vary", graph, [n.name for n in graph.lines()], ranged))
    lines = ["carbon.total", "cost.total", "energy.facility"]
    found.append(("36 dies, 60 vary", graph, lines, [n for n in ranged if not n.endswith((".count", ".yield"))][:60]))
    return found


def plain_sampling(graph: Graph, lines: list[str], n: int) -> dict[str, Any]:
    """Draw, evaluate and take percentiles, all on whole arrays."""
    drawn = next(Sampler(graph, lines, n, 1).blocks(n))
    results = formulas_on(graph, lines, in_base_units(graph, drawn), pint=False)
    return {name: np.quantile(values, LEVELS) for name, values in results.items()}


def evaluation(n: int, repeat: int) -> None:
    print(f"evaluating {n:,} samples; bars: 0.60 of NumPy, 0.15 of Pint")
    random = np.random.default_rng(1)
    for title, graph, lines, vary in models():
        samples = {name: graph[name].value * random.uniform(0.9, 1.1, n) for name in vary}
        program = Program(graph, lines, vary)
        base = in_base_units(graph, samples)
        ours, bare = program(samples), formulas_on(graph, lines, base, pint=False)
        few = {name: array[:1000] for name, array in samples.items()}
        with_units = formulas_on(graph, lines, few, pint=True)
        for name in lines:
            np.testing.assert_allclose(ours[name] * base_factor(graph[name].quantity.units), bare[name], rtol=1e-12)
            np.testing.assert_allclose(ours[name][:1000], with_units[name], rtol=1e-12)
        del ours, bare
        compiled, numpy, pint = best_of(
            repeat,
            partial(program, samples),
            partial(formulas_on, graph, lines, base, pint=False),
            partial(formulas_on, graph, lines, samples, pint=True),
        )
        size = f"{len(graph.nodes):4} nodes {len(vary):3} inputs {len(lines):3} lines"
        times = f"compiled {compiled:6.3f} s, NumPy {numpy:6.3f} s, Pint {pint:6.3f} s"
        print(f"  {title:20}{size}: {times}; ratios {compiled / numpy:.2f}, {compiled / pint:.2f}")


def whole_sampling(n: int, repeat: int) -> None:
    print(
        f"drawing, evaluating and percentiles of {n:,} samples, inputs with a range vary; streamed against whole arrays"
    )
    for run in EXAMPLES:
        graph = tco.estimate(run, region="eu").graph
        lines = [node.name for node in graph.lines()]
        streamed, whole = best_of(repeat, partial(spread, graph, lines, n=n), partial(plain_sampling, graph, lines, n))
        times = f"streamed {streamed:6.3f} s, whole arrays {whole:6.3f} s"
        print(f"  {run.parent.name:20}{times}; ratio {streamed / whole:.2f}")


def evaluate_in_blocks(program: Program, samples: Samples, n: int, width: int = 16384) -> None:
    for start in range(0, n, width):
        program({name: values[start : min(start + width, n)] for name, values in samples.items()})


def growth(largest: int) -> None:
    graph = tco.estimate(EXAMPLES[0], region="eu").graph
    lines = [node.name for node in graph.lines()]
    sizes = [n for n in (10_000, 100_000, 1_000_000, 10_000_000) if n <= largest]
    drawn = next(Sampler(graph, lines, sizes[-1], 1).blocks(sizes[-1]))
    program = Program(graph, reached(graph, lines, list(drawn)), list(drawn))
    evaluated, streamed = [], []
    for n in sizes:
        repeat = 50 if n <= 100_000 else 3
        evaluated += best_of(repeat, partial(evaluate_in_blocks, program, drawn, n))
        streamed += best_of(repeat, partial(spread, graph, lines, n=n))
    print("growth from " + " to ".join(f"{n:,}" for n in (sizes[0], sizes[-1])) + "; bar: exponent 0.95 to 1.05")
    for name, times in (("evaluating, compiled", evaluated), ("from estimate to percentiles", streamed)):
        exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        per = ", ".join(f"{1e9 * t / n:.0f}" for t, n in zip(times, sizes, strict=True))
        print(f"  {name:30}{per} ns a sample; exponent {exponent:.3f}")


def memory(n: int) -> None:
    code = (
        "import resource, tco\n"
        f"est = tco.estimate({str(EXAMPLES[0])!r}, region='eu')\n"
        f"est.spread({n})\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    scale = 1e9 if sys.platform == "darwin" else 1e6
    print(
        f"peak memory of a process that streams {n:,} samples, all lines: {int(done.stdout) / scale:.2f} GB; bar: 1 GB"
    )


def many_runs(n: int, repeat: int) -> None:
    random = np.random.default_rng(3)
    runs = pd.DataFrame(
        {
            "run.duration [h]": random.uniform(1, 100, n),
            "run.power [kW]": random.uniform(3, 8, n),
            "site.pue": random.uniform(1.1, 1.6, n),
            "grid.intensity": random.uniform(20, 600, n),
            "site.tariff [EUR/kWh]": random.uniform(0.05, 0.3, n),
        }
    )
    like = ROOT / "examples" / "8xh100-day" / "run.json"
    (seconds,) = best_of(repeat, partial(tco.estimate_many, runs, like, region="eu"))
    print(f"estimate_many: {n:,} different runs, all lines: {1e6 * seconds / n:.2f} us each; bar: 1 us")


def building() -> None:
    print("building one estimate in a warm process; bar: 30 ms")
    for run in EXAMPLES:
        record = tco.read(run)[0]
        (seconds,) = best_of(20, partial(tco.estimate, record, region="eu"))
        print(f"  {run.parent.name:22}{1000 * seconds:5.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--largest", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}")
    memory(given.largest)  # first: a process starts with the peak of the one that started it
    evaluation(given.samples, given.repeat)
    whole_sampling(given.samples, min(given.repeat, 3))
    many_runs(given.samples, given.repeat)
    building()
    growth(given.largest)


if __name__ == "__main__":
    main()
