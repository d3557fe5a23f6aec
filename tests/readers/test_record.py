"""Run records with traces, and which reader is taken for a file."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tco.errors import ReadError, RecordError
from tco.readers import ReadOptions, load_run, plugins, read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def record(data: Path, tmp_path: Path) -> Callable[..., Path]:
    """Writes a run record with one power reading beside the traces."""
    for trace in data.glob("*.csv"):
        shutil.copy(trace, tmp_path)

    def write(reading: dict[str, Any], **fields: Any) -> Path:
        path = tmp_path / "run.json"
        path.write_text(json.dumps({"schema": "tco.run/1", "duration": "3 s", "power": [reading], **fields}))
        return path

    return write


def added(run: Run) -> list[tuple[str | None, float, str | None]]:
    return [(energy.device, energy.value, energy.boundary) for energy in run.energy]


def codes(run: Run) -> list[str]:
    return [warning.code for warning in run.warnings]


def test_each_reading_with_a_trace_becomes_an_energy(data: Path) -> None:
    run = load_run(data / "run.json")
    assert added(run) == [("pynvml:0", pytest.approx(500), "gpu_board"), ("pynvml:1", pytest.approx(150), "gpu_board")]
    assert [energy.rule for energy in run.energy] == ["trapezoid", "right_rectangle"]
    assert [power.trace for power in run.power] == ["power.pairs.csv", "power.pairs.csv"]
    assert [evidence.file for evidence in run.provenance] == ["power.pairs.csv"]
    assert read(data / "run.json") == [run]


def test_the_record_says_boundary_phase_and_method(record: Callable[..., Path]) -> None:
    path = record(
        {"trace": "power.pairs.csv", "device": "0", "boundary": "node_dc", "phase": "active", "method": "meter"}
    )
    (energy,) = load_run(path).energy
    assert (energy.boundary, energy.phase, energy.method, energy.device) == ("node_dc", "active", "meter", "0")
    assert energy.value == pytest.approx(500)


def test_a_whole_run_is_the_sum_of_its_channels(record: Callable[..., Path]) -> None:
    assert added(load_run(record({"trace": "power.pairs.csv"}))) == [(None, pytest.approx(650), "gpu_board")]


def test_channels_at_nested_boundaries_are_not_added(record: Callable[..., Path]) -> None:
    with pytest.raises(
        ReadError,
        match=r"run\.json: power\[0\]\.boundary: the trace has channels at gpu_board, module; say which of them",
    ):
        load_run(record({"trace": "power.gh.csv"}))
    run = load_run(record({"trace": "power.gh.csv", "boundary": "module"}))
    assert added(run) == [(None, pytest.approx(1800), "module")]


def test_the_trace_of_one_node_stands_for_all(record: Callable[..., Path], file: Write) -> None:
    file("node.csv", "t_s,node0_W\n0,100\n3,100\n")
    run = load_run(record({"trace": "node.csv", "scope": "node"}, nodes=4))
    assert added(run) == [(None, pytest.approx(1200), None)]
    assert [(w.code, w.message) for w in run.warnings] == [("extrapolated", "the trace of one node is taken for all 4")]
    with pytest.raises(ReadError, match=r"run\.json: power\[0\]\.scope: the trace of one node needs 'nodes'"):
        load_run(record({"trace": "node.csv", "scope": "node"}))
    run = load_run(record({"trace": "node.csv", "scope": "device"}, devices=[{"kind": "gpu", "count": 2}]))
    assert added(run) == [(None, pytest.approx(600), None)]


def test_a_device_without_values_adds_no_energy(record: Callable[..., Path], file: Write) -> None:
    file("t.csv", "t_s,gpu0_W\n0,N/A\n3,N/A\n")
    run = load_run(record({"trace": "t.csv", "device": "gpu0"}))
    assert run.energy == ()
    assert codes(run) == ["absent-channel"]


def test_the_duration_comes_from_the_trace_where_the_record_has_none(record: Callable[..., Path]) -> None:
    run = load_run(record({"trace": "power.pairs.csv"}, duration=None))
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(3)
    assert codes(run) == ["duration-from-trace"]


def test_a_trace_that_is_not_the_recorded_one_is_noted(record: Callable[..., Path]) -> None:
    evidence = {"file": "power.pairs.csv", "sha256": "0" * 64}
    run = load_run(record({"trace": "power.pairs.csv"}, provenance=[evidence]))
    (warning,) = run.warnings
    assert warning.code == "checksum"
    assert warning.message.startswith("'power.pairs.csv' is not the file that the record was made from: its SHA-256 is")
    assert warning.where is not None
    assert warning.where.endswith("run.json: provenance[0].sha256")
    assert [item.sha256 for item in run.provenance] == ["0" * 64]


@pytest.mark.parametrize(
    ("reading", "fault"),
    [
        (
            {"trace": "gone.csv"},
            r"power\[0\]\.trace: there is no file '.*gone\.csv'; the path is relative to the run f",
        ),
        (
            {"trace": "power.pairs.csv", "device": "pynvml:7"},
            r"power\[0\]\.device: there is no channel 'pynvml:7'; did you mean 'pynvml:\d' or 'pynvml:\d'\? "
            r"\(channels: pynvml:0, pynvml:1\)",
        ),
        (
            {"trace": "power.pairs.csv", "scope": "device"},
            r"power\[0\]\.device: is missing; say which of the channels pynvml:0, pynvml:1 it is",
        ),
        (
            {"trace": "power.pairs.csv", "rule": "mean_in_window"},
            r"power\[0\]\.rule: 'mean_in_window' is not how a trace is integrated; write trapezoid or left_rectangle",
        ),
        ({"trace": "run.json"}, r"power\[0\]\.trace: no reader knows '.*run\.json' as a power trace"),
        ({"trace": "energy.pairs.csv"}, r"energy\.pairs\.csv: holds energies, not powers over time"),
    ],
)
def test_record_refusals(record: Callable[..., Path], reading: dict[str, Any], fault: str) -> None:
    with pytest.raises(ReadError, match=fault):
        load_run(record(reading))


def test_a_file_is_read_once_for_all_its_readings(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tco.readers.jpwr import Jpwr

    whole = Jpwr.trace
    calls = []

    def trace(self: Jpwr, path: Path, options: ReadOptions) -> Any:
        calls.append(options.rule)
        return whole(self, path, options)

    monkeypatch.setattr(Jpwr, "trace", trace)
    load_run(data / "run.json")
    assert calls == ["trapezoid", "right_rectangle"]


def test_a_toml_record_without_schema(file: Write) -> None:
    path = file("run.toml", 'energy = "1 kWh"\nduration = "1 h"\n')
    (run,) = read(path)
    assert run.energy[0].value == 1
    assert read(path, as_="run") == [run]
    with pytest.raises(RecordError, match=r"run\.toml: 'runtime' is not a field here; did you mean 'duration'\?"):
        read(file("run.toml", 'energy = "1 kWh"\nruntime = "1 h"\n'))


@pytest.mark.parametrize("content", ["{", '{"schema": "tco.run/1", "energi": "1 kWh"}', '{"energi": "1 kWh"}', "[]"])
def test_a_json_file_that_no_reader_knows_is_refused_as_a_record(file: Write, content: str) -> None:
    with pytest.raises(RecordError, match=r"run\.json"):
        read(file("run.json", content))


# ---- which reader


def test_the_readers_are_those_of_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["tco.readers"] == plugins.OWN
    assert [reader.name for reader in plugins.own()] == list(plugins.OWN)


def test_listing_the_readers_loads_nothing_heavy() -> None:
    code = (
        "import sys; from tco.readers import plugins; plugins.own(); "
        "print(*sorted(m.partition('.')[0] for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not set(done.stdout.split()) & {"numpy", "pint", "pydantic", "pandas"}


def test_a_file_that_no_reader_knows(file: Write, tmp_path: Path) -> None:
    with pytest.raises(
        ReadError, match=r"x\.log: no reader knows this file; formats: run .*, nvidia-smi, .*--as csv --column"
    ):
        read(file("x.log", "hello\n"))
    with pytest.raises(ReadError, match=r"gone\.csv: no such file"):
        read(tmp_path / "gone.csv")
    with pytest.raises(ReadError, match="is a folder, not a file"):
        read(tmp_path)
    with pytest.raises(
        ReadError, match=r"there is no reader 'jpwrr'; did you mean 'jpwr'\? \(readers: run, jpwr, nvidia"
    ):
        read(file("x.log", "hello\n"), as_="jpwrr")


def entry_points_are(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == "tco.readers" else ())


def test_a_reader_of_another_package(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.model_validate({"energy": "2 kWh"})
    theirs = SimpleNamespace(name="theirs", title="their log", boundary="rack", sniff=lambda path: 0.5)
    theirs.read = lambda path, options: [run]
    module = SimpleNamespace(READER=theirs)
    monkeypatch.setitem(sys.modules, "theirs", module)  # type: ignore[arg-type]
    broken = EntryPoint("broken", "no_such_module_at_all:READER", "tco.readers")
    ours = EntryPoint("jpwr", "tco.readers.jpwr:READER", "tco.readers")
    entry_points_are(monkeypatch, broken, ours, EntryPoint("theirs", "theirs:READER", "tco.readers"))
    for as_ in (None, "theirs"):
        (found,) = read(file("x.log", "hello\n"), as_=as_)
        assert found.energy == run.energy
        (warning,) = found.warnings
        assert warning.code == "reader-failed"
        assert warning.message == (
            "the reader 'broken' (no_such_module_at_all:READER) cannot be loaded: "
            "No module named 'no_such_module_at_all'"
        )


def test_a_reader_that_fails_to_look_is_passed_over(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def sniff(path: Path) -> float:
        raise ZeroDivisionError("oops")

    monkeypatch.setitem(sys.modules, "theirs", SimpleNamespace(READER=SimpleNamespace(name="theirs", sniff=sniff)))  # type: ignore[arg-type]
    entry_points_are(monkeypatch, EntryPoint("theirs", "theirs:READER", "tco.readers"))
    (run,) = read(file("t.csv", "t_s,gpu0_W\n0,300\n2,300\n"))
    assert [w.message for w in run.warnings] == ["the reader 'theirs' cannot look at the file: oops"]


def test_other_packages_are_not_asked_about_a_file_that_is_certain(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(group: str) -> None:
        raise AssertionError("looked for entry points")

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    for name in ("power.pairs.csv", "energy.pairs.csv", "smi.two-gpus.csv", "run.json"):
        assert read(data / name)


def test_a_record_says_itself_what_was_measured(data: Path) -> None:
    for options in (ReadOptions(devices=("0",)), ReadOptions(boundary="node_ac")):
        with pytest.raises(ReadError, match=r"run\.json: is a run record, which says itself what was mea"):
            read(data / "run.json", options=options)


def test_a_large_file_is_not_read_whole_to_see_whether_it_is_a_record(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tco.readers import record

    monkeypatch.setattr(record, "_LARGEST", 10)
    assert not record.is_run_record(data / "run.json")
    monkeypatch.setattr(record, "_LARGEST", 10_000)
    assert record.is_run_record(data / "run.json")
