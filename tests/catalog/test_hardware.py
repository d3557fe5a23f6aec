"""Look-up of hardware by the names that tools print, and the messages where there is none."""

from __future__ import annotations

import subprocess
import sys
import timeit
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco import catalog
from tco.catalog import tables
from tco.catalog.hardware import normalised
from tco.errors import RecordError

ROOT = Path(__file__).resolve().parents[2]

# As nvidia-smi, rocm-smi, hl-smi, JAX and MLPerf print them.
PRINTED = {
    "Tesla V100-SXM2-32GB": "v100-sxm2-32gb",
    "NVIDIA A100-SXM4-40GB": "a100-sxm4-40gb",
    "NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb",
    "NVIDIA A100-SXM-80GB": "a100-sxm4-80gb",
    "NVIDIA A100-SXM-80GB CTS": "a100-sxm4-80gb",
    "a100-sxm-80gb": "a100-sxm4-80gb",
    "NVIDIA H100 80GB HBM3": "h100-sxm5-80gb",
    "NVIDIA H100-SXM-80GB": "h100-sxm5-80gb",
    "H100-SXM5-80GB": "h100-sxm5-80gb",
    "H100-SXM-80GB": "h100-sxm5-80gb",
    "NVIDIA H100-PCIe-80GB": "h100-pcie-80gb",
    "NVIDIA H100 PCIe": "h100-pcie-80gb",
    "NVIDIA H200": "h200-sxm-141gb",
    "NVIDIA H200-SXM-141GB": "h200-sxm-141gb",
    "NVIDIA B200": "b200-180gb",
    "NVIDIA B200-SXM-180GB": "b200-180gb",
    "B200-SXM-180GB": "b200-180gb",
    "NVIDIA B300 SXM6 AC": "b300",
    "NVIDIA GH200 480GB": "gh200",
    "NVIDIA GH200 120GB": "gh200",
    "GH200": "gh200",
    "NVIDIA GH200 144G HBM3e": "gh200-144gb",
    "NVIDIA GB200": "gb200",
    "AMD Instinct MI250X": "mi250x",
    "AMD INSTINCT MI200 (MCM) OAM LC MBA HPE C2": "mi250x",
    "AMD Instinct MI300A": "mi300a",
    "AMD Instinct MI300X": "mi300x",
    "AMD Instinct MI300X-NPS1-SPX-192GB-750W": "mi300x",
    "AMD Instinct MI325X": "mi325x",
    "AMD Instinct MI355X": "mi355x",
    "HL-225": "gaudi2",
    "HL-325L": "gaudi3",
    "TPU v4": "tpu-v4",
    "TPU v5 lite": "tpu-v5e",
    "TPU v5": "tpu-v5p",
    "TPU v6 lite": "tpu-v6e",
}


@pytest.mark.parametrize(("printed", "record_id"), PRINTED.items())
def test_printed_name(printed, record_id):
    found = catalog.find_accelerator(printed)
    assert found is not None
    assert found.name == record_id
    assert catalog.accelerator(printed) is found


@pytest.mark.parametrize("spelling", ["nvidia_h100_80gb_hbm3", " NVIDIA  H100 80GB HBM3 ", "Nvidia-H100-80GB-HBM3"])
def test_case_and_joints_do_not_matter(spelling):
    assert catalog.accelerator(spelling).name == "h100-sxm5-80gb"


@pytest.mark.parametrize(
    "near", ["H100", "A100", "NVIDIA A100", "NVIDIA H100 NVL", "NVIDIA H200 NVL", "H100-SXM5-80G", "V100", "", "NVIDIA"]
)
def test_nothing_is_guessed(near):
    assert catalog.find_accelerator(near) is None
    assert catalog.find_system(near, 8) is None
    assert catalog.systems_with(near) == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "h100",
            "accelerator 'h100' is not known by that name alone; it could be 'h100-pcie-80gb', 'h100-sxm5-80gb'. "
            "List them with: tco hardware list",
        ),
        (
            "mi300",
            "accelerator 'mi300' is not known; did you mean 'mi300x' or 'mi300a' or 'b300'? "
            "List them with: tco hardware list",
        ),
        ("abacus", "accelerator 'abacus' is not known. List them with: tco hardware list"),
        ("", "accelerator '' is not known. List them with: tco hardware list"),
        ("HGX H100", "'HGX H100' is a node, not an accelerator; it holds 'h100-sxm5-80gb'"),
    ],
)
def test_unknown_accelerator(name, message):
    with pytest.raises(RecordError) as caught:
        catalog.accelerator(name)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "h100-sxm5-80gb",
            "'h100-sxm5-80gb' is an accelerator, not a node; nodes with it: 'hgx-h100', 'hgx-h100-immersion'. "
            "List them with: tco hardware list",
        ),
        (
            "gaudi3",
            "'gaudi3' is an accelerator, not a node; no node with it is known. List them with: tco hardware list",
        ),
        (
            "abacus",
            "system 'abacus' is not known. List them with: tco hardware list, or give a TOML or JSON file",
        ),
        ("missing/node.toml", "missing/node.toml: no such file"),
        ("missing.json", "missing.json: no such file"),
    ],
)
def test_unknown_system(name, message):
    with pytest.raises(RecordError) as caught:
        catalog.system(name)
    assert str(caught.value) == message


def test_misspelt_system_names_the_nearest():
    with pytest.raises(RecordError, match=r"^system 'hgx-h10' is not known; did you mean 'hgx-h100' or "):
        catalog.system("hgx-h10")


@pytest.mark.parametrize(
    ("model", "count", "record_id"),
    [
        ("NVIDIA H100 80GB HBM3", 8, "hgx-h100"),
        ("NVIDIA B200-SXM-180GB", 8.0, "hgx-b200-air"),
        ("NVIDIA H200-SXM-141GB", 8, "hgx-h200"),
        ("NVIDIA A100-SXM4-80GB", 8, "dgx-a100"),
        ("GH200", 4, "gh200-node-4"),
        ("AMD Instinct MI250X", 4, "mi250x-node"),
        ("AMD Instinct MI300X", 8, "mi300x-node"),
        ("ThinkSystem SR780a V3 (8x B200-SXM-180GB, TensorRT)", None, "hgx-b200-liquid"),
        ("1xSR780aV3-8xB200_SXM_180GB", 8, "hgx-b200-liquid"),
        ("NVIDIA DGX H100 (8x H100-SXM-80GB, MaxQ, TensorRT)", None, "hgx-h100"),
        ("8xXE9680x8H100-SXM-80GB-POWER", None, "hgx-h100"),
        ("1xSMC-H100-SXM-80GB", None, "hgx-h100-immersion"),
    ],
)
def test_node_by_what_tools_print(model, count, record_id):
    found = catalog.find_system(model, count)
    assert found is not None
    assert found.name == record_id


@pytest.mark.parametrize(
    ("model", "count"), [("NVIDIA H100 80GB HBM3", 4), ("NVIDIA H100 80GB HBM3", None), ("b300", 8)]
)
def test_node_that_is_not_known(model, count):
    assert catalog.find_system(model, count) is None


def test_nodes_with_an_accelerator():
    assert catalog.systems_with("NVIDIA B200") == ("hgx-b200-air", "hgx-b200-liquid")
    assert catalog.systems_with("NVIDIA DGX A100") == ("dgx-a100",)
    assert catalog.systems_with("b300") == ()


def test_names_lists_every_record():
    assert catalog.names() == (tuple(tables.record_ids("accelerators")), tuple(tables.record_ids("systems")))


@given(st.text(max_size=30))
def test_normalising_twice_changes_nothing(text):
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize(
    "look_up",
    [
        lambda: catalog.accelerator("NVIDIA H100 80GB HBM3"),
        lambda: catalog.find_accelerator("NVIDIA H100 80GB HBM3"),
        lambda: catalog.system("hgx-h100"),
        lambda: catalog.find_system("NVIDIA H100 80GB HBM3", 8),
        lambda: catalog.default("site.pue"),
        lambda: catalog.factor("hbm"),
        lambda: catalog.plausible("site.pue"),
        lambda: catalog.tariff("DE", ("EU27",)),
        lambda: catalog.building_cost("FR", ("EU27",)),
        lambda: catalog.exchange_rate("USD", "CHF"),
    ],
)
def test_warm_look_up_is_quick(look_up):
    look_up()
    assert min(timeit.repeat(look_up, number=200, repeat=7)) / 200 < 50e-6


def output_of(script):
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


def test_one_look_up_reads_one_index_and_one_record():
    script = (
        "from tco import catalog; from tco.catalog.tables import table;"
        "catalog.accelerator('NVIDIA H100 80GB HBM3'); print(table.cache_info().misses)"
    )
    assert output_of(script) == "2"


def test_naming_the_room_loads_nothing_heavy():
    script = (
        "import sys; from tco import catalog; print([m for m in ('pint', 'pydantic', 'tomllib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_room_says_what_it_lacks():
    with pytest.raises(AttributeError, match="has no attribute 'acelerator'"):
        catalog.acelerator  # noqa: B018
    assert all(getattr(catalog, name) is not None for name in catalog.__all__)
