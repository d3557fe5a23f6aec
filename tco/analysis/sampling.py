"""Samples of an estimate: every input that has a range drawn from its distribution, all lines evaluated.

Each input draws from a stream of its own, made from the seed and the input's name: adding an input changes no other,
and two cases with one seed share the numbers of all that they have in common.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from tco import catalog
from tco.analysis.distributions import Distribution, Lognormal, Normal, varying
from tco.analysis.extras import qmc
from tco.analysis.quantiles import PILOT, LineSpread, Tally
from tco.compiled import Array, Program
from tco.errors import EstimateError, UnitError, did_you_mean
from tco.graph import Graph, Node
from tco.units import Q, convert

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["random", "latin", "sobol"]
METHODS: tuple[str, ...] = get_args(Method)

#: Points evaluated at a time: few enough to stay in cache with all lines, many enough to hide the loop.
_BLOCK = 16384


def stream(seed: int, name: str) -> np.random.Generator:
    """The random numbers of one input."""
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype=np.uint32)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *map(int, words)])))


class Sampler:
    """Draws the inputs of a graph, block by block.

    Parameters
    ----------
    graph
        The graph whose inputs have ranges.
    lines
        Lines that the samples are for: inputs that reach none of them are not drawn.
    n, seed, method
        How many points, from which seed; ``random`` points, a ``latin`` hypercube or ``sobol`` points.
    streams
        For inputs that shall not draw from the stream of their own name, the name to use.
    """

    def __init__(
        self,
        graph: Graph,
        lines: Sequence[str],
        n: int,
        seed: int,
        method: str = "random",
        streams: Mapping[str, str] | None = None,
    ) -> None:
        if method not in METHODS:
            raise EstimateError(
                f"'{method}' is not a way to sample{did_you_mean(method, METHODS)} {', '.join(METHODS)}"
            )
        if n < 1:
            raise EstimateError(f"{n} samples: at least 1 is needed")
        if seed < 0:
            raise EstimateError(f"seed {seed}: a seed is a whole number, 0 or more")
        if method == "sobol" and n & (n - 1):
            below = 1 << (n.bit_length() - 1)
            raise EstimateError(f"{n} Sobol points: their number is a power of 2; take {below} or {2 * below}")
        self.n, self.seed, self.method = n, seed, method
        self.drawn: dict[str, Distribution] = varying(graph.needed_for([graph[name] for name in lines]))
        self._streams = {name: (streams or {}).get(name, name) for name in self.drawn}

    def blocks(self, width: int = _BLOCK) -> Iterator[dict[str, Array]]:
        """For each block of points the values of all drawn inputs, in their units."""
        if self.method == "random":
            streams = {name: stream(self.seed, self._streams[name]) for name in self.drawn}
            for start in range(0, self.n, width):
                count = min(width, self.n - start)
                yield {name: each.draw(streams[name], count) for name, each in self.drawn.items()}
        elif self.method == "latin":
            points = {
                name: qmc().LatinHypercube(1, rng=stream(self.seed, own)).random(self.n)[:, 0]
                for name, own in self._streams.items()
            }
            for start in range(0, self.n, width):
                chosen = slice(start, start + width)
                yield {name: each.quantile(points[name][chosen]) for name, each in self.drawn.items()}
        elif self.drawn:
            engine = qmc().Sobol(len(self.drawn), rng=stream(self.seed, "sobol"))
            names = sorted(self.drawn)
            for start in range(0, self.n, width):
                block = engine.random(min(width, self.n - start))
                yield {name: self.drawn[name].quantile(block[:, names.index(name)]) for name in self.drawn}

    def notes(self, graph: Graph) -> list[str]:
        """What a reader should know of the drawn inputs."""
        said = []
        unnamed = [
            name for name in self.drawn if not (given := graph[name].given) or not (given.distribution or given.samples)
        ]
        if unnamed:
            said.append("a range without a distribution is triangular, the value its mode")
        for name, each in self.drawn.items():
            if not isinstance(each, Normal | Lognormal):
                continue
            node = graph[name]
            median = each.mean if isinstance(each, Normal) else float(np.exp(each.centre))
            if not np.isclose(median, node.value, rtol=0.01):
                said.append(
                    f"{name}: the median of its distribution is {median:.4g}, its value {node.value:.4g} {node.unit}"
                )
            outside = _share_outside(node, each)
            if outside * self.n >= 1:
                said.append(f"{name}: {100 * outside:.2g} % of its distribution lie outside of what is possible")
        return said


def _share_outside(node: Node, each: Distribution) -> float:
    """Share of a distribution that no such thing in the world has."""
    bounds = catalog.plausible(node.name)
    if bounds is None:
        return 0.0
    try:
        low, high = (
            None if end is None else float(convert(Q(end, bounds.unit), node.unit).magnitude)
            for end in (bounds.above if bounds.minimum is None else bounds.minimum, bounds.maximum)
        )
    except UnitError:  # bounds in another currency
        return 0.0
    below = 0.0 if low is None else each.share_below(low)
    return below + (0.0 if high is None else 1.0 - each.share_below(high))


def reached(graph: Graph, lines: Sequence[str], inputs: Sequence[str]) -> list[str]:
    """Those of the lines that rest on one of the inputs."""
    varies = [False] * len(graph.nodes)
    for node in graph.nodes:
        varies[node.index] = node.name in inputs or any(varies[operand.index] for operand in node.operands)
    return [name for name in lines if varies[graph[name].index]]


class Sample(Mapping[str, Array]):
    """Samples in memory: an array of shape (n,) for each line, and for each drawn input.

    Attributes
    ----------
    units
        Unit of each array.
    n, seed, method
        How they were drawn.
    inputs
        Distribution of each drawn input.
    """

    def __init__(self, arrays: Mapping[str, Array], units: Mapping[str, str], sampler: Sampler) -> None:
        self._arrays = dict(arrays)
        self.units = dict(units)
        self.n, self.seed, self.method = sampler.n, sampler.seed, sampler.method
        self.inputs = dict(sampler.drawn)

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            raise EstimateError(f"'{name}' was not sampled{did_you_mean(name, self._arrays)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def to_frame(self) -> pd.DataFrame:
        """The samples as a table, one column a line or input, unit in brackets."""
        import pandas as pd

        from tco.analysis.columns import heading

        return pd.DataFrame({heading(name, self.units[name]): array for name, array in self._arrays.items()})


def sample(
    graph: Graph, lines: Sequence[str] | None = None, *, n: int, seed: int = 1, method: str = "random"
) -> Sample:
    """Draw samples and keep them all.

    Parameters
    ----------
    graph
        Of an estimate.
    lines
        Names of lines; all where None.
    n, seed, method
        As for `Sampler`.
    """
    names = [node.name for node in graph.lines()] if lines is None else list(lines)
    sampler = Sampler(graph, names, n, seed, method)
    moving = reached(graph, names, list(sampler.drawn))
    arrays: dict[str, Array] = {name: np.full(n, graph[name].value) for name in names}
    arrays |= {name: np.empty(n) for name in sampler.drawn}
    if moving:
        program = Program(graph, moving, list(sampler.drawn))
        start = 0
        for block in sampler.blocks():
            stop = start + len(next(iter(block.values())))
            for name, values in (program(block) | block).items():
                arrays[name][start:stop] = values
            start = stop
    return Sample(arrays, {name: graph[name].unit for name in arrays}, sampler)


class Sampled(NamedTuple):
    """What a sample says of each line, without the samples.

    Attributes
    ----------
    lines
        Mean, standard deviation, percentiles and histogram of each line, in its unit.
    inputs
        Distribution of each drawn input, in the unit of `units`.
    notes
        What a reader should know of them.
    """

    n: int
    seed: int
    method: str
    lines: Mapping[str, LineSpread]
    inputs: Mapping[str, Distribution]
    units: Mapping[str, str]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """How it was drawn, as plain data."""
        return {
            "n": self.n,
            "seed": self.seed,
            "method": self.method,
            "inputs": {
                name: {"distribution": str(each), "unit": self.units[name]} for name, each in self.inputs.items()
            },
            "notes": list(self.notes),
        }


def spread(
    graph: Graph, lines: Sequence[str] | None = None, *, n: int, seed: int = 1, method: str = "random"
) -> Sampled:
    """Draw samples and keep only what they say of each line: memory does not grow with `n`, but for a few per cent.

    The percentiles are those of all `n` samples, exactly.

    Parameters
    ----------
    graph, lines, n, seed, method
        As for `sample`.
    """
    names = [node.name for node in graph.lines()] if lines is None else list(lines)
    sampler = Sampler(graph, names, n, seed, method)
    moving = reached(graph, names, list(sampler.drawn))
    found = {name: LineSpread.of_one(graph[name].value) for name in names}
    if moving:
        program = Program(graph, moving, list(sampler.drawn))
        tallies = {name: Tally(n, name) for name in moving}
        wanted = set(moving)
        while wanted:  # a second time only where the pilot was no guide to the rest
            for block in sampler.blocks():
                with np.errstate(all="ignore"):  # what is not finite is told by the name of its line
                    results = program(block)
                for name in wanted:
                    tallies[name].add(results[name])
            wanted = {name for name in wanted if not tallies[name].settle()}
        found |= {name: tallies[name].result() for name in moving}
    units = {name: graph[name].unit for name in sampler.drawn}
    return Sampled(n, seed, method, found, sampler.drawn, units, tuple(sampler.notes(graph)))


__all__ = ["METHODS", "PILOT", "Sample", "Sampled", "Sampler", "reached", "sample", "spread", "stream"]
