"""The rooms of the package: who may import whom, what start-up loads, what the knowledge folders may hold."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

GROUND = {"units", "graph", "errors", "knowledge", "provenance", "operations", "compiled", "files", "spread"}
#: room -> rooms it may import beside itself
ALLOWED: dict[str, set[str]] = {
    "records": GROUND,
    "formulas": {"units", "operations"},
    "readers": GROUND | {"records"},
    "catalog": GROUND | {"records"},
    "grid_intensity": GROUND | {"records"},
    "embodied": GROUND | {"records", "formulas", "catalog"},
    "simulators": GROUND | {"records", "formulas", "catalog", "readers"},
    "finance": GROUND | {"formulas", "catalog"},
    "estimation": GROUND | {"embodied", "records", "formulas", "readers", "catalog", "grid_intensity", "simulators"},
    "claims": GROUND | {"records", "formulas", "estimation", "catalog", "grid_intensity"},
    "analysis": GROUND | {"catalog", "estimation", "readers", "records"},
    "bids": GROUND | {"analysis", "catalog", "estimation", "formulas", "grid_intensity", "records"},
    "reports": GROUND
    | {"analysis", "bids", "catalog", "claims", "embodied", "estimation", "formulas", "records", "simulators"},
    "cli": GROUND
    | {"analysis", "bids", "claims", "embodied", "estimation", "records", "catalog", "grid_intensity", "readers"}
    | {"reports", "simulators"},
}
#: explanations and samples are made on request, so that an estimate can be asked for them
EXCEPTIONS = {("estimation", "reports"), ("estimation", "analysis"), ("analysis", "reports")}


def room_of(path: Path) -> str:
    relative = path.relative_to(ROOT / "tco")
    return relative.parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tco":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        if isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("tco.")}
    return found - {"__version__"}


def test_imports_go_one_way() -> None:
    wrong = []
    for path in sorted((ROOT / "tco").rglob("*.py")):
        room = room_of(path)
        if room in ("__init__", "__main__", "testing"):
            continue
        allowed = GROUND if room in GROUND else ALLOWED[room]
        for other in imports_of(path) - {room}:
            if other not in allowed and (room, other) not in EXCEPTIONS:
                wrong.append(f"{path.relative_to(ROOT)} imports tco.{other}")
    assert not wrong, "\n".join(wrong)


def test_formulas_know_nothing_of_the_graph_and_hold_no_number() -> None:
    for path in (ROOT / "tco" / "formulas").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        numbers = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, int | float)}
        assert numbers <= {0, 1, 2}, f"{path.name} holds {numbers}"


@pytest.mark.parametrize("folder", ["catalog", "grid_intensity", "reports", "examples"])
def test_knowledge_folders_hold_no_code(folder: str) -> None:
    assert not list((ROOT / folder).rglob("*.py"))


def loaded_by(code: str) -> set[str]:
    # Pint imports the bare package of scipy wherever it is installed (8 ms); its parts are what is heavy.
    parts = "{m.replace('scipy.', 'scipy_') for m in sys.modules if m != 'scipy'}"
    script = f"import sys\n{code}\nprint(*sorted(m.partition('.')[0] for m in {parts}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_by("import tco") & {"pint", "numpy", "pandas", "pydantic", "openpyxl", "jinja2", "rich"}


def test_the_help_loads_nothing_heavy() -> None:
    heavy = {"pint", "numpy", "pandas", "pydantic", "openpyxl", "xlsxwriter", "jinja2", "rich", "matplotlib"}
    code = "sys.argv = ['tco', '--help']\nfrom tco.cli import main\ntry: main()\nexcept SystemExit: pass"
    assert not loaded_by(code) & heavy


@pytest.mark.parametrize("example", ["8xh100-day", "jpwr-two-gpus"])
def test_an_estimate_as_a_table_loads_no_spreadsheet_and_no_data_frame(example: str) -> None:
    heavy = {"pandas", "openpyxl", "xlsxwriter", "matplotlib", "jinja2", "scipy_special", "scipy_stats", "pyarrow"}
    code = (
        f"sys.argv = ['tco', 'estimate', {str(ROOT / 'examples' / example / 'run.json')!r}, '--region', 'eu']\n"
        "from tco.cli import main\ntry: main()\nexcept SystemExit: pass"
    )
    assert not loaded_by(code) & heavy


def test_every_public_function_says_what_it_does() -> None:
    missing = []
    for path in sorted((ROOT / "tco").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for node in [*tree.body, *(member for owner in classes for member in owner.body)]:
            public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if public and not ast.get_docstring(node):
                missing.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not missing, "\n".join(missing)
