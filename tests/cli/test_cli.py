"""The commands as a user runs them: results on stdout, notes on stderr, exit codes, never a traceback."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tco.cli import COMMANDS, main

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


def test_the_main_job(tco, examples: Path) -> None:
    code, out, err = tco("estimate", examples / "8xh100-day" / "run.json", "--region", "eu")
    assert code == 0
    assert err == ""
    for words in (
        "134.4",
        "209.9 gCO2e/kWh: European Union (27) (EU27), 2025, lifecycle, production, average, ember-yearly 2026-04",
        "carbon.total",
        "cost.total",
        "Assumed input",
        "site.pue",
        "Uptime Institute Global Data Center Survey",
    ):
        assert words in out
    assert max(len(line) for line in out.splitlines()) <= 120


def test_an_example_by_its_name(tco) -> None:
    code, out, _ = tco("estimate", "example:8xh100-day", "-r", "eu", "-f", "json")
    assert code == 0
    assert json.loads(out)["lines"]["energy.it"]["value"] == pytest.approx(134.4, rel=1e-12)
    code, _, err = tco("estimate", "example:8xh200-day")
    assert code == 2
    assert "no example '8xh200-day'; did you mean '8xh100-day'?" in err


def test_set_replaces_an_input(tco) -> None:
    code, out, _ = tco("estimate", "example:8xh100-day", "-r", "eu", "-f", "json", "--set", "site.pue=1.2")
    data = json.loads(out)
    assert code == 0
    assert data["lines"]["energy.facility"]["value"] == pytest.approx(161.28, rel=1e-12)
    assert data["inputs"]["site.pue"]["assumed"] is False


@pytest.mark.parametrize(
    ("suffix", "first"), [(".json", "{"), (".csv", "line,value,unit"), (".md", "# 8xH100 day"), (".txt", "Run")]
)
def test_a_file_says_its_format_by_its_suffix(tco, tmp_path: Path, suffix: str, first: str) -> None:
    path = tmp_path / f"out{suffix}"
    code, out, err = tco("estimate", "example:8xh100-day", "-r", "eu", "-o", path)
    assert (code, out) == (0, "")
    assert f"wrote {path}" in err
    assert path.read_text(encoding="utf-8").startswith(first)
    assert list(tmp_path.iterdir()) == [path]


def test_csv_has_full_precision(tco) -> None:
    _, out, _ = tco("estimate", "example:8xh100-day", "-r", "eu", "-f", "csv")
    rows = {row["line"]: row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["carbon.operational"]["value"]) == pytest.approx(134.4 * 1.54 * 0.2099, rel=1e-12)
    assert rows["carbon.operational"]["unit"] == "kgCO2e"


def test_a_failed_write_leaves_nothing(tco, tmp_path: Path) -> None:
    code, _, err = tco("estimate", "example:8xh100-day", "-r", "eu", "-o", tmp_path / "no" / "out.json")
    assert code == 2
    assert "No such file or directory" in err
    assert list(tmp_path.iterdir()) == []


def test_explain_goes_down_to_the_sources(tco) -> None:
    code, out, _ = tco("explain", "example:8xh100-day", "carbon.operational", "--region", "eu")
    assert code == 0
    for words in (
        "= energy.facility * grid.intensity",
        "= energy.it * site.pue",
        "Patterson et al. 2021",
        "ISO/IEC 30134-2",
        "assumed: Power usage effectiveness of the site",
        "run.json, power[0].average_power",
    ):
        assert words in out.replace("\n", " ").replace("    ", ""), words
    code, _, err = tco("explain", "example:8xh100-day", "carbon.operationl", "--region", "eu")
    assert code == 2
    assert "'carbon.operationl' is not a line of this estimate; did you mean 'carbon.operational'?" in err


@pytest.mark.parametrize("record", ["run", "system", "site", "workload", "simulator"])
def test_schemas_are_json_schema(tco, record: str) -> None:
    code, out, _ = tco("schema", record)
    schema = json.loads(out)
    assert code == 0
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert "properties" in schema


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["estimate", "nowhere.json"], "nowhere.json"),
        (["estimate", "example:8xh100-day", "--region", "ZZZ"], "region 'ZZZ' is not known"),
        (["estimate", "example:8xh100-day", "--region", "Georgia"], "GE"),
        (["estimate", "example:8xh100-day", "-r", "eu", "--set", "site.pue"], "write INPUT=VALUE"),
        (
            ["estimate", "example:8xh100-day", "-r", "eu", "--set", "site.pue=1", "--set", "site.pue=2"],
            "is given twice",
        ),
        (["estimate", "example:8xh100-day", "-r", "eu", "--system", "hgx-h10"], "hgx-h100"),
        (["estimate", "example:8xh100-day", "-r", "eu", "--currency", "EURO"], "did you mean 'EUR'?"),
        (["estimate", "example:8xh100-day", "-r", "eu", "-o", "out.pdf"], "the suffix '.pdf' says no format"),
        (["estimate", "example:8xh100-day", "-r", "eu", "--year", "1990"], "2000"),
        (["regions", "atlantis"], "no place has 'atlantis' in its name or id"),
        (["hardware", "show", "h1000"], "tco hardware list"),
        (["estimate"], "RUN"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_bad_input_is_a_message_and_exit_code_2(tco, arguments: list[str], words: str) -> None:
    code, out, err = tco(*arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in err + out


def test_lists(tco) -> None:
    code, out, _ = tco("regions", "germany")
    assert code == 0
    assert "DE" in out
    assert "329.65" in out
    code, out, _ = tco("regions", "eu27", "--json")
    assert json.loads(out)[0]["gco2e_per_kwh"] == 209.9
    code, out, _ = tco("hardware", "list")
    assert "hgx-h100" in out
    code, out, _ = tco("hardware", "show", "NVIDIA H100 80GB HBM3")
    assert json.loads(out)["tdp"]["value"] == 700


def test_version_and_module(tco) -> None:
    code, out, _ = tco("--version")
    assert (code, out.split()[0]) == (0, "tco")
    done = subprocess.run([sys.executable, "-m", "tco", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == out


def test_help_names_every_command(tco) -> None:
    code, out, _ = tco("--help")
    assert code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_list_says_what_the_command_says_of_itself(tco, command: str) -> None:
    code, out, _ = tco(command, "--help")
    assert code == 0
    assert COMMANDS[command] in " ".join(out.split())


def test_a_reader_that_has_gone_is_no_error(examples: Path) -> None:
    command = f"'{sys.executable}' -m tco explain '{examples}/8xh100-day/run.json' cost.total --region eu | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("cost.total")
