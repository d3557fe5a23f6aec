"""The 114 reference outputs of ACT 2.0, through bills of materials; where its output is wrong, the right value."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from embodied_bills import by, chip, store

from tco.embodied import Options
from tco.errors import RecordError, UnitError
from tco.formulas import carbon, embodied, energy, packaging, silicon
from tco.units import Q, read_quantity

Rows = list[dict[str, str]]

FABS = {"taiwan": "taiwan-2022", "coal": "coal", "wind": "wind"}
PROCESS = {"V100": ("815 mm2", 14), "A100": ("826 mm2", 7), "H100": ("814 mm2", 5), "EPYC7763": ("81 mm2", 7)}


def cpa(text: str) -> float:
    process, fab, abatement = re.findall(r"process=(\d+)nm; fab_ci=(\w+); abatement=(\d+)%", text)[0]
    return (
        1000
        * by(
            "act",
            chip("1 cm2", float(process)),
            options=Options(fab=FABS[fab]),
            embodied__fab__abatement=int(abatement) / 100,
        ).value
    )


def logic(name: str, text: str) -> float:
    for key, (area, process) in PROCESS.items():
        if text.startswith(key):
            return by("act", chip(area, process, packages=1)).value
    if name.endswith("zero-area"):  # no record holds a die of no area; the formulas do
        die = embodied.die_carbon(Q(0.0, "cm2"), Q(1.0, "kgCO2e/cm2"), Q(0.875, "1"))
        return float((die + packaging.packages_carbon(Q(1, "1"), Q(150, "gCO2e"))).m_as("kgCO2e"))
    share = float(text.partition("yield=")[2].split(",")[0])
    return by("act", chip("100 mm2", 7, **{"yield": share})).value


def stored(text: str) -> float:
    technology, capacity = re.findall(r"^(\S+) (\d+) GB", text)[0]
    kind = "hdd" if technology.startswith("Exos") else "ssd" if technology.startswith("nand") else "ram"
    return by("act", store(kind, f"{capacity} GB", technology)).value


def reproduced(row: dict[str, str]) -> float | None:
    """ACT's output by this package, in the unit of the row; None where ACT is wrong."""
    name, text = row["id"], row["inputs"]
    if name.startswith("act-cpa-"):
        return cpa(text)
    if name in WRONG:
        return None
    if name.startswith("act-logic-"):
        return logic(name, text)
    if name == "act-dram-gib":
        return 1000 * by("act", store("ram", "1 GiB", "ddr4_10nm")).value
    if name.startswith(("act-dram-", "act-ssd-", "act-hdd-")):
        return stored(text)
    if name == "act-battery":
        return by("component", {"name": "battery", "component": {"kind": "battery", "energy": "1 kWh"}}).value
    if name == "act-op":  # a year of 8,766 h, as ACT's unit library has it
        used = energy.energy_of_mean_power(Q(700, "W"), Q(1, "1"), Q(8766, "h"))
        return float(carbon.operational_carbon(used, Q(380, "gCO2e/kWh")).m_as("kgCO2e"))
    if name == "act-yield-exponential_model":
        return float(silicon.seeds(Q(1, "cm2"), Q(0.1, "1/cm2")).m_as("1"))
    raise KeyError(name)


def refused(build: Callable[[], object], text: str) -> Callable[[], None]:
    def check() -> None:
        with pytest.raises((RecordError, UnitError), match=text):
            build()

    return check


def gives(build: Callable[[], float], value: float) -> Callable[[], None]:
    def check() -> None:
        assert build() == pytest.approx(value, rel=1e-6)

    return check


def yields(model: Callable[..., object], value: float) -> Callable[[], None]:
    return gives(lambda: float(model(Q(1, "cm2"), Q(0.1, "1/cm2")).m_as("1")), value)  # type: ignore[attr-defined]


def memory_yield(kind: str, share: float) -> object:
    part = {"capacity": "1 GB", "per_capacity": "65 g/GB", "yield": share}
    return by("act", {"name": kind, "memory": part}).value


def board() -> float:
    """Its layers do not matter: ACT's coefficients by layers are about 100 times below all others, and not shipped."""
    return by("component", {"name": "board", "component": {"kind": "circuit-board", "area": "100 cm2"}}).value


def capacitor() -> object:
    return by("act", {"name": "capacitor", "component": {"kind": "capacitor"}})


#: Rows where ACT is wrong, and what is right.
WRONG: dict[str, Callable[[], None]] = {
    "act-logic-yield-0": refused(lambda: by("act", chip("100 mm2", 7, **{"yield": 0})), "must be more than 0"),
    "act-logic-yield-2": refused(lambda: by("act", chip("100 mm2", 7, **{"yield": 2})), "2 must be at most 1"),
    "act-logic-neg-area": refused(lambda: by("act", chip("-100 mm2", 7)), r"-1 cm\*\*2 must be more than 0"),
    **{f"act-{kind}-yield-1": gives(lambda kind=kind: memory_yield(kind, 1), 0.065) for kind in ("dram", "ssd", "hdd")},
    **{
        f"act-{kind}-yield-{share}": refused(lambda kind=kind, share=share: memory_yield(kind, share), text)
        for kind in ("dram", "ssd", "hdd")
        for share, text in ((0.0, "must be more than 0"), (1.5, "1.5 must be at most 1"))
    },
    **{f"act-pcb-{layers}": gives(board, 3.2549) for layers in (1, 2, 4, 6, 8, 10, 12)},
    "act-mlcc-1g": refused(
        capacitor, "'capacitor': input should be 'cpu'"
    ),  # primary energy times an electricity factor
    "act-cap-generic": refused(capacitor, "'capacitor': input should be 'cpu'"),  # 300 g a capacitor cannot be
    "act-yield-poisson_model": yields(silicon.poisson, 0.904837418),
    "act-yield-murphy_model": yields(silicon.murphy, 0.905591675),
    "act-EiB": refused(lambda: read_quantity("1 EiB", "B"), "EiB"),  # refused, never taken for 1e18 bytes
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_where_act_is_wrong_this_is_right(name: str) -> None:
    WRONG[name]()


def test_all_reference_outputs(facts: Callable[[str], Rows]) -> None:
    rows = facts("embodied/act_reference_outputs.csv")
    done: Counter[str] = Counter()
    wrong = []
    for row in rows:
        got = reproduced(row)
        done["corrected" if got is None else "reproduced"] += 1
        if got is not None and got != pytest.approx(float(row["output"].split()[0]), rel=1e-6):
            wrong.append(f"{row['id']}: {got} instead of {row['output']} {row['unit']}")
    assert not wrong, "\n".join(wrong)
    assert {row["id"] for row in rows} >= set(WRONG)
    assert done == {"reproduced": 90, "corrected": 24}
    assert len(rows) == 114


# ACT's own unit tests and README: 10 nm with coal and 95 %, 14 nm in Taiwan with 97 %; 3 GB of DDR4; 3,840 GB of NAND.
def test_a_few_reference_outputs_without_the_table() -> None:
    coal = Options(fab="coal")
    assert 1000 * by("act", chip("1 cm2", 10), options=coal, embodied__fab__abatement=0.95).value == pytest.approx(
        2228.0
    )
    assert 1000 * by("act", chip("1 cm2", 14)).value == pytest.approx(1556.6857, abs=5e-5)
    assert by("act", chip("826 mm2", 7, packages=1)).value == pytest.approx(19.298568, abs=5e-7)
    assert 1000 * by("act", store("ram", "3 GB", "ddr4_10nm")).value == pytest.approx(222.857, abs=5e-4)
    assert by("act", store("ssd", "3840 GB", "nand_30nm")).value == pytest.approx(136.046, abs=5e-4)


def test_pieces_are_counted() -> None:
    """ACT takes the same eight dies for one: 22.6 kg for eight H100, where it must be 180.9 without packages."""
    part = {**chip("814 mm2", 5), "count": 8}
    assert by("act", part).value == pytest.approx(8 * 22.61292, rel=1e-6)


def test_bill_of_materials_of_the_r740_as_act_has_it() -> None:
    """1,523 kg: SSD 1,104, DRAM 330, CPU 23, and the boot drive with its DRAM."""
    parts = [
        {"name": "ssd", "count": 8, **_with(store("ssd", "3840 GB", "nand_30nm"), packages=13)},
        {"name": "dram", "count": 12, **_with(store("ram", "36 GB", "ddr3_50nm"), packages=19)},
        {"name": "cpu", "count": 2, "component": chip("6.98 cm2", 28, packages=2)["component"]},
        {"name": "boot", **_with(store("ssd", "400 GB", "nand_30nm"), packages=13)},
        {"name": "boot-dram", **_with(store("ram", "68 GB", "ddr3_50nm"), packages=19)},
    ]
    result = by("act", *parts, options=Options(fab="coal"), embodied__fab__abatement=0.95)
    values = {part.name: part.value for part in result.parts}
    assert values["ssd"] == pytest.approx(1104, abs=0.5)
    assert values["dram"] == pytest.approx(330, abs=0.5)
    assert values["cpu"] == pytest.approx(23, abs=0.5)
    assert result.value == pytest.approx(1523, abs=0.5)


def _with(part: dict[str, object], **fields: object) -> dict[str, object]:
    component = part["component"]
    assert isinstance(component, dict)
    return {"component": {**component, **fields}}
