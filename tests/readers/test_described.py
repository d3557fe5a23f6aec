"""CSV files whose columns somebody describes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tco.errors import ReadError, TcoError
from tco.readers import ReadOptions, read
from tco.readers.columns_csv import mapping_of, spec_of
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]


def joules(run: Run) -> dict[str | None, float]:
    return {energy.device: energy.value for energy in run.energy}


def described(path: Path, *columns: str, **options: object) -> Run:
    (run,) = read(path, as_="csv", options=ReadOptions(columns=columns, **options))  # type: ignore[arg-type]
    return run


def test_rows_of_devices_with_models(data: Path) -> None:
    run = described(
        data / "plain.csv", "time=t", "device=name", "model=model", "power=Leistung [kW]", boundary="node_ac"
    )
    assert joules(run) == {"a": 2e6, "b": 5e5}
    assert {energy.boundary for energy in run.energy} == {"node_ac"}
    assert [(d.model, d.ids) for d in run.devices] == [("M1", ("a",)), ("M2", ("b",))]
    assert run.warnings == ()


def test_columns_of_devices_with_units_of_their_own(file: Write) -> None:
    path = file("c.csv", "when,P1,P2 (mW),E\n1767225600000,1.5,2000,0\n1767225610000,1.5,2000,5\n")
    run = described(path, "time[ms]=when", "power:a[kW]=P1", "power:b=P2 (mW)", "energy:c[Wh]=E")
    assert joules(run) == {"a": 15_000, "b": 20, "c": 18_000}
    assert run.start == datetime(2026, 1, 1, tzinfo=UTC)
    assert [warning.code for warning in run.warnings] == ["no-boundary"]


# facts/cases/open-cases.md A30
def test_one_of_eight_gpus(file: Write) -> None:
    content = "t_s," + ",".join(f"gpu:{i}" for i in range(8)) + "\n"
    content += "".join(f"{t},60,60,60,400,60,60,60,60\n" for t in (0, 3600))
    path = file("c.csv", content)
    run = described(path, "time=t_s", "power[W]=gpu:*", devices=("3",), boundary="gpu_board")
    assert [float(e.energy.m_as("kWh")) for e in run.energy] == [pytest.approx(0.4)]
    run = described(path, "time=t_s", "power[W]=gpu:*", boundary="gpu_board")
    assert sum(float(e.energy.m_as("kWh")) for e in run.energy) == pytest.approx(0.82)
    (run,) = read(path, options=ReadOptions(devices=("3",)))  # as a plain table, with a word on the unit
    assert [float(e.energy.m_as("kWh")) for e in run.energy] == [pytest.approx(0.4)]
    assert [w.code for w in run.warnings] == ["unit-assumed"]
    assert [d.count for d in run.devices] == [1]


def test_a_description_as_a_file(data: Path, file: Write) -> None:
    path = file(
        "columns.toml",
        'time = "t"\ndevice = "name"\nboundary = "rack_pdu"\n'
        '[power]\nmeter = {column = "Leistung [kW]", unit = "kW"}\n',
    )
    mapping = mapping_of(path)
    assert mapping == (("time=t", "device=name", "power:meter[kW]=Leistung [kW]"), "rack_pdu", None)
    assert joules(described(data / "plain.csv", *mapping.columns)) == {"a": 2e6, "b": 5e5}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("tim = 't'\n", r"columns\.toml: 'tim' is not a field here; did you mean 'time'\?"),
        ("power = 'P'\n", r": power: write a table of devices, such as \[power\] and gpu0 = 'P'"),
        ("[power]\na = {col = 'P'}\n", r": power:a: write the name of a column, or \{column = 'P', unit = 'kW'\}"),
        ("boundary = 5\n", r": boundary: 5 is not a text"),
        ("a = \n", r"not valid TOML"),
    ],
)
def test_descriptions_that_are_refused(file: Write, content: str, fault: str) -> None:
    with pytest.raises(TcoError, match=fault):
        mapping_of(file("columns.toml", content))


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ((), r"plain\.csv: say what its columns hold \(t, name, Leistung \[kW\], model, total_kWh\): --column time=t"),
        (("power:a[kW]=Leistung [kW]",), r":2: say which column holds the time: --column time=\.\.\. \(t, name, Leist"),
        (("time=t",), r":2: say which columns hold a power or an energy: --column time=t"),
        (("time=t", "power:a=name"), r":2: column 'name': has no unit; write --column 'power:a\[W\]=name'"),
        (("time=t", "power:a[KW]=name"), r":2: column 'name': 'KW' is not a unit of power; did you mean .*'kW'"),
        (("time=zeit", "power:a[W]=x"), r":2: there is no column 'zeit'"),
        (("time[fortnight]=t", "power:a[W]=x"), r"--column time\[fortnight\]: is not a unit of time"),
        (("time=t", "speed=x"), r"--column 'speed=x': write ROLE=COLUMN, the role being time, power:NAME\[W\], ener"),
        (("time=t", "time=t", "power[kW]=Leistung [kW]"), r"--column time= is given 2 times"),
        (("time=t", "power:a[W]=t", "power:a[W]=t"), r"--column: 'a' is given twice; name the devices apart"),
        (("time=t", "device=name", "power:a[W]=t", "power:b[W]=t"), r":2: where rows name their device, one column"),
    ],
)
def test_columns_that_are_refused(data: Path, columns: tuple[str, ...], fault: str) -> None:
    with pytest.raises(TcoError, match=fault):
        described(data / "plain.csv", *columns)


def test_a_decimal_comma_is_never_misread(file: Write) -> None:
    for content in ("t;P\n0;1,5\n", "t\tP\n0\t1,5\n", 't,P\n0,"1,5"\n1,"1,5"\n', "t,P\n0,1,5\n"):
        with pytest.raises(ReadError, match=r"decimal point"):
            described(file("c.csv", content), "time=t", "power:a[W]=P")


def test_the_parts_of_a_description() -> None:
    assert spec_of("power:gpu 0[kW]=P = x") == ("power", "gpu 0", "kW", "P = x")
    assert spec_of("time=t") == ("time", None, None, "t")
