"""``tco simulate`` and ``tco catalog score --with`` as a user runs them."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tco.cli import main

Out = tuple[int, str, str]
Tco = Callable[..., Out]


@pytest.fixture
def tco(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tco:
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


def test_simulators_side_by_side(tco: Tco, workload: Path) -> None:
    code, out, err = tco("simulate", workload, "--with", "6nd,8nd", "--system", "dgx-a100", "-n", 64, "--region", "eu")
    assert code == 0
    for words in (
        "GPT-3 175B as simulators predict it",
        "Step, predicted [s]",
        "17.19",
        "18.34",
        "Measured / predicted",
        "of it, network",
        "Carbon [gCO2e]",
        "Cost [EUR]",
        "0.400 (input)",
        "share of the node's rating",
        "korthikanti-table-5",
        "It does not say: power and energy",
    ):
        assert words in out
    assert max(len(line) for line in out.splitlines()) <= 120
    assert err.count("warning [modelled-power]") == 1
    assert "(6nd, 8nd)" in err


def test_the_example_that_ships(tco: Tco) -> None:
    code, out, _ = tco("simulate", "example:gpt3-175b", "--with", "8nd", "-s", "dgx-a100", "-n", 64, "-r", "eu")
    assert code == 0
    assert "18.34" in out
    code, _, err = tco("simulate", "example:gpt3", "--with", "8nd", "-s", "dgx-a100", "-n", 64, "-r", "eu")
    assert code == 2
    assert "no example 'gpt3'" in err


def test_one_without_an_answer_is_named_and_the_exit_code_says_so(tco: Tco, workload: Path) -> None:
    code, out, err = tco("simulate", workload, "--with", "6nd,calculon", "--system", "dgx-a100", "-n", 64, "-r", "eu")
    assert code == 1
    assert "17.19" in out
    assert "calculon: no answer: needs a checkout" in out
    assert "calculon: no answer: needs a checkout of github.com/calculon-ai/calculon" in err


def test_json_holds_an_estimate_for_each(tco: Tco, workload: Path) -> None:
    code, out, _ = tco(
        "simulate", workload, "-w", "6nd", "-w", "llm-analyse", "-s", "dgx-a100", "-n", 64, "-r", "eu", "-f", "json"
    )
    assert code == 1
    data = json.loads(out)
    assert data["schema"] == "tco.simulate/1"
    assert data["simulators"]["6nd"]["estimate"]["schema"] == "tco.estimate/1"
    assert "simulator.time_ratio" in data["simulators"]["6nd"]["estimate"]["inputs"]
    other = data["simulators"]["llm-analyse"]
    assert other["estimate"] is None
    assert "did you mean 'llm-analysis'" in other["fault"]


def test_csv_is_long_and_in_full(tco: Tco, workload: Path) -> None:
    code, out, _ = tco("simulate", workload, "-w", "6nd", "-s", "dgx-a100", "-n", 64, "-r", "eu", "-f", "csv")
    assert code == 0
    rows = {row["line"]: row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["simulator.step_time"]["value"]) == pytest.approx(17.1929, abs=0.5e-4)
    assert float(rows["run.duration"]["low"]) <= float(rows["run.duration"]["value"])
    assert rows["carbon.total"]["unit"] == "kgCO2e"


def test_runs_are_written_and_can_be_estimated(tco: Tco, workload: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    code, _, err = tco(
        "simulate", workload, "-w", "8nd", "-s", "dgx-a100", "-n", 64, "-r", "eu", "--runs", tmp_path / "runs"
    )
    assert code == 0
    assert "wrote" in err
    code, out, _ = tco("estimate", tmp_path / "runs" / "8nd.json", "--region", "eu")
    assert code == 0
    assert "Predicted by" in out
    assert "predicted, with the error of the simulator" in out


def test_calibration_is_printed_with_what_it_is_worth(tco: Tco, workload: Path) -> None:
    code, out, err = tco(
        "simulate", workload, "-w", "8nd", "-s", "dgx-a100", "-n", 64, "-r", "eu",
        "--calibrate", "sc21-table-1,sc21-table-2",
    )  # fmt: skip
    assert code == 0
    assert "8nd calibrated on sc21-table-1, sc21-table-2" in err
    assert "Left out" in err
    assert "calibrated on 16 pairs" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a workload, simulators and a node: tco simulate job.toml --with 6nd,8nd"),
        (("--setting", "utilisation=0.4"), "write SIM.NAME=VALUE, for instance --setting calculon.path="),
        (("--setting", "6nd.utilisation=0.4", "--setting", "6nd.utilisation=0.5"), "6nd.utilisation is given twice"),
    ],
)
def test_what_is_missing_is_said(tco: Tco, workload: Path, arguments: tuple[str, ...], words: str) -> None:
    code, _, err = tco("simulate", workload, *arguments)
    assert code == 2
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-s", "dgx-a1000", "-n", "64", "-r", "eu"), "dgx-a1000"),
        (("-s", "dgx-a100", "-n", "64", "-r", "bavaria"), "bavaria"),
        (("-s", "dgx-a100", "-n", "63", "-r", "eu"), "devices: 63 are not a multiple of tensor 8"),
        (("-s", "dgx-a100", "-n", "64", "-r", "eu", "--time-limit", "soon"), "soon"),
        (("-s", "dgx-a100", "-n", "64", "-r", "eu", "--set", "site.peu=1.2"), "'site.peu' is not an input"),
        (("-s", "dgx-a100", "-n", "64", "-r", "eu", "--runs", "nowhere"), "nowhere: is no folder"),
        (("-s", "dgx-a100", "-n", "64", "-r", "eu", "--calibrate", "sc21"), "'6nd-mfu40' has no pairs on 'sc21'"),
    ],
)
def test_bad_input_is_a_message(tco: Tco, workload: Path, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = tco("simulate", workload, "--with", "6nd", *arguments)
    assert code == 2
    assert out == ""
    assert words in err
    assert "Traceback" not in err


def test_the_list_says_what_can_be_used(tco: Tco) -> None:
    code, out, _ = tco("simulate", "--list")
    assert code == 0
    for words in ("6nd", "8nd", "llm-analysis", "calculon", "needs a checkout", "describe its command in a TOML file"):
        assert words in out


def test_a_simulator_output_is_estimated_directly(tco: Tco, tmp_path: Path) -> None:
    log = "".join(f"sys[{i}] finished, 20000000000 cycles, exposed communication 5000000000 cycles\n" for i in range(8))
    (tmp_path / "log.txt").write_text(log)
    code, out, err = tco("estimate", tmp_path / "log.txt", "--region", "eu", "--system", "dgx-a100")
    assert code == 0
    assert "ASTRA-sim" in out
    assert "model: by phase" in out
    assert "warning [unvalidated]" in err


def test_a_simulator_scored_on_a_measured_set(tco: Tco) -> None:
    code, out, _ = tco("catalog", "score", "--with", "6nd", "--set", "vtrain-multi", "-f", "json", "--resamples", 0)
    assert code == 0
    assert "32.257" in out
    code, out, _ = tco(
        "catalog", "score", "--with", "6nd", "--set", "korthikanti-table-5", "--setting", "utilisation=0.5"
    )
    assert code == 0
    assert "6nd on korthikanti-table-5: 8 points" in out


def test_scoring_says_what_belongs_together(tco: Tco) -> None:
    for arguments in (
        ("--with", "6nd"),
        ("--set", "vtrain-multi"),
        ("x.csv", "--with", "6nd", "--set", "vtrain-multi"),
    ):
        code, _, err = tco("catalog", "score", *arguments)
        assert code == 2
        assert "--with SIM and --set SET belong together" in err
    code, _, err = tco("catalog", "score", "--with", "calculon", "--set", "vtrain-multi")
    assert code == 2
    assert "calculon: needs a checkout" in err
    code, _, err = tco("catalog", "score")
    assert code == 2
    assert "name PAIRS" in err


def test_all_predictors_in_one_table(tco: Tco) -> None:
    code, out, _ = tco("catalog", "validation", "-f", "json")
    assert code == 0
    rows = json.loads(out)
    assert "korthikanti-table-5" in json.dumps(rows)
    code, out, _ = tco("catalog", "validation")
    assert code == 0
    assert max(len(line) for line in out.splitlines()) <= 120
