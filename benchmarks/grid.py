"""Hourly grid intensity of a year against many runs, and the look-up of a place.

Bars: 8,760 h and 10,000 runs under 1 s; a look-up under 20 us.

    python benchmarks/grid.py [--runs 10000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from tco.grid_intensity import Series, resolve

HOURS = 8760
HOUR = 3600.0
#: Runs at a time: their loads stay in the cache of the processor and in little memory.
BLOCK = 500


def best_of(action: Callable[[], object], repeat: int = 5) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    runs = parser.parse_args().runs
    random = np.random.default_rng(1)
    start = 1.7e9 + np.arange(HOURS) * HOUR
    series = Series(start, start + HOUR, random.uniform(50, 500, HOURS))

    loads = random.uniform(0, 1, (min(runs, BLOCK), HOURS))
    blocks = -(-runs // BLOCK)

    def every_hour() -> list[np.ndarray]:
        return [series.mean_of_loads(loads) for _ in range(blocks)]

    begin = random.uniform(start[0], start[-1] - 2e6, runs)
    end = begin + random.uniform(60, 2e6, runs)

    def windows() -> np.ndarray:
        return series.mean_over(begin, end)

    def one_by_one() -> list[float]:
        found = []
        for a, b in zip(begin[:100].tolist(), end[:100].tolist(), strict=True):
            first, last = int((a - start[0]) // HOUR), int((b - start[0]) // HOUR)
            weights = [min(b, t + HOUR) - max(a, t) for t in start[first : last + 1].tolist()]
            found.append(
                sum(w * v for w, v in zip(weights, series.value[first : last + 1].tolist(), strict=True)) / (b - a)
            )
        return found

    np.testing.assert_allclose(windows()[:100], one_by_one(), rtol=1e-9)
    full, many, loop = best_of(every_hour), best_of(windows), best_of(one_by_one) * runs / 100
    print(f"{runs:,} runs with a load for each of {HOURS:,} h: {full:.3f} s (bar 1 s, ratio {full:.2f})")
    print(
        f"{runs:,} runs with a mean power and a time each: {many:.4f} s, a loop over hours {loop:.2f} s, "
        f"ratio {many / loop:.4f}"
    )
    names = ("eu", "Germany", "us-west1", "US-CAL-CISO")
    for name in names:
        resolve(name)
    each = best_of(lambda: [resolve(name) for name in names * 1000]) / (1000 * len(names))
    print(f"look-up of a place: {1e6 * each:.2f} us (bar 20 us, ratio {each / 20e-6:.3f})")


if __name__ == "__main__":
    main()
