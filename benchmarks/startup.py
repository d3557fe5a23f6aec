"""CPU time of cold starts, as ratios to ``python -c "import pint; pint.UnitRegistry()"`` in the same run.

Bars: ``tco --help`` at most 0.3, ``tco estimate`` of an example at most 1.0, an estimate in a warm process under 30 ms.

    python benchmarks/startup.py [--repeat 15]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASELINE = [sys.executable, "-c", "import pint; pint.UnitRegistry()"]


def cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr.decode()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=15)
    repeat = parser.parse_args().repeat
    tco = str(Path(sys.executable).parent / "tco")
    commands = {"baseline: pint with its default registry": BASELINE, "tco --help": [tco, "--help"]}
    for run in sorted((ROOT / "examples").glob("*/run.json")):
        commands[f"tco estimate {run.parent.name}"] = [tco, "estimate", str(run), "--region", "eu"]
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(repeat):  # interleaved, so that a slow moment of the machine meets all of them
        for name, command in commands.items():
            best[name] = min(best[name], cpu_seconds(command))
    base = best["baseline: pint with its default registry"]
    print(f"CPU time, best of {repeat} cold starts, {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    for name, seconds in best.items():
        print(f"  {name:45} {1000 * seconds:7.0f} ms   ratio {seconds / base:5.2f}")

    import tco as package

    print("estimate in a warm process, best of 20")
    for run in sorted((ROOT / "examples").glob("*/run.json")):
        record = package.read(run)[0]
        times = []
        for _ in range(20):
            start = time.perf_counter()
            package.estimate(record, region="eu")
            times.append(time.perf_counter() - start)
        print(f"  {run.parent.name:45} {1000 * min(times):7.1f} ms")


if __name__ == "__main__":
    main()
