"""Stamps without an offset, both changes of the clock, rows out of order, and compressed files."""

from __future__ import annotations

import gzip
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tco.errors import ReadError
from tco.readers import ReadOptions, channels, read
from tco.readers.zones import LocalClock, zone_named
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
SMI = "timestamp, index, power.draw [W]\n"
BERLIN = ReadOptions(time_zone="Europe/Berlin")


def joules(run: Run) -> dict[str | None, float]:
    return {energy.device: energy.value for energy in run.energy}


def codes(run: Run) -> list[str]:
    return [warning.code for warning in run.warnings]


# ---- clocks


def rows(*clocks: str, gpu: int = 0, watts: float = 100) -> str:
    return "".join(f"2025/10/26 {clock}.000, {gpu}, {watts:.2f} W\n" for clock in clocks)


# facts/cases/open-cases.md A25, as a power trace: 1 kW from 01:00+02:00 to 04:00+01:00 is 4 kWh
def test_the_hour_that_a_clock_shows_twice(file: Write) -> None:
    clocks = [f"{h}:{m:02d}:00" for h in ("01", "02", "02", "03") for m in range(0, 60, 10)] + ["04:00:00"]
    (run,) = read(file("smi.csv", SMI + rows(*clocks, watts=1000)), options=BERLIN)
    assert run.duration is not None
    assert run.duration.m_as("h") == pytest.approx(4)
    assert run.energy[0].energy.m_as("kWh") == pytest.approx(4)
    assert (run.start, run.end) == (datetime(2025, 10, 25, 23, tzinfo=UTC), datetime(2025, 10, 26, 3, tzinfo=UTC))


def test_each_device_has_its_own_second_hour(file: Write) -> None:
    clocks = [f"{h}:{m:02d}:00" for h in ("01", "02", "02", "03") for m in (0, 30)]
    content = SMI + rows(*clocks, gpu=0) + rows(*clocks, gpu=1)
    (run,) = read(file("smi.csv", content), options=BERLIN)
    assert joules(run) == pytest.approx({"0": 100 * 3.5 * 3600, "1": 100 * 3.5 * 3600})


def test_stamps_with_both_offsets_are_instants(file: Write) -> None:
    stamps = ("01:00+02:00", "02:00+02:00", "02:00+01:00", "03:00+01:00")
    (run,) = read(file("t.csv", "timestamp,gpu0_W\n" + "".join(f"2025-10-26T{stamp},100\n" for stamp in stamps)))
    assert joules(run) == pytest.approx({"gpu0": 100 * 3 * 3600})


def test_a_file_that_begins_in_the_hour_shown_twice_is_asked_about(file: Write) -> None:
    path = file("smi.csv", SMI + rows("02:10:00", "02:20:00", "03:10:00"))
    with pytest.raises(ReadError, match=r"smi\.csv:2: 2025-10-26 02:10:00 was shown twice in Europe/Berlin.*e \+02:00"):
        read(path, options=BERLIN)
    (run,) = read(path, options=ReadOptions(time_zone="+01:00"))
    assert joules(run) == pytest.approx({"0": 360_000})
    assert run.start == datetime(2025, 10, 26, 1, 10, tzinfo=UTC)


def test_a_time_that_the_zone_never_showed_is_refused(file: Write) -> None:
    path = file("smi.csv", SMI + "2026/03/29 01:59:00.000, 0, 1 W\n2026/03/29 02:30:00.000, 0, 1 W\n")
    with pytest.raises(
        ReadError, match=r"smi\.csv:3: 2026-03-29 02:30:00 does not exist in Europe/Berlin, where the clo"
    ):
        read(path, options=BERLIN)


def test_without_a_zone_a_clock_that_is_set_back_is_refused_not_sorted(file: Write) -> None:
    with pytest.raises(ReadError, match=r"smi\.csv:4: time runs backwards by 3000 s; sort the file by time"):
        read(file("smi.csv", SMI + rows("02:10:00", "02:55:00", "02:05:00", "02:50:00")))


@pytest.mark.parametrize("machine", ["America/New_York", "Asia/Tokyo"])
def test_the_zone_and_the_language_of_the_machine_change_nothing(data: Path, machine: str) -> None:
    code = (
        "from tco.readers import read, ReadOptions\n"
        f"for name in ('smi.two-gpus.csv', 'wandb.csv', 'perf.txt', 'smi.xml'):\n"
        f"    print(read({str(data)!r} + '/' + name, options=ReadOptions(time_zone='UTC'))[0].to_json())\n"
    )
    outputs = []
    for environment in ({"TZ": machine, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}, {"TZ": "UTC", "LC_ALL": "C"}):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).resolve().parents[2],
            env=environment,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]


@given(
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"]),
    st.integers(0, 365 * 24 * 6),
    st.integers(1, 1500),
    st.integers(2, 40),
)
def test_a_clock_in_order_gives_back_the_instants(zone: str, begin: int, step: int, count: int) -> None:
    first = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=10 * begin)
    instants = [first + timedelta(seconds=step * i) for i in range(count)]
    clocks = [instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for instant in instants]
    day = clocks[0].toordinal()
    midnight = datetime.fromordinal(day)
    local = np.array([(clock - midnight).total_seconds() for clock in clocks])
    clock = LocalClock(zone, day)
    half = count // 2
    fault = ""
    try:
        found = np.concatenate([clock.utc(local[:half], str), clock.utc(local[half:], str)])
    except ReadError as error:
        fault = str(error)
    if fault:
        assert "was shown twice" in fault  # the file begins there
        return
    wanted = [(instant.replace(tzinfo=None) - midnight).total_seconds() for instant in instants]
    assert found.tolist() == pytest.approx(wanted)


@pytest.mark.parametrize("name", ["Berlin", "", "+25:00", "../etc/passwd"])
def test_a_zone_that_is_none(name: str) -> None:
    with pytest.raises(
        ReadError, match=r"is not an IANA zone such as 'Europe/Berlin', nor an offset such as '\+02:00'"
    ):
        zone_named(name)


# ---- order


@pytest.mark.parametrize("seed", range(5))
def test_rows_out_of_order_are_sorted_by_instant(file: Write, seed: int) -> None:
    lines = [f"2026-01-01T{i // 60:02d}:{i % 60:02d}:00Z,{100 + i % 7}\n" for i in range(300)]
    whole = joules(read(file("t.csv", "timestamp,gpu0_W\n" + "".join(lines)))[0])
    random.Random(seed).shuffle(lines)
    (run,) = read(file("t.csv", "timestamp,gpu0_W\n" + "".join(lines)))
    assert joules(run) == pytest.approx(whole, rel=1e-12)
    assert codes(run) == ["sorted"]


def test_gpus_out_of_order_are_sorted_each(file: Write) -> None:
    names = "timestamp, index, power.draw [W]\n"
    stamps = ["00:00:02", "00:00:00", "00:00:04", "00:00:01"]
    content = names + "".join(f"2026-01-01 {s}, {g}, {100 * (g + 1)} W\n" for s in stamps for g in (0, 1))
    (run,) = read(file("smi.csv", content), options=ReadOptions(time_zone="UTC"))
    assert joules(run) == pytest.approx({"0": 400, "1": 800})
    assert codes(run) == ["sorted", "sorted"]


def test_jpwr_out_of_order_is_sorted(file: Write) -> None:
    (run,) = read(
        file("power.csv", ",timestamps,pynvml:0\n0,1700000001.0,2.0\n1,1700000000.5,2.0\n2,1700000002.5,2.0\n")
    )
    assert joules(run) == pytest.approx({"pynvml:0": 4})
    assert codes(run) == ["sorted"]


def test_seconds_of_no_clock_that_begin_again_are_another_run(file: Write) -> None:
    with pytest.raises(ReadError, match=r"t\.csv:4: time runs backwards by 10 s; sort the file by time, cut it where"):
        read(file("t.csv", "t_s,a_W\n0,1\n10,1\n0,1\n10,1\n"))


def test_a_file_that_is_too_large_to_be_sorted(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "MOST_SORTED", 2)
    with pytest.raises(ReadError, match=r"time runs backwards .* \(more than 2 samples are not sorted here\)"):
        read(file("t.csv", "timestamp,a_W\n1700000001,1\n1700000000,1\n1700000002,1\n"))


# ---- compressed


def packed(content: bytes, kind: str) -> bytes:
    return gzip.compress(content) if kind == "gz" else zstandard.compress(content)


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize(
    "name", ["power.pairs.csv", "smi.two-gpus.csv", "dcgm.range.json", "smi.xml", "dmon.txt", "rocm.json", "rapl.csv"]
)
def test_compressed_files_are_read_as_they_are(data: Path, file: Write, name: str, kind: str) -> None:
    (plain,) = read(data / name)
    (run,) = read(file(f"{name}.{kind}", packed((data / name).read_bytes(), kind)))
    assert joules(run) == joules(plain)
    assert [p.average_power for p in run.power] == [p.average_power for p in plain.power]
    assert codes(run) == codes(plain)
    assert run.provenance[0].file == f"{name}.{kind}"
    assert run.provenance[0].sha256 != plain.provenance[0].sha256


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_compressed_files_that_were_cut_off_or_damaged(data: Path, file: Write, kind: str) -> None:
    content = packed((data / "power.pairs.csv").read_bytes() * 1, kind)
    for cut in (len(content) // 2, len(content) - 1):
        with pytest.raises(
            ReadError, match=rf"p\.csv\.{kind}: (was cut off: the compressed data end in the mid|is damag)"
        ):
            read(file(f"p.csv.{kind}", content[:cut]), as_="jpwr")
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 0xFF
    with pytest.raises(ReadError, match=rf"p\.csv\.{kind}"):
        read(file(f"p.csv.{kind}", bytes(damaged)), as_="jpwr")


def test_several_members_are_one_file(data: Path, file: Write) -> None:
    content = (data / "power.pairs.csv").read_bytes()
    at = content.index(b"\n", 40) + 1
    for kind in ("gz", "zst"):
        (run,) = read(file(f"p.csv.{kind}", packed(content[:at], kind) + packed(content[at:], kind)))
        assert joules(run) == pytest.approx({"pynvml:0": 500, "pynvml:1": 150})


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_bomb_is_cut_off(file: Write, kind: str) -> None:
    head = b"timestamp, index, power.draw [W]\n"
    row = b"2026/01/01 00:00:00.000, 0, 300.00 W\n"
    path = file(f"bomb.csv.{kind}", packed(head + row + b"\n" * (80 << 20) + row, kind))
    assert path.stat().st_size < 100_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(
        ReadError, match=rf"bomb\.csv\.{kind}: expands to more than \d+ times its size, which no log does"
    ):
        read(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000


def test_zstandard_that_is_not_installed(data: Path, file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file("p.csv.zst", packed((data / "power.pairs.csv").read_bytes(), "zst"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(
        ReadError, match=r"is compressed with Zstandard; run 'pip install tco-carbon\[zstd\]', or 'zstd -d'"
    ):
        read(path, as_="jpwr")


def test_text_that_is_too_large_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tco.readers import small

    monkeypatch.setattr(small.text_of, "__defaults__", ("cut it, or log less often", 1000))
    with pytest.raises(
        ReadError, match=r"perf\.csv|kepler\.prom: holds more than 0 MiB, too much for this format; ask for"
    ):
        read(data / "kepler.prom")
