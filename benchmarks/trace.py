"""Time and memory of reading a power trace.

Bar: at least 0.6 of the throughput of DuckDB at 1 GB, with less than 500 MB of memory, in linear time.

    python benchmarks/trace.py [--size 1GB]

Prints the throughput on a jpwr and an nvidia-smi log of the size, how time grows from a quarter of it (4.0 is linear),
and, where DuckDB is installed, the throughput of its ``read_csv`` with a sum over the same columns.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROWS = 50_000
FACTORS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
QUERIES = {
    "jpwr": 'select sum("pynvml:0"), sum("pynvml:1"), min(timestamps), max(timestamps) from read_csv(?)',
    "nvidia-smi": (
        "select index, sum(cast(replace(\"power.draw [W]\", ' W', '') as double)), min(timestamp), max(timestamp) "
        "from read_csv(?) group by index"
    ),
}


def jpwr() -> Iterator[str]:
    """Two GPUs every 100 ms, thousandths of a watt as jpwr multiplies them."""
    yield ",timestamps,pynvml:0,pynvml:1\n"
    random = np.random.default_rng(1)
    last, row = 1796026862.383776, 0
    while True:
        stamps = last + np.cumsum(random.uniform(0.0999, 0.1001, ROWS))
        last = float(stamps[-1])
        first, second = (random.integers(low, 700_000, ROWS) * 0.001 for low in (70_000, 80_000))
        numbers = range(row, row + ROWS)
        row += ROWS
        rows = zip(numbers, stamps.tolist(), first.tolist(), second.tolist(), strict=True)
        yield "".join(f"{i},{t!r},{p!r},{q!r}\n" for i, t, p, q in rows)


def nvidia_smi() -> Iterator[str]:
    """Two GPUs in turn every 100 ms."""
    yield "timestamp, index, name, power.draw [W], utilization.gpu [%]\n"
    random = np.random.default_rng(1)
    first = np.datetime64("2026-01-01T00:00:00.000")
    while True:
        stamps = np.repeat(first + np.arange(ROWS // 2) * np.timedelta64(100, "ms"), 2)
        first = stamps[-1] + np.timedelta64(100, "ms")
        texts = [text.replace("-", "/").replace("T", " ") for text in np.datetime_as_string(stamps).tolist()]
        powers = (random.integers(7_000, 70_000, ROWS) / 100).tolist()
        yield "".join(
            f"{text}, {i % 2}, NVIDIA H100 80GB HBM3, {power:.2f} W, {i % 100} %\n"
            for i, (text, power) in enumerate(zip(texts, powers, strict=True))
        )


def write(path: Path, size: int, pieces: Iterator[str]) -> None:
    with path.open("w", newline="") as file:
        while file.tell() < size:
            file.write(next(pieces))


def measure(name: str, path: Path, repeats: int) -> tuple[float, float, int]:
    """Energy in J, best time in s, and peak memory in bytes, of this process."""
    from tco.readers import ReadOptions, plugins

    reader = plugins.by_name(name).reader
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        energy = sum(channel.energy_j or 0.0 for channel in reader.trace(path, ReadOptions()))  # type: ignore[attr-defined]
        best = min(best, time.perf_counter() - begin)
    return energy, best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure_duckdb(name: str, path: Path, repeats: int) -> float | None:
    try:
        import duckdb  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        duckdb.connect().execute(QUERIES[name], [str(path)]).fetchall()
        best = min(best, time.perf_counter() - begin)
    return best


def alone(function: Callable[..., object], *arguments: object) -> object:
    """Call a function in a process of its own, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def size_of(text: str) -> int:
    number, unit = text[:-2], text[-2:].upper()
    if unit not in FACTORS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size; write for instance 100MB or 1GB")
    return int(float(number) * FACTORS[unit])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=size_of, default=size_of("100MB"))
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    for name, pieces in (("jpwr", jpwr), ("nvidia-smi", nvidia_smi)):
        with tempfile.TemporaryDirectory() as folder:
            whole, quarter = Path(folder) / "whole.csv", Path(folder) / "quarter.csv"
            write(whole, options.size, pieces())
            write(quarter, options.size // 4, pieces())
            megabytes = whole.stat().st_size / 1e6
            _, seconds, memory = alone(measure, name, whole, options.repeats)  # type: ignore[misc]
            _, quarter_seconds, _ = alone(measure, name, quarter, options.repeats)  # type: ignore[misc]
            print(
                f"{name}: {megabytes:.0f} MB in {seconds:.2f} s, {megabytes / seconds:.0f} MB/s, "
                f"peak memory {memory / 1e6:.0f} MB, {seconds / quarter_seconds:.2f} times a quarter of the size"
            )
            duckdb_seconds = alone(measure_duckdb, name, whole, options.repeats)
            if isinstance(duckdb_seconds, float):
                print(f"{name}: DuckDB {megabytes / duckdb_seconds:.0f} MB/s, ratio {duckdb_seconds / seconds:.2f}")


if __name__ == "__main__":
    main()
