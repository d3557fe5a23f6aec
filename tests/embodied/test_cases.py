"""Small inputs that went wrong in other tools, and inputs that must be refused."""

from __future__ import annotations

from typing import Any

import pytest
from embodied_bills import by, chip, node

from tco.embodied import EmbodiedError, add, allocate, assess, joined
from tco.errors import RecordError, UnitError
from tco.units import Q, read_quantity


def embodied(name: str, kg: float, boundary: str, count: float = 1) -> dict[str, Any]:
    figure = {"value": kg, "unit": "kgCO2e", "boundary": boundary, "phase": "cradle-to-gate"}
    return {"name": name, "count": count, "embodied": figure}


def test_a09_power_of_memory_is_no_energy() -> None:
    power = read_quantity("16 GB", "GB") * read_quantity("0.38 W/GB", "W/GB")
    assert float((power * Q(1, "h")).m_as("kWh")) == pytest.approx(0.00608)
    with pytest.raises(UnitError, match="kWh/GB"):
        read_quantity("0.38 kWh/GB", "W/GB")


def test_a41_every_gpu_counts() -> None:
    result = by("declared", embodied("host", 2500, "host"), embodied("gpus", 150, "board", count=8))
    assert result.value == pytest.approx(3700)
    assert result.boundary == "node"


def test_a42_a_gpu_is_shared_by_gpus_not_by_cpus() -> None:
    share = allocate("1200 kg", "5 year", lifetime="5 year", utilisation=1, devices=1, devices_per_node=8)
    assert share.value == pytest.approx(150)


def test_a43_the_range_is_carried() -> None:
    share = allocate((1000, 500, 1500), "0.125 year", lifetime="5 year", utilisation=1)
    assert (share.low, share.value, share.high) == pytest.approx((12.5, 25, 37.5))


def test_a44_lifetime() -> None:
    for lifetime in ("0 a", "-5 a"):
        with pytest.raises(EmbodiedError, match=r"^lifetime: -?\d year must be more than 0 year$"):
            allocate("5000 kg", "24 h", lifetime=lifetime)
    assert allocate("5000 kg", "24 h", lifetime="5 a", utilisation=1).value == pytest.approx(2.740, abs=5e-4)
    assert allocate("5000 kg", "24 h", lifetime="5 a", utilisation=0.85).value == pytest.approx(3.223, abs=5e-4)


def test_a45_yield() -> None:
    def die(share: float) -> dict[str, Any]:
        return {"name": "die", "die": {"area": "8.14 cm2", "per_area": "1.54 kg/cm2", "yield": share}}

    assert by("act", die(0.875)).value == pytest.approx(14.3264)
    for share, text in (
        (0, "0 must be more than 0"),
        (-0.5, "-0.5 must be more than 0"),
        (1.5, "1.5 must be at most 1"),
    ):
        with pytest.raises(RecordError, match=text):
            node(die(share))
    with pytest.raises(RecordError, match=r"87\.5 must be at most 1; did you mean 0\.875\?"):
        node(die(87.5))
    with pytest.raises(RecordError, match=r"dies\[0\]\.yield: 87\.5 must be at most 1; did you mean 0\.875\?"):
        node(chip("8 cm2", 5, **{"yield": 87.5}))


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (chip("-8 cm2", 5), r"area: -8 cm\*\*2 must be more than 0 cm\*\*2"),
        (
            {"name": "ram", "component": {"kind": "ram", "capacity": "-32 GB"}},
            "capacity: -32 GB must be at least 0 GB",
        ),
        (
            {"name": "ram", "component": {"kind": "ram", "capacity": "32 kg"}},
            "'32 kg' is a mass, not an amount of data",
        ),
        ({"name": "x", "component": {"kind": "ram"}, "gap": "?"}, "needs exactly one of .*; found component and gap"),
        ({"name": "x"}, "needs exactly one of embodied, accelerator, die, memory, component, gap; found none"),
        (
            {"name": "x", "component": {"kind": "ram", "capasity": "1 GB"}},
            "'capasity' is not a field here; did you mean",
        ),
        (
            {"name": "x", "embodied": {"value": 1, "unit": "kg", "stages": {"materials": 0.9, "transport": 0.2}}},
            "stages must be shares of the value, 0 to 1, that add up to at most 1",
        ),
    ],
)
def test_refused_parts(part: dict[str, Any], text: str) -> None:
    with pytest.raises(RecordError, match=text):
        node(part)


def test_a_die_and_a_node_are_not_added() -> None:
    die = by("act", {"name": "die", "die": {"area": "8 cm2", "per_area": "1.5 kg/cm2", "yield": 0.9}})
    whole = by("declared", embodied("node", 2500, "node"))
    assert die.boundary == "die"
    with pytest.raises(EmbodiedError) as caught:
        add([die, whole])
    assert str(caught.value) == (
        "figures of the boundaries 'die' and 'node' must not be added: 'die' counts the dies alone; 'node' counts a "
        "whole node. Use one method for all parts"
    )
    with pytest.raises(RecordError, match="part 'node' is counted at the boundary 'node', which already contains: die"):
        node(embodied("node", 2500, "node"), embodied("die", 20, "die"))
    with pytest.raises(EmbodiedError, match="boundaries 'die' and 'host' must not be added"):
        by("declared", embodied("host", 2500, "host"), embodied("die", 20, "die"))


def test_what_may_be_added() -> None:
    assert joined(["board", "board"]) == "board"
    assert joined(["board", "host"]) == "node"
    assert joined(["die", "package"]) == "package"
    boards = [by("declared", embodied("a", 10, "board")), by("declared", embodied("b", 5, "host"))]
    assert add(boards) == (15, 15, 15, "node")
    other = by("declared", {"name": "c", "embodied": {"value": 5, "unit": "kg", "boundary": "board"}})
    with pytest.raises(EmbodiedError, match="phases 'cradle-to-gate' and 'not stated' must not be added"):
        add([boards[0], other])


def test_technology_that_is_not_in_the_table() -> None:
    with pytest.raises(RecordError, match=r"part 'store': technology: there is no 'ddr9'.*ddr4_10nm"):
        by("act", {"name": "store", "component": {"kind": "ram", "capacity": "1 GB", "technology": "ddr9"}})


# SCI 1.1.0, "Embodied emissions": prints 28 g; Luccioni et al. 2023: 0.056 kg per server hour.
def test_rules_of_allocation() -> None:
    assert allocate("1000 kg", "1 h", lifetime="4 year", rule="sci").value == pytest.approx(0.02854, abs=5e-6)
    share = allocate("1000 kg", "1 h", lifetime="4 year", rule="sci", devices=2, devices_per_node=8)
    assert share.value == pytest.approx(0.02854 / 4, abs=2e-6)
    assert allocate("2500 kg", "1 h", lifetime="6 year", utilisation=0.85).value == pytest.approx(0.05596, abs=5e-6)
    assert allocate("2500 kg", "12 year", lifetime="6 year", utilisation=1, nodes=3).value == pytest.approx(15000)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"utilisation": 85}, r"utilisation: 85 must be at most 1; did you mean 0\.85\?"),
        ({"nodes": -1}, "nodes: -1 must be at least 0"),
        ({"lifetime": "5 kg"}, "lifetime: '5 kg' is a mass, not a time"),
        ({"devices": 1}, "devices and devices_per_node go together"),
        ({"rule": "fair"}, r"the rule 'fair' is not known \(rules: utilisation, sci\)"),
    ],
)
def test_refused_allocations(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(EmbodiedError, match=text):
        allocate("1000 kg", "1 h", **arguments)
    with pytest.raises(EmbodiedError, match="outside its range"):
        allocate((10, 11, 12), "1 h")


def test_allocation_of_a_result_takes_the_defaults_with_their_range() -> None:
    result = assess("hgx-h100", "declared")
    share = allocate(result, "24 h", devices=4, devices_per_node=8)
    assert share.low < share.value < share.high
    assert share.graph["system.lifetime"].value == 5
    assert share.value == pytest.approx(7012 / 2 * 24 / (5 * 8760 * 0.85))


def test_building_only_beside_a_whole_node() -> None:
    from tco.embodied import Options

    with_building = assess("hgx-h100", "declared", options=Options(building=True))
    part = with_building.part("building")
    assert part is not None
    assert part.value == pytest.approx(10.2 * 1829 * 5 / 20)  # 1,829 t/MW, 5 of 20 years
    assert with_building.boundary == "node+building"
    act = assess("hgx-h100", "act", options=Options(building=True))
    assert act.part("building") is None
    assert "is no whole node" in act.left_out[-1].reason
