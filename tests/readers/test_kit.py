"""The public kit: our readers pass it, readers with a fault do not; and a package with a reader, as others write it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tco.errors import ReadError
from tco.readers import ReadOptions, plugins
from tco.readers.base import Reader
from tco.records.run import Evidence, Run
from tco.testing import check_reader

Write = Callable[[str, str | bytes], Path]
ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "docs" / "reader-plugin"

SAMPLES = {
    "jpwr": "power.pairs.csv",
    "nvidia-smi": "smi.two-gpus.csv",
    "table": "table.rows.csv",
    "dcgm": "dcgm.range.json",
    "kepler": "kepler.prom",
    "scaphandre": "scaphandre.json",
    "prometheus": "node-exporter.range.json",
    "nvidia-smi-dmon": "dmon.txt",
    "nvidia-smi-xml": "smi.xml",
    "rocm-smi": "rocm.json",
    "amd-smi": "amd-monitor.csv",
    "rapl": "rapl.csv",
    "ipmi-dcmi": "ipmi.txt",
    "redfish": "redfish.json",
    "turbostat": "turbostat.txt",
    "perf": "perf.csv",
    "wandb": "wandb.csv",
    "archer2-usage": "usage_2024-02_CodePower.csv",
}
ABSENT = {
    "jpwr": ("power.csv", ",timestamps,pynvml:0\n0,1700000000.0,\n1,1700000001.0,\n"),
    "nvidia-smi": ("smi.csv", "timestamp, power.draw [W]\n" + "2026/01/01 00:00:00.000, [N/A]\n" * 2),
    "table": ("t.csv", "t_s,gpu0_W,gpu0_energy_J\n0,N/A,\n5,,\n"),
    "dcgm": ("dcgm.prom", 'DCGM_FI_DEV_POWER_USAGE{gpu="0"} 9223372036854775794\n'),
    "kepler": ("kepler.prom", 'kepler_node_cpu_watts{zone="package"} NaN\n'),
    "nvidia-smi-dmon": ("dmon.txt", "#Date Time gpu pwr\n 20260101 00:00:00 0 -\n 20260101 00:00:01 0 -\n"),
    "nvidia-smi-xml": (
        "smi.xml",
        "<nvidia_smi_log><gpu><power_readings><power_draw>N/A</power_draw></power_readings></gpu></nvidia_smi_log>",
    ),
    "rocm-smi": ("rocm.json", '{"card0": {"Average Graphics Package Power (W)": "N/A"}}'),
    "amd-smi": ("amd.json", '[{"gpu": 0, "power": {"socket_power": {"value": 4294967295, "unit": "W"}}}]'),
    "rapl": ("rapl.csv", "timestamp_s,domain,energy_uj\n0,package-0,\n5,package-0,\n"),
    "ipmi-dcmi": ("i.txt", "Instantaneous power reading: 0 Watts\n"),
    "redfish": ("r.json", '{"PowerControl": [{"PowerConsumedWatts": null}]}'),
    "turbostat": ("t.txt", "Busy%\tPkgWatt\n98\t(null)\n"),
    "perf": ("p.csv", "<not counted>,Joules,power/energy-pkg/,0,0.00,,\n"),
    "wandb": ("w.csv", "_timestamp,system.gpu.0.powerWatts\n1767225600,\n1767225615,\n"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_our_readers_pass(data: Path, file: Write, name: str) -> None:
    absent = file(*ABSENT[name]) if name in ABSENT else None
    check_reader(plugins.by_name(name).reader, data / SAMPLES[name], absent=absent)


@pytest.mark.parametrize("name", SAMPLES)
def test_our_readers_know_their_samples_best(data: Path, name: str) -> None:
    found = plugins.most_confident(data / SAMPLES[name])
    assert found is not None
    assert found.reader.name == name


def test_the_reader_of_described_columns_passes(data: Path) -> None:
    options = ReadOptions(columns=("time=t", "device=name", "power=Leistung [kW]"), boundary="node_ac")
    check_reader(plugins.by_name("csv").reader, data / "plain.csv", options=options)


def test_boundaries_of_readers_are_those_of_records() -> None:
    for reader in plugins.own():
        assert reader.boundary.strip(), reader.name
        assert len(reader.title) < 100, reader.name


class Toy:
    """A reader of lines ``device watts``; with a fault to be found."""

    name, title, boundary = "toy", "toy log", "rack PDU"

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.reads = 0

    def sniff(self, path: Path) -> float:
        if self.fault == "sniff-all":
            return 0.5
        if self.fault == "sniff-much":
            return 2.0
        return 1.0 if path.is_file() and path.read_bytes().startswith(b"toy") else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        self.reads += 1
        if self.fault == "network":
            socket.create_connection(("192.0.2.1", 9), timeout=1)
        if self.fault == "write":
            path.write_text(path.read_text() + "\n")
        lines = path.read_text().split("\n")
        if lines[-1] and self.fault not in ("cut", "crash"):
            raise ReadError(f"{path}: the last line was cut off")
        energies: list[dict[str, Any]] = []
        for number, line in enumerate(lines[1:], start=2):
            if not line:
                continue
            device, _, text = line.partition(" ")
            if text == "N/A":
                if self.fault == "zero":
                    energies.append({"value": 0, "unit": "J", "device": device, "boundary": "rack_pdu"})
                continue
            try:
                value = float(text)
            except ValueError:
                if self.fault == "crash":
                    raise
                raise ReadError(f"{path}:{number}: '{text}' is not a number") from None
            boundary = None if self.fault == "boundary" else options.boundary or "rack_pdu"
            energies.append({"value": value, "unit": "J", "device": device, "boundary": boundary})
        if self.fault == "second":
            energies = energies[: 1 if self.reads > 1 else None]
        evidence = () if self.fault == "evidence" else (Evidence(file=path.name, sha256="0" * 64),)
        return [Run.model_validate({"energy": energies, "provenance": list(evidence)})]


GOOD = "toy\na 100\nb 250\n"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("", None),
        ("sniff-all", r"toy: sniff takes an empty file for its format"),
        ("sniff-much", r"toy: sniff gives 2\.0, which is not between 0 and 1"),
        ("boundary", r"toy: a: says neither where it was measured nor \(code no-boundary\)"),
        ("second", r"toy: reads .*toy\.log differently the second time"),
        ("evidence", r"toy: a run names no file with its SHA-256"),
        ("network", r"toy: opens a connection; a reader reads its file and nothing else"),
        ("write", r"toy: changed .*toy\.log"),
        ("cut", r"toy: reads toy\.log without its last \d+ bytes as if it were whole, with other figures"),
        ("zero", r"toy: makes \[0\.0\] of .*absent\.log, where nothing has a value"),
    ],
)
def test_a_reader_with_a_fault_does_not_pass(file: Write, fault: str, words: str | None) -> None:
    sample, absent = file("toy.log", GOOD), file("absent.log", "toy\na N/A\n")
    reader: Reader = Toy(fault)
    if words is None:
        check_reader(reader, sample, absent=absent)
        return
    with pytest.raises(AssertionError, match=words):
        check_reader(reader, sample, absent=absent)


def test_a_reader_that_crashes_does_not_pass(file: Write) -> None:
    sample = file("toy.log", "toy\na 1e5\n")
    reader: Reader = Toy("crash")
    with pytest.raises(
        AssertionError, match=r"toy: raises ValueError .* on a damaged file; raise tco\.errors\.ReadError"
    ):
        check_reader(reader, sample)


def test_what_a_strangers_reader_raises_is_said_to_be_its_fault(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    from tco.readers import read

    path = file("toy.log", "toy\na x\n")
    monkeypatch.setattr(plugins, "by_name", lambda name: plugins.Found(Toy("crash"), ()))
    with pytest.raises(
        ReadError, match=r"toy\.log: the reader 'toy' failed on it \(ValueError: .*\); that is a fault of th"
    ):
        read(path, as_="toy")


# ---- the example package


def installed(folder: Path) -> dict[str, str]:
    """An environment in which the example package is installed as pip would: its module, and its entry points."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["tco.readers"]
    (info / "entry_points.txt").write_text(
        "[tco.readers]\n"
        + "".join(f"{name} = {target}\n" for name, target in points.items())
        + "broken = no_module:X\n"
    )
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(PLUGIN), str(ROOT)))}


def run_tco(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tco", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=ROOT / "tests",
    )


def test_a_package_with_a_reader(tmp_path: Path) -> None:
    environment = installed(tmp_path)
    listed = run_tco(environment, "readers", "acme")
    assert listed.returncode == 0, listed.stderr
    assert "acme-meter-reader 1.2.0" in listed.stdout
    assert "outlet of the rack PDU" in listed.stdout
    assert "warning [reader-failed]: the reader 'broken' (no_module:X) cannot be loaded" in listed.stderr
    read = run_tco(environment, "read", str(PLUGIN / "sample.log"))
    assert read.returncode == 0, read.stderr
    assert "Acme rack meter" in read.stdout
    assert "rack_pdu" in read.stdout
    estimated = run_tco(environment, "estimate", str(PLUGIN / "sample.log"), "--region", "de", "--format", "csv")
    assert estimated.returncode == 0, estimated.stderr
    assert "energy.it" in estimated.stdout


def test_the_package_passes_its_own_test() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PLUGIN)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(PLUGIN), str(ROOT))), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
