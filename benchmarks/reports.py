"""How long reports take: the workbook of an example, a tender of 12 bids, a sweep of 100,000 rows.

Bars: under 1 s, under 5 s, and under 10 s in memory that does not grow with the rows.

    python benchmarks/reports.py [--rows 100000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tco
from tco.bids import evaluate, read_bid, read_tender
from tco.estimation.costs.choice import CostChoice
from tco.reports.files import content
from tco.reports.workbook.bids import to_workbook as tender_workbook
from tco.reports.workbook.write import to_workbook

ROOT = Path(__file__).resolve().parent.parent
HALL = ROOT / "tests" / "data" / "bids" / "hall"
_SWEEP = """
import resource, sys, time
from pathlib import Path
from tco.analysis.sweep import sweep
from tco.analysis.tables import writing
points = sweep({run!r}, {{"site.pue": "1.05:1.6:100", "grid.intensity": "20:600:{rest}"}}, region="eu")
begin = time.perf_counter()
with writing(Path({out!r}), points.columns) as table:
    for chunk in points.chunks():
        table.write(chunk)
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(points.columns))
"""


def timed(what: str, job: object, repeat: int = 3) -> None:
    """Print the fastest of some runs."""
    best, size = float("inf"), 0
    for _ in range(repeat):
        begin = time.perf_counter()
        size = len(job())  # type: ignore[operator]
        best = min(best, time.perf_counter() - begin)
    print(f"{what:<44} {best:8.3f} s  {size / 1024:8.0f} KiB")


def sweep_rows(rows: int, suffix: str, folder: Path) -> None:
    """Print time and peak memory of a sweep's export, for a tenth of the rows and for all."""
    for count in (rows // 10, rows):
        code = _SWEEP.format(
            run=str(ROOT / "examples" / "8xh100-day" / "run.json"), rest=count // 100, out=str(folder / f"s{suffix}")
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        seconds, peak, columns = map(float, done.stdout.split())
        print(f"sweep of {count:>7,} rows x {columns:.0f} to {suffix:<9} {seconds:8.2f} s  peak {peak:6.0f} MiB")


def main() -> None:
    """Run all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    methods = CostChoice(methods=("annuity", "acquisition", "cash-flow NPV"))
    for name in ("8xh100-day", "jpwr-two-gpus", "mlperf-b200-llama", "slurm-gh200"):
        estimate = tco.estimate(ROOT / "examples" / name / "run.json", region="eu", cost=methods)
        timed(f"workbook of {name}", lambda estimate=estimate: to_workbook([estimate]))
        timed(f"page of {name}", lambda estimate=estimate: content(estimate, "html"))
    tender = read_tender(HALL / "tender.toml")
    weighted = tuple(each.model_copy(update={"weight": 0.5}) for each in tender.criterion[:2])
    bids = [read_bid(HALL / "alpha.toml").model_copy(update={"bidder": f"Bidder {n}"}) for n in range(12)]

    def whole_tender() -> bytes:
        found = evaluate(tender.model_copy(update={"criterion": weighted}), bids, folder=HALL)
        return tender_workbook(found)

    timed("evaluation and workbook of 12 bids", whole_tender)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".parquet"):
            sweep_rows(rows, suffix, Path(folder))


if __name__ == "__main__":
    main()
