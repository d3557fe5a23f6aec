"""The commands as a user runs them."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from tco.cli import main

RUN = ("example:8xh100-day", "--region", "eu")
Out = tuple[int, str, str]


@pytest.fixture
def tco(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> Out:
        monkeypatch.setattr(sys, "argv", ["tco", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_samples_beside_each_line(tco) -> None:
    code, out, err = tco("estimate", *RUN, "--samples", 20000, "--seed", 1, "--histogram", "cost.total")
    assert (code, err) == (0, "")
    for words in (
        "P5 ",
        "P50 ",
        "P95 ",
        "P5, P50, P95 of 20,000 random samples, seed 1",
        "triangular, 1.14 to 1.63, mode 1.54",
        "a range without a distribution is triangular",
        "cost.total, Cost of the run [EUR]",
    ):
        assert words in out
    assert "Ranges take every" not in out
    assert max(map(len, out.splitlines())) <= 120


def test_samples_add_to_the_json_and_change_nothing_else(tco) -> None:
    _, plain, _ = tco("estimate", *RUN, "-f", "json")
    code, out, _ = tco("estimate", *RUN, "-f", "json", "--samples", 5000)
    assert code == 0
    data = json.loads(out)
    sampling = data.pop("sampling")
    assert (sampling["n"], sampling["seed"], sampling["method"]) == (5000, 1, "random")
    assert sampling["inputs"]["site.pue"] == {"distribution": "triangular, 1.14 to 1.63, mode 1.54", "unit": "1"}
    spread = {name: line.pop("sampled") for name, line in data["lines"].items()}
    assert data == json.loads(plain)
    assert spread["carbon.total"]["p5"] < spread["carbon.total"]["p50"] < spread["carbon.total"]["p95"]
    assert sum(spread["carbon.total"]["counts"]) == 5000
    assert tco("estimate", *RUN, "-f", "json", "--samples", 5000)[1] == out


def test_samples_in_csv_and_markdown(tco) -> None:
    _, out, _ = tco("estimate", *RUN, "-f", "csv", "--samples", 1000)
    rows = {row["line"]: row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["energy.it"]["p50"]) == float(rows["energy.it"]["value"])
    assert float(rows["cost.total"]["p5"]) < float(rows["cost.total"]["p95"])
    _, out, _ = tco("estimate", *RUN, "-f", "md", "--samples", 1000)
    assert "| Line | Value | Unit | P5 | P50 | P95 | Histogram | What it is |" in out
    assert "- site.pue: triangular" in out


def test_sensitivity(tco, tmp_path: Path) -> None:
    code, out, _ = tco("sensitivity", *RUN, "--line", "cost.total")
    assert code == 0
    first = next(line for line in out.splitlines() if line.startswith(" system."))
    assert first.split()[0] == "system.price"
    assert "230,000 to 375,000 USD" in first
    assert "0.713" in first
    code, out, _ = tco("sensitivity", *RUN, "--line", "carbon.total", "--sobol", 256, "-f", "json")
    data = json.loads(out)
    assert data["schema"] == "tco.sensitivity/1"
    assert data["inputs"][0]["input"] == "site.pue"
    assert 0.9 < data["inputs"][0]["sobol"]["total"] < 1.1


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_plots_are_pictures_and_the_same_each_time(tco, tmp_path: Path, suffix: str) -> None:
    commands = {
        "tornado": ("sensitivity", *RUN, "--line", "cost.total"),
        "heat": ("sweep", *RUN, "--vary", "site.pue=1.1:1.6:4", "--vary", "system.lifetime=4:6:3", "-l", "cost.total"),
        "front": ("sweep", *RUN, "--vary", "site.pue=1.1:1.6:4", "--vary", "system.lifetime=4:6:3", "--pareto"),
    }
    for name, command in commands.items():
        contents = []
        for turn in (1, 2):
            path = tmp_path / f"{name}{turn}.{suffix}"
            code, _, err = tco(*command, "--plot", path)
            assert code == 0, err
            assert f"wrote {path}" in err
            contents.append(path.read_bytes())
        assert contents[0] == contents[1]
        assert contents[0].startswith(b"\x89PNG" if suffix == "png" else b"<?xml")
        assert suffix == "png" or b"[EUR]" in contents[0]
    code, _, err = tco(*commands["tornado"], "--plot", tmp_path / "x.gif")
    assert code == 2
    assert "use one of .svg, .png" in err


def test_sweep_to_the_terminal_a_file_and_json(tco, tmp_path: Path) -> None:
    vary = ("--vary", "site.pue=1.05:1.6:12", "--vary", "grid.intensity=20,200,600")
    code, out, _ = tco("sweep", *RUN, *vary)
    assert code == 0
    assert "36 points; " in out
    code, out, err = tco("sweep", *RUN, *vary, "--regions", "eu,fr", "-o", tmp_path / "grid.parquet")
    assert (code, out) == (0, "")
    assert "grid.parquet: 72 points" in err
    code, out, _ = tco("sweep", *RUN, "--vary", "site.pue=1.1,1.2", "-l", "energy.facility", "-f", "json")
    points = json.loads(out)["points"]
    assert [point["energy.facility"] for point in points] == pytest.approx([134.4 * 1.1, 134.4 * 1.2])
    code, _, err = tco("sweep", *RUN, "--vary", "site.pue=1:2:1000")
    assert code == 2
    assert "1,000 points: name a file to write them to" in err


def test_sweep_says_which_input_changes_what_there_is(tco) -> None:
    code, _, err = tco("sweep", *RUN, "--vary", "run.nodes_charged=1,2")
    assert code == 0
    assert "note: run.nodes_charged: its values change what the estimate consists of" in err


def test_front_and_map(tco) -> None:
    code, out, _ = tco("sweep", "example:8xh100-day", "--regions", "eu,se", "--vary", "system.lifetime=4,6", "--pareto",
                       "--currency", "EUR")  # fmt: skip
    assert code == 0
    assert "Not beaten in both cost.total and carbon.total, of 4 points" in out
    code, out, _ = tco("sweep", *RUN, "--vary", "site.pue=1.1:1.6:4", "--vary", "system.lifetime=4:6:3", "-l",
                       "cost.total", "--heat-map")  # fmt: skip
    assert code == 0
    assert "down: site.pue [1], across: system.lifetime [year]" in out


def test_solve(tco) -> None:
    code, out, _ = tco("solve", *RUN, "--line", "carbon.total", "--to", "40 kg", "--by", "grid.intensity")
    assert code == 0
    assert "It is 40 kgCO2e at grid.intensity = 171.4198 gCO2e/kWh." in out
    code, out, _ = tco("solve", *RUN, "--line", "cost.total", "--to", "1e6USD", "--by", "system.price")
    assert code == 0
    assert "system.price = 1,477," in out
    code, out, _ = tco("solve", *RUN, "--line", "carbon.total", "--to", "20 kg", "--by", "site.pue")
    assert code == 1
    assert "There is no value of site.pue from 1 to 3 for which it is 20 kgCO2e: there it runs from 32.73 kgCO2e" in out
    code, out, _ = tco("solve", *RUN, "--line", "carbon.total", "--to", "40 kg", "--by", "site.pue", "-f", "json")
    assert json.loads(out)["solutions"][0]["kind"] == "crosses"


def test_compare(tco) -> None:
    code, out, err = tco("compare", "example:8xh100-day", "--regions", "eu,us", "--currency", "EUR")
    assert (code, err) == (0, "")
    for words in ("A  eu", "B  us", "+75.3 %", "Why cost.total differs between A and B", "130.9 %", "together", "98 %"):
        assert words in out
    code, out, _ = tco(
        "compare", "example:8xh100-day", "example:slurm-gh200", "-r", "eu", "-f", "json", "--currency", "EUR"
    )
    data = json.loads(out)
    assert data["cases"] == ["example:8xh100-day", "example:slurm-gh200"]
    case = data["against_first"][0]
    amounts = [share["amount"] for share in case["attribution"]["cost.total"]]
    assert sum(amounts) == pytest.approx(case["lines"]["cost.total"]["absolute"], rel=1e-12)
    assert any("boundary" in warning for warning in case["warnings"])


SCENARIOS = """
[base]
region = "eu"
[base.set]
"site.pue" = 1.2
[green]
inherits = "base"
[green.set]
"grid.intensity" = "30 g/kWh"
"""


def test_scenarios_serve_estimate_compare_and_sweep(tco, tmp_path: Path) -> None:
    file = tmp_path / "cases.toml"
    file.write_text(SCENARIOS)
    run = "example:8xh100-day"
    code, out, _ = tco("estimate", run, "--scenario", f"{file}:green", "-f", "json")
    assert json.loads(out)["lines"]["carbon.operational"]["value"] == pytest.approx(134.4 * 1.2 * 0.03)
    _, out, _ = tco("estimate", run, "--scenario", f"{file}:green", "--set", "site.pue=1.5", "-f", "json")
    assert json.loads(out)["lines"]["carbon.operational"]["value"] == pytest.approx(134.4 * 1.5 * 0.03)
    code, out, err = tco("compare", run, "--scenario", file)
    assert code == 0
    assert "A  base" in out
    assert "B  green" in out
    assert "basis 'lifecycle' in 'base' and 'as stated' in 'green'" in err
    vary = ("--vary", "site.pue=1.3", "-l", "carbon.operational", "-f", "json")
    code, out, _ = tco("sweep", run, "--scenario", f"{file}:green", *vary)
    assert json.loads(out)["points"][0]["carbon.operational"] == pytest.approx(134.4 * 1.3 * 0.03)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["estimate", *RUN, "--histogram", "cost.total"], "say how many, for instance --samples 100000"),
        (["estimate", *RUN, "--samples", "10", "--histogram", "cost.totl"], "did you mean 'cost.total'?"),
        (["estimate", *RUN, "--samples", "0"], "at least 1 is needed"),
        (["estimate", *RUN, "--samples", "10", "--sampling", "latn"], "did you mean 'latin'?"),
        (["estimate", "example:8xh100-day", "--scenario", "nowhere.toml"], "nowhere.toml: no such file"),
        (["sensitivity", *RUN, "--line", "x"], "'x' is not a line of this estimate"),
        (["sensitivity", *RUN, "-f", "jsn"], "did you mean 'json'?"),
        (["sweep", *RUN], "nothing varies"),
        (["sweep", *RUN, "--vary", "site.pue=1.1,1.2", "-o", "x.txt"], "use one of .csv, .parquet"),
        (["sweep", *RUN, "--vary", "site.pue=1.1,1.2", "--heat-map"], "name it with --line"),
        (["sweep", *RUN, "--vary", "site.pue=1.1,1.2", "--pareto", "--front", "a"], "name two lines"),
        (["sweep", *RUN, "--vary", "site.pue=1.1,1.2", "-l", "cost.totl"], "did you mean 'cost.total'?"),
        (["solve", *RUN, "--line", "cost.total", "--to", "5 EUR", "--by", "site.peu"], "did you mean 'site.pue'?"),
        (["compare", "example:8xh100-day", "-r", "eu"], "a comparison needs at least two cases"),
        (["compare"], "no run is named"),
    ],
)
def test_bad_input_is_a_message_and_exit_code_2(tco, arguments: list[str], words: str) -> None:
    code, out, err = tco(*arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in err + out


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("SALib.sample.sobol", ["sensitivity", *RUN, "--sobol", "64"], "analysis"),
        ("scipy.stats.qmc", ["estimate", *RUN, "--samples", "64", "--sampling", "sobol"], "analysis"),
        ("matplotlib", ["sensitivity", *RUN, "--plot", "x.svg"], "plots"),
        ("pyarrow", ["sweep", *RUN, "--vary", "site.pue=1.1,1.2", "-o", "x.parquet"], "parquet"),
    ],
)
def test_a_missing_extra_says_how_to_install_it(
    tco, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, arguments: list[str], extra: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    code, _, err = tco(*arguments)
    assert code == 2
    assert f"pip install 'tco-carbon[{extra}]'" in err
    assert list(tmp_path.iterdir()) == []
