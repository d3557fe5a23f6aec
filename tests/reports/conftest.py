"""Workbooks recalculated by other programs, and estimates of the examples."""

from __future__ import annotations

import io
import math
import random
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
import pytest

import tco
from tco.estimation.costs.choice import CostChoice

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ("8xh100-day", "jpwr-two-gpus", "mlperf-b200-llama", "slurm-gh200")
METHODS = CostChoice(methods=("annuity", "acquisition", "cash-flow NPV"))
Cells = dict[tuple[str, str], tuple[str, Any]]


def example(name: str, **options: Any) -> tco.Estimate:
    """An example by a path that is the same everywhere; the tests run in the root of the checkout."""
    return tco.estimate(Path("examples") / name / "run.json", region="eu", cost=METHODS, **options)


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(params=EXAMPLES)
def each_example(request: pytest.FixtureRequest, in_the_root: None) -> tuple[str, tco.Estimate]:
    return request.param, example(request.param)


def formula_cells(content: bytes) -> Cells:
    """Every formula of a workbook with its cached value, by sheet and cell."""
    live = openpyxl.load_workbook(io.BytesIO(content))
    cached = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    found: Cells = {}
    for sheet in live:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    found[(sheet.title, cell.coordinate)] = (cell.value, cached[sheet.title][cell.coordinate].value)
    return found


class Model:
    """A workbook loaded by the `formulas` package."""

    def __init__(self, content: bytes, folder: Path) -> None:
        import formulas

        path = folder / "book.xlsx"
        path.write_bytes(content)
        self.model = formulas.ExcelModel().loads(str(path)).finish()
        book = openpyxl.load_workbook(io.BytesIO(content))
        self.places = {
            name.casefold(): next(iter(defined.destinations)) for name, defined in book.defined_names.items()
        }

    def calculate(self, changed: Mapping[str, float] | None = None) -> dict[tuple[str, str], Any]:
        """All cells by sheet and coordinate, with the values of some named inputs replaced."""
        inputs = {}
        for name, value in (changed or {}).items():
            sheet, cell = self.places[name.casefold()]
            inputs[f"'[book.xlsx]{sheet.upper()}'!{cell.replace('$', '')}"] = value
        solution = self.model.calculate(inputs=inputs or None)
        found = {}
        for key, value in solution.items():
            if not isinstance(key, str) or "]" not in key or not hasattr(value, "value"):
                continue
            sheet, _, cell = key.partition("]")[2].rpartition("'!")
            if ":" not in cell and cell:
                found[(sheet.upper(), cell)] = value.value[0][0]
        return found


@pytest.fixture
def by_formulas(tmp_path: Path) -> Callable[[bytes], Model]:
    return lambda content: Model(content, tmp_path)


def with_values(content: bytes, changed: Mapping[str, float]) -> bytes:
    """The workbook with named inputs changed and all cached values gone, so that they must be computed again."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    for name, value in changed.items():
        sheet, cell = next(iter(book.defined_names[name].destinations))
        book[sheet][cell] = value
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


class Converted(NamedTuple):
    """What LibreOffice made of some files: its output, and the workbooks by name."""

    said: str
    books: Mapping[str, Any]


@pytest.fixture
def libreoffice(tmp_path: Path) -> Callable[[Mapping[str, bytes]], Converted]:
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice (soffice) is not installed: workbooks are not recalculated by it")

    def convert(files: Mapping[str, bytes]) -> Converted:
        source, target = tmp_path / "in", tmp_path / "out"
        source.mkdir(exist_ok=True)
        for name, content in files.items():
            (source / name).write_bytes(content)
        done = subprocess.run(
            [
                program, f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to",
                "xlsx:Calc MS Excel 2007 XML", "--outdir", str(target), *(str(source / name) for name in files),
            ],
            capture_output=True, text=True, check=True, timeout=1800,
        )  # fmt: skip
        books = {name: openpyxl.load_workbook(target / name, data_only=True) for name in files}
        return Converted(done.stdout + done.stderr, books)

    return convert


def close(a: Any, b: Any) -> bool:
    """Equal to 1e-9, and both numbers."""
    return all(isinstance(x, int | float) for x in (a, b)) and math.isclose(
        float(a), float(b), rel_tol=1e-9, abs_tol=1e-12
    )


def random_changes(estimate: tco.Estimate, seed: int, count: int = 4) -> dict[str, float]:
    """Some inputs at random values: within their range where they have one, else up to a third off."""
    chance = random.Random(seed)
    nodes = [node for node in estimate.graph.inputs() if node.value]
    changed = {}
    for node in chance.sample(nodes, min(count, len(nodes))):
        given = node.given
        low = given.low if given is not None and given.low is not None else node.value * 0.7
        high = given.high if given is not None and given.high is not None else node.value * 1.3
        if node.name in ("run.nodes_charged", "system.utilisation", "node.psu_efficiency"):
            high = min(high, max(node.value, 1.0))
        changed[node.name] = chance.uniform(low, high)
    return changed


def parts_of(content: bytes) -> dict[str, str]:
    """The XML parts of a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {
            name: archive.read(name).decode("utf-8") for name in archive.namelist() if name.endswith((".xml", ".rels"))
        }
