"""``tco grid`` and the grid options of an estimate, as a user runs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tco.cli import main

DATA = Path(__file__).resolve().parents[1] / "data" / "grid"


@pytest.fixture
def tco(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tco", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    record = {"name": "job", "start": "2030-01-01T00:00:00Z", "duration": "1 h", "nodes": 1,
              "power": {"average_power": "10 kW", "boundary": "node_ac"}}  # fmt: skip
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def test_data_lists_sets_releases_licences_and_hashes(tco) -> None:
    code, out, err = tco("grid", "data")
    assert (code, err) == (0, "")
    for words in (
        "ember-yearly",
        "2026-04",
        "CC BY 4.0",
        "992df4d4340d",
        "egrid-2023-rev1",
        "US public domain",
        "cloud-zones",
        "fuel-factors",
    ):
        assert words in out
    assert max(len(line) for line in out.splitlines()) <= 120
    code, out, _ = tco("grid", "data", "--json")
    sets = {entry["name"]: entry for entry in json.loads(out)}
    assert len(sets["ember-yearly"]["sha256"]) == 64
    assert (sets["uba"]["gas"], sets["eea"]["basis"], sets["ember-monthly"]["resolution"]) == ("CO2", "direct", "month")
    code, out, _ = tco("grid", "data", "eea")
    assert "European Environment Agency" in out
    code, out, _ = tco("grid", "data", DATA / "zones.csv")
    assert "Made-up zone factors" in out


def test_compare(tco, run: Path) -> None:
    code, out, err = tco("grid", "compare", run, "--regions", "eu,de,se,us-east-1", "--set", "site.pue=1")
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines() if line.startswith((" European", " Germany", " Sweden"))}
    assert "209.9" in rows["European"]
    assert "2.099 kgCO2e" in rows["European"]
    assert "+57.1 %" in rows["Germany"]
    assert "-83.2 %" in rows["Sweden"]
    assert "its grid is US (United States), its zone US-MIDA-PJM: use --region US; or --fallback parent takes it" in err
    code, out, _ = tco(
        "grid", "compare", run, "--regions", "eu,us-east-1", "--fallback", "parent", "--json", "--set", "site.pue=1"
    )
    data = json.loads(out)
    assert [row["factor_of"] for row in data] == ["EU27", "US"]
    assert data[1]["operational_kgco2e"] == pytest.approx(3.844)
    assert data[0]["data"][0]["name"] == "ember-yearly"


def test_compare_refuses_what_is_no_place(tco, run: Path) -> None:
    code, _, err = tco("grid", "compare", run, "--regions", "eu,atlantis")
    assert code == 2
    assert "region 'atlantis' is not known" in err
    code, _, err = tco("grid", "compare", run, "--regions", ",")
    assert (code, "names no place" in err) == (2, True)
    code, _, err = tco("grid", "compare", run, "--regions", "monaco")
    assert (code, "none of the places has a factor" in err) == (2, True)


def test_schedule(tco, run: Path) -> None:
    arguments = ("grid", "schedule", run, "--intensity", DATA / "series.csv", "--window", "4h", "--set", "site.pue=1")
    code, out, err = tco(*arguments)
    assert code == 0
    assert "best      2030-01-01T00:00Z" in out
    code, out, err = tco(
        *arguments[:-2], "--from", "2030-01-01T01:00Z", "--window", "3h", "--set", "site.pue=1", "--json"
    )
    data = json.loads(out)
    assert data["at_once"] == {"start": "2030-01-01T01:00Z", "gco2e_per_kwh": 500.0, "kgco2e": 5.0}
    assert data["best"] == {"start": "2030-01-01T03:00Z", "gco2e_per_kwh": 100.0, "kgco2e": 1.0}
    assert data["saving"] == pytest.approx(0.8)
    assert data["latest_start"] == "2030-01-01T03:00Z"
    code, _, err = tco(*arguments[:-4], "--window", "30 min")
    assert (code, "give a longer --window" in err) == (2, True)
    code, _, err = tco(*arguments[:-4], "--window", "4h", "--set", "grid.intensity=5 g/kWh")
    assert (code, "is what the series says" in err) == (2, True)


def test_schedule_takes_a_marginal_signal_and_says_so(tco, run: Path, tmp_path: Path) -> None:
    series = json.loads((DATA / "watttime.json").read_text(encoding="utf-8"))
    series["data"] = [{"point_time": f"2030-01-01T{h:02}:00:00+00:00", "value": 800 - 100 * h} for h in range(4)]
    series["meta"]["data_point_period_seconds"] = 3600
    path = tmp_path / "moer.json"
    path.write_text(json.dumps(series), encoding="utf-8")
    code, out, _ = tco("grid", "schedule", run, "--intensity", path, "--window", "4h")
    assert code == 0
    assert "2030-01-01T03:00Z" in out
    assert "marginal" in out


def test_import_and_estimate_with_what_was_imported(tco, run: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.csv"
    code, out, err = tco("grid", "import", DATA / "neso.json", "-o", plain, "--forecast")
    assert code == 0
    assert out == (
        f"wrote {plain}: 2 steps, 2030-01-20T12:00Z to 2030-01-20T13:00Z, direct, consumption, average, CO2\n"
    )
    assert "1 of 2 values are forecasts" in err
    code, _, err = tco("grid", "import", DATA / "electricity-maps.json", "-o", plain)
    assert "warning [gaps]: 1 h without a value in 1 gaps" in err
    code, out, err = tco("grid", "import", DATA / "a75.xml", "-o", plain)
    assert code == 2
    assert "--fuels ipcc-2014" in err
    code, _, err = tco(
        "grid", "import", DATA / "series.csv", "-o", plain, "--basis", "lifecycle", "--scope", "production"
    )
    assert code == 0
    code, out, err = tco("estimate", run, "--region", "de", "--intensity", plain, "--set", "site.pue=1", "-f", "json")
    assert code == 0
    data = json.loads(out)
    assert data["lines"]["carbon.operational"]["value"] == pytest.approx(1.0)
    assert data["inputs"]["grid.intensity"]["basis"] == "lifecycle"
    assert data["data"][0]["name"] == "plain.csv"


def test_grid_options_of_an_estimate(tco, run: Path) -> None:
    code, out, err = tco(
        "estimate", run, "-r", "aws:eu-central-1", "--fallback", "parent", "--sites", DATA / "sites.csv"
    )
    assert code == 0
    assert "stands for" in out
    assert "1.36" in out
    assert "warning [fallback]" in err
    code, out, _ = tco("explain", run, "carbon.operational", "-r", "eu", "--year", "2030", "--trajectory", "-4 %/a")
    assert code == 0
    assert "-4 % a year, as stated" in " ".join(out.split())
    code, out, _ = tco("estimate", run, "-r", "de", "--grid-data", "eea")
    assert "Germany (DE), 2023, direct, production, average, eea data of 2023" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fallback", "parents"], "--fallback 'parents' is not known; did you mean 'parent'?"),
        (["--tz", "UTC"], "say how to read --intensity FILE"),
        (["--grid-data", "embr-yearly"], "did you mean 'ember-yearly'?"),
        (["--intensity", "nowhere.csv"], "nowhere.csv: no such file"),
        (["--trajectory", "down"], "--trajectory 'down' is not known"),
        (["--sites", "nowhere.csv"], "nowhere.csv: no such file"),
    ],
)
def test_bad_options_are_a_message_and_exit_code_2(tco, run: Path, arguments: list[str], words: str) -> None:
    code, out, err = tco("estimate", run, "-r", "de", *arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in err + out
