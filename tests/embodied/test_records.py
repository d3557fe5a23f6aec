"""The shipped records and coefficients: published values, and nothing from anywhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tco import catalog
from tco.catalog.coefficients import Coefficients, coefficient, coefficients
from tco.catalog.tables import table
from tco.embodied import Options, assess, compare
from tco.errors import RecordError
from tco.records.figure import Figure
from tco.units import parse_unit

Rows = list[dict[str, str]]

FILES = ("components", "fab", "fab_grid", "facility", "memory", "packaging", "regression", "storage")
#: table of the catalogue -> groups of the published factors, and a rule for the key
TABLES = {
    ("fab", "energy"): "fab_EPA",
    ("fab", "gas_low_abatement"): "fab_GPA_95pct_abatement",
    ("fab", "gas_high_abatement"): "fab_GPA_99pct_abatement",
    ("fab", "material"): "fab_MPA",
    ("fab", "defect_density"): "defect_density_3dcarbon",
    ("fab", "defect_density_ecochip"): "defect_density_ecochip",
    ("memory", "act"): "dram_CPS",
    ("storage", "act_ssd"): "ssd_CPS",
    ("storage", "act_hdd"): "hdd_CPS",
    ("fab_grid", "source"): "ci_source",
    ("packaging", "package_energy"): "package_EPA",
    ("packaging", "bonding_energy"): "bonding_EPA",
}


@pytest.mark.parametrize("file", FILES)
def test_every_coefficient_has_source_unit_and_licence(file: str) -> None:
    for name, entry in table("embodied", f"{file}.toml").items():
        if "rows" in entry:
            rows = coefficients(file, name)
            assert rows.default is None or rows.default in rows.rows
            figures = [rows.figure(key) for key in rows.rows]
        else:
            figures = [coefficient(file, name)]
        for figure in figures:
            assert isinstance(figure, Figure)
            assert figure.source is not None
            assert figure.source.where
            assert figure.source.licence
            unit = parse_unit(figure.unit)
            if "[carbon]" in unit.dimensionality and "[mass]" not in unit.dimensionality:
                assert figure.boundary is not None
                assert figure.method is not None


def test_tables_are_the_published_ones(facts: Callable[[str], Rows]) -> None:
    factors = facts("embodied/factors.csv")
    for (file, name), group in TABLES.items():
        published = {
            (row["key"].removesuffix("nm") if file == "fab" else row["key"]).casefold(): float(row["value"])
            for row in factors
            if row["group"] == group and row["key"] not in ("RDL", "Si")
        }
        rows: Coefficients = coefficients(file, name)
        assert {key.casefold(): value for key, value in rows.rows.items()} == published, (file, name)
    places = {
        f"{row['key']}-{row['group'][-4:]}": float(row["value"])
        for row in factors
        if row["group"].startswith("ci_location")
    }
    assert coefficients("fab_grid", "place").rows == places


def test_boavizta_factors_are_the_published_ones(facts: Callable[[str], Rows]) -> None:
    published = {
        row["key"]: float(row["value"]) for row in facts("embodied/factors.csv") if row["group"] == "boavizta_gwp"
    }
    pieces = coefficients("components", "piece").rows
    for ours, theirs in (
        ("cpu", "cpu_base"), ("ram", "ram_base"), ("ssd", "ssd_base"), ("hdd", "hdd"), ("motherboard", "motherboard"),
        ("chassis-rack", "case_rack"), ("chassis-blade", "case_blade"), ("blade-enclosure", "blade_enclosure_16"),
        ("assembly", "assembly"),
    ):  # fmt: skip
        assert pieces[ours] == published[theirs]
    die = coefficients("components", "die").rows  # per cm2; published partly per mm2
    assert die["cpu"] == pytest.approx(100 * published["cpu_die"])
    assert (die["ram"], die["ssd"]) == (published["ram_die"], published["ssd_die"])
    assert die["gpu"] == pytest.approx(100 * published["gpu_die_effective"])
    assert die["gpu-memory"] == pytest.approx(100 * published["gpu_vram_effective"])
    assert die["circuit-board"] == published["gpu_pwb"]
    mass = coefficients("components", "mass").rows
    assert (mass["psu"], mass["casing"], mass["heatsink"]) == (
        published["psu"], published["gpu_casing"], published["gpu_heatsink"])  # fmt: skip
    assert mass["transport-of-parts"] == published["gpu_upstream_transport"]
    assert mass["end-of-life"] == published["gpu_end_of_life"]


def test_sizes_of_boards_and_dies_are_read_not_remembered(facts: Callable[[str], Rows]) -> None:
    known = {
        (row["attribute"], float(row["value"]))
        for row in facts("embodied/accelerators.csv")
        if row["attribute"].endswith(("area", "mass", "process", "vram_dies"))
    }
    attributes = {"area": "pcb_area", "mass": "card_mass", "memory_dies": "vram_dies"}
    seen = 0
    for name in catalog.names().accelerators:
        record = catalog.accelerator(name)
        for die in record.package.dies if record.package else ():
            assert ("die_area", die.area.value) in known
            assert ("process", die.node.value) in known
            seen += 1
        for field in type(record.board).model_fields if record.board else ():
            figure = getattr(record.board, field)
            assert (attributes.get(field, field), figure.value) in known or field == "effective_die_area"
    assert seen == 7


def test_an_unknown_row_is_refused_with_those_there_are() -> None:
    with pytest.raises(RecordError, match=r"memory\.toml: act: there is no 'ddr4'; did you mean .*ddr4_10nm"):
        coefficient("memory", "act", "ddr4")
    with pytest.raises(RecordError, match=r"fab\.toml: there is no 'energi'; did you mean 'energy'"):
        coefficient("fab", "energi")


# NVIDIA, July 2025: HGX H100 1,312 kg with 42 % memory and 640 GB; HGX B200 2,274 kg.
def test_hgx_baseboards_as_declared() -> None:
    for system, kg, transport in (("hgx-h100", 1312, 0.004), ("hgx-b200-air", 2274, None)):
        result = assess(system, "declared")
        boards = result.part("accelerators")
        assert boards is not None
        assert boards.value == pytest.approx(kg, rel=1e-12)
        assert boards.boundary == "board"
        if transport is not None:
            assert result.phases["transport"] == pytest.approx(kg * transport)
    memory = next(item for item in boards.items if item.name == "memory")
    assert memory.value == pytest.approx(284.25 * 0.49)


def test_stacked_memory_of_the_hgx_h100() -> None:
    assert catalog.factor("hbm").value == 0.861
    boards = assess("hgx-h100", "edge-aware").part("accelerators")
    assert boards is not None
    memory = next(item for item in boards.items if item.name == "memory")
    assert memory.value == pytest.approx(80 * 0.861)
    other = assess("hgx-h100", "edge-aware", options=Options(hbm="hgx-b200")).part("accelerators")
    assert other is not None
    assert next(item for item in other.items if item.name == "memory").value == pytest.approx(80 * 0.774)


def test_r740_by_assessment_and_bottom_up() -> None:
    """The life-cycle assessment has 4,288 kg, 80 % of it drives; what is calculated from parts is far below."""
    comparison = compare("r740")
    values = {result.method: result for result in comparison.results}
    assert values["declared"].value == pytest.approx(4288, abs=0.05)
    assert values["declared"].boundary == values["component"].boundary == "node"
    ssd = {method: values[method].part("ssd") for method in ("declared", "act", "component")}
    assert {method: round(part.value) for method, part in ssd.items() if part} == {
        "declared": 3379,
        "act": 1104,
        "component": 1282,
    }
    assert values["component"].value < 0.65 * values["declared"].value
    assert (
        "declared 4,288 kg against component 2,451 kg, both node: ssd 3,379 against 1,282 kg, dram 533 against 826 kg, "
        "chassis 34 against 150 kg; component is without fans, power-supplies, riser-and-io."
    ) in comparison.explained
    first_of_a_part = next(sentence for sentence in comparison.explained if sentence.startswith("One of"))
    assert first_of_a_part.startswith("One of ssd (8 in a node): 138 kg by act to 422 kg by declared")
    assert "35.9 against 110 g/GB" in first_of_a_part


@pytest.mark.parametrize(
    ("name", "kg", "wider"), [("v4", 513, 693), ("v5e", 285, 402), ("v5p", 796, 1010), ("v6e", 523, 692)]
)
def test_tpus(name: str, kg: float, wider: float) -> None:
    comparison = compare(f"tpu-{name}-chip")
    declared = comparison.results[0]
    assert (declared.method, declared.value, declared.boundary) == ("declared", kg, "node")
    assert [(figure.value, figure.boundary) for figure in comparison.published] == [(wider, "node+building")]


def test_a_gap_stays_a_gap() -> None:
    with pytest.raises(
        ValueError, match=r"no method applies to 'ipu-pod4': .*no footprint, die area or process of a GC200"
    ):
        compare("ipu-pod4")
    stated = {"system.ipus.embodied": "150 kgCO2e", "system.host.embodied": "2500 kgCO2e"}
    assert assess("ipu-pod4", "declared", set=stated).value == pytest.approx(4 * 150 + 2500)


def test_dual_socket_node() -> None:
    result = assess("cpu-node", "component")
    cpu = result.part("cpu")
    assert cpu is not None
    assert cpu.each == pytest.approx(30.1, rel=5e-4)  # boaviztapi, EPYC 7763
    assert result.boundary == "node"
    assert not result.left_out


def test_every_system_is_assessed_by_some_method_or_says_why_not() -> None:
    for name in catalog.names().systems:
        if name == "ipu-pod4":
            continue
        comparison = compare(name)
        assert comparison.results or comparison.impossible
        for result in comparison.results:
            assert result.low <= result.value <= result.high
            assert result.value == pytest.approx(sum(part.value for part in result.parts))
            assert result.value == pytest.approx(sum(result.phases.values()))
            for part in result.parts:
                assert part.low <= part.value <= part.high
                assert part.each == pytest.approx(sum(item.value for item in part.items))
