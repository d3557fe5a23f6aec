"""``tco read`` and ``tco readers``, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tco.cli import make_app
from tco.errors import TcoError
from tco.readers import read

DATA = Path(__file__).resolve().parents[1] / "data" / "readers"


def tco(*arguments: object) -> str:
    done = CliRunner().invoke(make_app(str(arguments[0])), [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_file_as_a_table() -> None:
    shown = tco("read", DATA / "rapl.csv")
    assert "powercap" in shown
    lines = [line.split() for line in shown.splitlines() if line.strip().startswith("energy")]
    assert lines[0] == ["energy", "package-0", "4,000", "J", "cpu_package", "counter,", "counter", "100.0%"]
    assert [line[1] for line in lines] == ["package-0", "dram", "psys"]


def test_a_record_to_keep(tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    tco("read", DATA / "smi.two-gpus.csv", "--time-zone", "Europe/Berlin", "--devices", "1", "-o", kept)
    (again,) = read(kept)
    assert [(e.device, e.value) for e in again.energy] == [("1", pytest.approx(210))]
    assert str(again.start) == "2026-01-01 22:59:58.002000+00:00"
    data = json.loads(tco("read", kept, "--format", "json"))
    assert data == json.loads(kept.read_text())
    assert "energy.it" in tco("estimate", kept, "--region", "de", "--format", "csv")


def test_a_snapshot_becomes_an_estimate_once_its_duration_is_written_into_the_record(tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    tco("read", DATA / "redfish.json", "-o", kept)
    with pytest.raises(TcoError, match=r"a power becomes an energy only with 'duration'"):
        tco("estimate", kept, "--region", "de")
    record = json.loads(kept.read_text()) | {"duration": "2 h"}
    kept.write_text(json.dumps(record))
    estimate = json.loads(tco("estimate", kept, "--region", "de", "--format", "json"))
    assert estimate["lines"]["energy.it"]["value"] == pytest.approx(2 * 0.587)


def test_the_options_of_reading_on_an_estimate() -> None:
    def energy(*options: str) -> float:
        shown = tco("estimate", DATA / "power.pairs.csv", "--region", "de", "--format", "json", *options)
        return float(json.loads(shown)["inputs"]["run.energy"]["value"]) * 3.6e6

    assert energy() == pytest.approx(650)
    assert energy("--devices", "0") == pytest.approx(500)
    assert energy("--devices", "0", "--rule", "right_rectangle") == pytest.approx(300)
    assert energy("--as", "jpwr", "--boundary", "node_ac") == pytest.approx(650)


def test_columns_that_are_described(tmp_path: Path) -> None:
    description = tmp_path / "columns.toml"
    description.write_text('time = "t"\ndevice = "name"\n[power]\nm = "Leistung [kW]"\n')
    for options in (
        ("--columns", str(description), "--boundary", "node_ac"),
        ("--as", "csv", "--column", "time=t", "--column", "device=name", "--column", "power=Leistung [kW]"),
    ):
        data = json.loads(tco("read", DATA / "plain.csv", *options, "--format", "json"))
        assert {energy["device"]: energy["value"] for energy in data["energy"]} == {"a": 2e6, "b": 5e5}


def test_names_and_interval(tmp_path: Path) -> None:
    path = tmp_path / "smi.csv"
    path.write_text("2026/01/01 00:00:00.000, 0, 300.00\n2026/01/01 00:00:02.000, 0, 300.00\n")
    shown = tco("read", path, "--names", "timestamp, index, power.draw [W]", "--format", "json")
    assert json.loads(shown)["energy"][0]["value"] == 600
    path = tmp_path / "dmon.txt"
    path.write_text("# gpu pwr\n 0 100\n 0 100\n 0 100\n")
    shown = tco("read", path, "--interval", "500 ms", "--format", "json")
    assert json.loads(shown)["energy"][0]["value"] == 100


def test_several_runs_go_to_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tco import readers

    runs = read(DATA / "power.pairs.csv") * 2
    monkeypatch.setattr(readers, "read", lambda path, as_=None, options=None: runs)
    tco("read", DATA / "power.pairs.csv", "-o", tmp_path / "run.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run-1.json", "run-2.json"]
    named = [run.model_copy(update={"name": name}) for run, name in zip(runs, ("job 7/a", "job 7/b"), strict=True)]
    monkeypatch.setattr(readers, "read", lambda path, as_=None, options=None: named)
    tco("read", DATA / "power.pairs.csv", "-o", tmp_path / "jobs")
    assert sorted(path.name for path in (tmp_path / "jobs").iterdir()) == ["job-7-a.json", "job-7-b.json"]
    assert "2 of 2" in tco("read", DATA / "power.pairs.csv")
    assert len(json.loads(tco("read", DATA / "power.pairs.csv", "--format", "json"))) == 2
    with pytest.raises(TcoError, match=r"holds 2 runs; estimate them one by one: tco read .* -o run\.json writes each"):
        tco("estimate", DATA / "power.pairs.csv", "--region", "de")


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--rule", "simpson"), r"--rule 'simpson' is not known \(trapezoid, left_rectangle, right_rectangle\)"),
        (("--boundary", "node"), r"--boundary 'node' is not known; did you mean 'node_dc' or 'node_ac'\?|'node_ac' or"),
        (("--interval", "0 s"), r"--interval '0 s' is not a time above zero; write for instance '1 s'"),
        (("--interval", "5 W"), r"5 W"),
        (("--devices", " , "), r"--devices names no device; write for instance --devices 0,3"),
        (("--as", "jpw"), r"there is no reader 'jpw'; did you mean 'jpwr'\?"),
        (("--time-zone", "Berlin"), r"time zone 'Berlin' is not an IANA zone"),
        (("-o", "run.csv"), r"run\.csv: a run record is written as JSON; name it for instance run\.json"),
    ],
)
def test_what_a_user_may_get_wrong(options: tuple[str, ...], fault: str) -> None:
    with pytest.raises(TcoError, match=fault):
        tco("read", DATA / "smi.two-gpus.csv", *options)


def test_the_list_of_readers() -> None:
    shown = tco("readers")
    assert "nvidia-smi --query-gpu log" in shown
    data = json.loads(tco("readers", "rapl", "--format", "json"))
    assert [each["name"] for each in data] == ["rapl"]
    assert set(data[0]) == {"name", "title", "boundary", "package", "version"}
    assert data[0]["package"] == "tco-carbon"
    with pytest.raises(TcoError, match=r"no reader has 'xyzzy' in its name or title; list them with: tco readers"):
        tco("readers", "xyzzy")
