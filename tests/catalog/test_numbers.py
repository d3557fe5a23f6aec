"""Numbers of the catalogue against what was published, with the rounding of the publication."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tco import catalog
from tco.catalog.tables import record_ids


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


# NVIDIA, footprints of the HGX H100 and HGX B200 baseboards (July 2025): 1,312 kg with 42 % memory and 640 GB, and
# 2,274 kg with 49 % memory and 1,440 GB, eight GPUs each.
def test_share_of_a_baseboard():
    assert catalog.accelerator("h100-sxm5-80gb").embodied.value == 1312 / 8 == 164
    assert catalog.accelerator("b200-180gb").embodied.value == 2274 / 8 == 284.25


def test_stacked_memory_and_board_without_it():
    memory, board = catalog.factor("hbm"), catalog.factor("board_without_memory")
    assert (memory.value, memory.low, memory.high) == (0.861, 0.774, 2.2)
    assert memory.value == pytest.approx(1312 * 0.42 / 640, abs=0.0005)
    assert memory.low == pytest.approx(2274 * 0.49 / 1440, abs=0.0005)
    assert memory.high == pytest.approx(176 / 80, abs=0.05)  # Morand et al. 2026: 176 kg in an H100 of 80 GB
    assert (board.value, board.low, board.high) == (95.12, 95.12, 144.97)
    assert board.value == pytest.approx(1312 * 0.58 / 8, abs=0.005)
    assert board.high == pytest.approx(2274 * 0.51 / 8, abs=0.005)


def test_memory_and_board_make_up_the_published_h100():
    memory, board = catalog.factor("hbm"), catalog.factor("board_without_memory")
    assert board.value + memory.value * 80 == pytest.approx(
        catalog.accelerator("h100-sxm5-80gb").embodied.value, abs=0.05
    )


def test_h200_is_the_h100_with_more_memory():
    memory, board, h200 = (
        catalog.factor("hbm"),
        catalog.factor("board_without_memory"),
        catalog.accelerator("h200-sxm-141gb").embodied,
    )
    assert h200.value == pytest.approx(board.value + memory.value * 141, abs=0.05)
    assert h200.low == pytest.approx(board.value + memory.low * 141, abs=0.05)
    assert h200.high == 364  # ADEME 2026, as EcoLogits quotes it
    assert catalog.accelerator("h100-sxm5-80gb").embodied.high == 273


# Falk et al. 2025; Schneider et al. 2025.
@pytest.mark.parametrize(
    ("name", "kg", "boundary"),
    [
        ("a100-sxm4-40gb", 127.6, "board"),
        ("tpu-v4", 513, "node"),
        ("tpu-v5e", 285, "node"),
        ("tpu-v5p", 796, "node"),
        ("tpu-v6e", 523, "node"),
    ],
)
def test_published_embodied(name, kg, boundary):
    figure = catalog.accelerator(name).embodied
    assert (figure.value, figure.boundary, figure.phase) == (kg, boundary, "cradle-to-gate")


def test_where_nothing_is_published_nothing_is_stated():
    without = {name for name in record_ids("accelerators") if catalog.accelerator(name).embodied is None}
    assert without == {
        *("v100-sxm2-32gb", "a100-sxm4-80gb", "h100-pcie-80gb", "b300", "gh200", "gh200-144gb", "gb200"),
        *("mi250x", "mi300a", "mi300x", "mi325x", "mi355x", "gaudi2", "gaudi3"),
    }


# NVIDIA's own system descriptions in MLPerf Inference v4.0.
def test_memory_of_gh200():
    assert catalog.accelerator("gh200").memory.value == 96
    assert catalog.accelerator("gh200-144gb").memory.value == 144 == catalog.accelerator("gh200").memory.high


@pytest.mark.parametrize(
    ("name", "watts"),
    [("hgx-h100", 10200), ("hgx-h200", 10200), ("hgx-b200-air", 14300), ("dgx-a100", 6500)],
)
def test_rating(name, watts):
    assert catalog.system(name).rating.value == watts


def test_archer2_by_both_methods():
    figure = catalog.system("archer2-node").parts[0].embodied
    assert figure.value == 1100
    assert figure.low == pytest.approx(4_056_000 / 5_860, abs=0.5)


def test_host_without_accelerators():
    for name in ("dgx-a100", "hgx-h100", "hgx-h100-immersion", "hgx-h200", "hgx-b200-air", "hgx-b200-liquid"):
        host = catalog.system(name).parts[1].embodied
        assert (host.low, host.value, host.high, host.boundary) == (2500, 5700, 6000, "host")


@pytest.mark.parametrize(
    ("name", "low", "value", "high"),
    [
        ("site.pue", 1.14, 1.54, 1.63),  # AWS 2025, Uptime Institute 2025, IDC 2024
        ("node.overhead.air", 1.4, 1.55, 1.8),
        ("node.overhead.liquid", 1.3, 1.4, 1.5),
        ("node.overhead.immersion", 1.3, 1.4, 1.5),
        ("node.psu_efficiency", 0.94, 0.96, 0.972),  # MLPerf Training v5.0, v4.1, v4.0
        ("system.lifetime", 4, 5, 6),
        ("system.utilisation", None, 0.85, 1),
        ("system.network_share", None, 0.19, None),
        ("system.maintenance", None, 0.05, None),
        ("site.building_lifetime", None, 12, None),
    ],
)
def test_default(name, low, value, high):
    figure = catalog.default(name)
    assert (figure.low, figure.value, figure.high) == (low, value, high)


# Vercellino et al. 2026: 548 W in training and 668.2 W in a burn test, of 700 W; Newkirk et al. 2025: 37 % off.
def test_power_share_of_a_device():
    figure = catalog.default("run.device_power_share")
    assert figure.value == pytest.approx(548 / 700, abs=0.0005)
    assert figure.high == pytest.approx(668.2 / 700, abs=0.0005)
    assert figure.low == pytest.approx(0.783 * (1 - 0.37), abs=0.0005)


def test_ratings_and_memory_are_read_not_remembered(shared):
    names = {"gb200": "GB200 (per GPU)", "gh200": "GH200 (GPU part)", "gh200-144gb": "GH200 (GPU part)"}
    rows = {
        (row["device"].casefold().replace(" ", "-"), row["attribute"]): row
        for row in table(shared / "facts" / "embodied" / "accelerators.csv")
        if row["from_memory"] == "false" and row["attribute"] in ("tdp", "memory_capacity")
    }
    for record_id in record_ids("accelerators"):
        record = catalog.accelerator(record_id)
        device = names.get(record_id, record_id).casefold().replace(" ", "-")
        for attribute, figure in (("tdp", record.tdp), ("memory_capacity", record.memory)):
            if attribute == "memory_capacity" and record_id.startswith("gh200"):
                assert (device, attribute) not in rows  # from MLPerf, see above
                continue
            row = rows[device, attribute]
            assert (float(row["value"]), row["unit"]) == (figure.value, figure.unit)
            assert row["source"].partition("row '")[2].strip("'") in figure.source.where


def test_embodied_carbon_is_read_not_remembered(shared):
    known = {
        *(1312 / 8, 2274 / 8, 216.5),  # shares and what is computed from them, see above
        *(
            float(row["value"])
            for file in ("embodied/factors.csv", "neighbours/embodied_extra.csv")
            for row in table(shared / "facts" / file)
            if row["from_memory"] == "false"
            and row["unit"].startswith("kg")
            and row["value"].replace(".", "").isdigit()
        ),
    }
    for record_id in record_ids("accelerators"):
        figure = catalog.accelerator(record_id).embodied
        assert figure is None or figure.value in known


PRICED = {
    "dgx-a100": ("NVIDIA A100 SXM4 80 GB", "2023-09-23", 1),
    "hgx-h100": ("NVIDIA H100 SXM5 80GB", "2025-01-31", 1),
    "hgx-h100-immersion": ("NVIDIA H100 SXM5 80GB", "2025-01-31", 1),
    "hgx-h200": ("NVIDIA H200 SXM", "2025-01-31", 1),
    "hgx-b200-air": ("NVIDIA B200", "2024-12-17", 1),
    "hgx-b200-liquid": ("NVIDIA B200", "2024-12-17", 1),
    "gh200-node-4": ("NVIDIA GH200", "2024-10-31", 4),
    "mi300x-node": ("AMD Instinct MI300X", "2025-02-10", 1),
}


def test_prices_are_quotes(shared):
    quotes = [row for row in table(shared / "facts" / "costs" / "prices_hardware.csv") if row["from_memory"] == "false"]
    for record_id in record_ids("systems"):
        price = catalog.system(record_id).price
        if record_id not in PRICED:
            assert price is None
            continue
        item, date, times = PRICED[record_id]
        row = next(row for row in quotes if (row["item"], row["date"]) == (item, date))
        quoted = float(row["price_usd_total"] or row["price_usd_per_chip"]) * times
        assert price.value == pytest.approx(quoted, abs=0.5)
        assert price.unit == "USD"
        assert price.price_year == int(date[:4])
        assert price.source.url == row["source_url"]


def test_range_of_h100_servers_is_that_of_the_quotes(shared):
    quotes = [
        float(row["price_usd_total"])
        for row in table(shared / "facts" / "costs" / "prices_hardware.csv")
        if row["item"] == "NVIDIA H100 SXM5 80GB"
        and row["includes_server"] == "true"
        and "2023-03-03" <= row["date"] <= "2025-03-03"
    ]
    price = catalog.system("hgx-h100").price
    assert (min(quotes), max(quotes), len(quotes)) == (price.low, price.high, 11)
    assert sorted(quotes)[1] == 248956  # named in the note


def test_defaults_are_read_not_remembered(shared):
    pue = {
        (row["provider"].partition(" (")[0], row["year"]): float(row["pue"])
        for row in table(shared / "facts" / "costs" / "pue_wue.csv")
        if row["from_memory"] == "false" and row["pue"] and not row["region_code"]
    }
    site = catalog.default("site.pue")
    assert (pue["AWS", "2025"], pue["industry average", "2025"], pue["on-premises enterprise average", "2024"]) == (
        site.low,
        site.value,
        site.high,
    )
    ratios = {row["id"]: row for row in table(shared / "facts" / "neighbours" / "node_overhead_factors.csv")}
    for row_id, name in (("DEFAULT-AIR", "air"), ("DEFAULT-LIQUID", "liquid"), ("DEFAULT-LIQUID", "immersion")):
        figure, row = catalog.default(f"node.overhead.{name}"), ratios[row_id]
        assert row["from_memory"] == "false"
        assert tuple(float(row[key]) for key in ("low", "value", "high")) == (figure.low, figure.value, figure.high)
    supplies = {row["id"]: row for row in table(shared / "facts" / "neighbours" / "psu_efficiency.csv")}
    measured = catalog.system("hgx-h100-immersion").node_model.psu_efficiency
    assert float(supplies["SMC-RUN-1N"]["efficiency"]) == measured.value
    assert f"{measured.low} to {measured.high}" in supplies["SMC-RUN-1N"]["note"]
    assert (
        float(supplies["MLPT-LENOVO"]["efficiency"])
        == catalog.system("hgx-b200-liquid").node_model.psu_efficiency.value
    )
    assert float(supplies["MLPT-DELL"]["efficiency"]) == catalog.default("node.psu_efficiency").value
    money = {
        row["item"]: float(row["value"])
        for row in table(shared / "facts" / "costs" / "dc_capex_opex.csv")
        if row["from_memory"] == "false" and row["category"] == "model default"
    }
    assert money["server opex"] == catalog.default("system.maintenance").value
    assert money["data centre amortisation"] == catalog.default("site.building_lifetime").value
    assert money["Epoch: interconnect share of total cluster cost"] == catalog.default("system.network_share").value
