"""Real files, against the values that their makers published or that were computed with other tools."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, load_run, read
from tco.records.run import Rule, Run

J_PER_WH = 3600


def by_device(run: Run) -> dict[str | None, float]:
    """Energies in J."""
    return {energy.device: float(energy.energy.m_as("J")) for energy in run.energy}


# samples/jpwr/MANIFEST.csv
@pytest.mark.parametrize(
    ("file", "rule", "watt_hours"),
    [
        ("None.node01.10780", "trapezoid", {"pynvml:0": 1.0376012562624612, "pynvml:1": 0.154982304688957}),
        ("None.node01.10780", "right_rectangle", {"pynvml:0": 1.0381313862848283, "pynvml:1": 0.154982304688957}),
        ("0.node01.10976", "trapezoid", {"pynvml:0": 1.0279514309708608}),
        ("0.node01.10976", "left_rectangle", {"pynvml:0": 1.0285398203242488}),
        ("0.node01.10976", "right_rectangle", {"pynvml:0": 1.027363041617473, "pynvml:1": 0.1465128299759494}),
        ("node01.11100", "trapezoid", {"gh:Module Power Socket 0": 0.15210096246560414}),
    ],
)
def test_jpwr_traces(shared: Path, file: str, rule: Rule, watt_hours: dict[str, float]) -> None:
    (run,) = read(shared / "samples/jpwr" / f"power.{file}.csv", options=ReadOptions(rule=rule))
    found = by_device(run)
    for device, expected in watt_hours.items():
        assert found[device] == pytest.approx(expected * J_PER_WH, rel=1e-12)


# facts/measured/pitfalls_tests.csv P04: 7 % to either side of the trapezoid
@pytest.mark.parametrize(
    ("rule", "watt_hours"), [("right_rectangle", 0.30226), ("trapezoid", 0.28171), ("left_rectangle", 0.26116)]
)
def test_jpwr_rules_on_a_step(shared: Path, rule: Rule, watt_hours: float) -> None:
    (run,) = read(shared / "samples/jpwr/power.node01.11100.csv", options=ReadOptions(rule=rule))
    assert by_device(run)["pynvml:0"] == pytest.approx(watt_hours * J_PER_WH, abs=0.5e-5 * J_PER_WH)


@pytest.mark.parametrize(
    ("file", "watt_hours"),
    [
        ("None.node01.10780", {"pynvml:0": 1.0381313862848283, "pynvml:1": 0.154982304688957}),
        ("0.node01.10976", {"pynvml:0": 1.027363041617473, "pynvml:1": 0.1465128299759494}),
    ],
)
def test_jpwr_energies(shared: Path, file: str, watt_hours: dict[str, float]) -> None:
    (run,) = read(shared / "samples/jpwr" / f"energy.{file}.csv")
    assert by_device(run) == pytest.approx({name: value * J_PER_WH for name, value in watt_hours.items()}, rel=1e-12)
    assert {(energy.unit, energy.rule, energy.boundary) for energy in run.energy} == {
        ("Wh", "right_rectangle", "gpu_board")
    }


@pytest.mark.parametrize("kind", ["power", "energy"])
def test_jpwr_counts_a_grace_hopper_module_once(shared: Path, kind: str) -> None:
    (run,) = read(shared / "samples/jpwr" / f"{kind}.node01.11100.csv")
    assert {e.device: e.boundary for e in run.energy} == {
        "pynvml:0": "gpu_board",
        "pynvml:1": "gpu_board",
        "gh:Module Power Socket 0": "module",
    }
    assert by_device(run)["gh:Module Power Socket 0"] == pytest.approx(0.15210096246560414 * J_PER_WH, rel=1e-12)
    nested = [warning.message for warning in run.warnings if warning.code == "nested-channel"]
    assert [message.split("'")[1] for message in nested] == [
        "gh:Grace Power Socket 0",
        "gh:CPU Power Socket 0",
        "gh:SysIO Power Socket 0",
    ]
    assert ("101.97 J" if kind == "power" else "0.0283251 Wh") in nested[0]
    (above,) = [warning.message for warning in run.warnings if warning.code == "inner-above-outer"]
    assert above.startswith("'pynvml:0' (")
    assert "is above 'gh:Module Power Socket 0'" in above


# the energies that jpwr stored are the right rectangles of the powers that it stored
def test_jpwr_in_hdf5(shared: Path) -> None:
    pytest.importorskip("h5py")
    (energies,) = read(shared / "samples/jpwr/energy.node01.11042.h5")
    assert {(e.unit, e.rule, e.boundary) for e in energies.energy} == {("Wh", "right_rectangle", "gpu_board")}
    path = shared / "samples/jpwr/power.node01.11042.h5"
    (powers,) = read(path, options=ReadOptions(rule="right_rectangle"))
    assert by_device(powers) == pytest.approx(by_device(energies), rel=1e-12)
    (one,) = read(path, options=ReadOptions(devices=("1",)))
    assert set(by_device(one)) == {"pynvml:1"}


# facts/measured/run_jpwr_two_gpus.json
def test_a_record_with_a_jpwr_trace(shared: Path, tmp_path: Path) -> None:
    shutil.copy(shared / "facts/measured/run_jpwr_two_gpus.json", tmp_path / "run.json")
    shutil.copy(shared / "samples/jpwr/power.None.node01.10780.csv", tmp_path)
    run = load_run(tmp_path / "run.json")
    of_trace = [e for e in run.energy if e.rule == "trapezoid"]
    of_tool = [e for e in run.energy if e.rule == "right_rectangle"]
    assert sum(e.value for e in of_trace) == pytest.approx(1.1925835609514182 * J_PER_WH, rel=1e-12)
    assert sum(float(e.energy.m_as("J")) for e in of_tool) == pytest.approx(1.1931136909737852 * J_PER_WH, rel=1e-12)
    assert {(e.device, e.boundary, e.method, e.source) for e in of_trace} == {
        ("pynvml:0", "gpu_board", "sensor", "power.None.node01.10780.csv"),
        ("pynvml:1", "gpu_board", "sensor", "power.None.node01.10780.csv"),
    }
    assert len(run.power) == 2
    assert {warning.code for warning in run.warnings} == {"stuck-sensor"}  # pynvml:1 is idle; the checksum fits


# samples/nvidia_smi/MANIFEST.csv: joules as printed there
@pytest.mark.parametrize(
    ("file", "column", "joules", "digits"),
    [
        ("a100_square_wave_15ms.csv", "power.draw", 1308.797, 3),
        ("a100_square_wave_15ms.csv", "power.draw.instant", 1308.94, 2),
        ("a100_transient_15ms.csv", "power.draw", 1775.875, 3),
        ("a100_transient_15ms.csv", "power.draw.instant", 1774.041, 3),
        ("k40m_transient.csv", "power.draw", 1232.838, 3),
        ("rtx3090_square_wave.csv", "power.draw", 2872.01, 2),
        ("rtx3090_square_wave.csv", "power.draw.average", 2872.009, 3),
        ("rtx3090_square_wave.csv", "power.draw.instant", 2852.987, 3),
        ("stuck_sensor_unknown_error_column.csv", "power.draw", 4990.275, 3),
    ],
)
def test_nvidia_smi_logs(shared: Path, tmp_path: Path, file: str, column: str, joules: float, digits: int) -> None:
    text = (shared / "samples/nvidia_smi" / file).read_text()
    for preferred in ("power.draw", "power.draw.average", "power.draw.instant"):
        if preferred == column:
            break
        text = text.replace(f" {preferred} [W]", " other [W]", 1)
    (tmp_path / file).write_text(text)
    (run,) = read(tmp_path / file)
    (energy,) = run.energy
    assert energy.value == pytest.approx(joules, abs=0.5 * 10**-digits)
    assert (energy.unit, energy.boundary, energy.method, energy.rule) == ("J", "gpu_board", "sensor", "trapezoid")


@pytest.mark.parametrize(
    ("file", "samples", "span_s"),
    [
        ("a100_square_wave_15ms.csv", 965, 12.678),
        ("a100_transient_15ms.csv", 1245, 16.722),
        ("k40m_transient.csv", 2110, 16.261),
        ("rtx3090_square_wave.csv", 1690, 12.326),
        ("stuck_sensor_unknown_error_column.csv", 2000, 108.038),
    ],
)
def test_nvidia_smi_spans(shared: Path, file: str, samples: int, span_s: float) -> None:
    from tco.readers.nvidia_smi import READER

    path = shared / "samples/nvidia_smi" / file
    (channel,) = READER.trace(path, ReadOptions())
    assert (channel.samples, channel.missing) == (samples, 0)
    assert channel.duration_s == pytest.approx(span_s, abs=1e-9)
    (run,) = read(path)
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(span_s, abs=1e-9)


@pytest.mark.parametrize(("rule", "joules"), [("left_rectangle", 1308.828), ("right_rectangle", 1308.765)])
def test_nvidia_smi_rules(shared: Path, rule: Rule, joules: float) -> None:
    (run,) = read(shared / "samples/nvidia_smi/a100_square_wave_15ms.csv", options=ReadOptions(rule=rule))
    assert run.energy[0].value == pytest.approx(joules, abs=0.5e-3)


def test_nvidia_smi_log_of_two_gpus_with_missing_values(shared: Path) -> None:
    (run,) = read(shared / "samples/nvidia_smi/query_gpu_multi_na_constructed.csv")
    assert by_device(run) == pytest.approx({"0": 1400.0, "1": 210.0}, abs=1e-9)
    messages = [warning.message for warning in run.warnings if warning.code == "missing-samples"]
    assert messages[0] == "channel '0': 1 of 4 samples have no value and are bridged (longest gap 3 s)"


def test_nvidia_smi_log_of_a_stuck_sensor(shared: Path) -> None:
    (run,) = read(shared / "samples/nvidia_smi/stuck_sensor_unknown_error_column.csv")
    assert [(w.code, w.message) for w in run.warnings] == [
        ("stuck-sensor", "channel 'gpu': all are 46.19 W over 2000 samples; the sensor may be stuck")
    ]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("query_gpu_noheader_nounits_constructed.csv", r":1: has no column names; say what was quer"),
        ("dmon_constructed.txt", r":3: has no time; say how often dmon sampled, such as --interval '1 s'"),
    ],
)
def test_nvidia_smi_forms_that_are_refused(shared: Path, file: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(shared / "samples/nvidia_smi" / file)
