"""The named cases: published runs, and small inputs that went wrong in other tools."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import tco
from tco.errors import EstimateError, RecordError, RegionError, TcoError, UnitError

PLAIN = {"site.pue": 1}


def run_of(**fields: Any) -> tco.Run:
    return tco.Run.model_validate({"name": "case", **fields})


def codes(estimate: tco.Estimate) -> set[str]:
    return {warning.code for warning in estimate.warnings}


# ---- published runs ----


def test_gpt3_energy_already_holds_its_pue() -> None:
    """Patterson et al. 2021, Table 4: 1,287 MWh at the facility, 429 g/kWh, 552.1 t (open case A39)."""
    run = run_of(energy={"value": 1287, "unit": "MWh", "boundary": "facility"}, pue=1.10)
    estimate = tco.estimate(run, set={"grid.intensity": "429 g/kWh"})
    assert estimate.value("carbon.operational", "tCO2e") == pytest.approx(552.12, abs=0.005)
    assert estimate.value("energy.it", "MWh") == pytest.approx(1170, abs=0.5)
    assert estimate.value("energy.facility", "MWh") == pytest.approx(1287, rel=1e-15)
    # The same said the other way: a node figure that holds the PUE.
    same = run_of(energy={"value": 1287, "unit": "MWh", "boundary": "node_ac"}, pue=1.10, pue_included=True)
    again = tco.estimate(same, set={"grid.intensity": "429 g/kWh"})
    assert again.value("carbon.operational", "tCO2e") == pytest.approx(552.12, abs=0.005)


def test_bloom_dynamic_idle_embodied_and_total() -> None:
    """Luccioni, Viguier, Ligozat 2023, Tables 1 and 3, section 4.1; no PUE, 57 g/kWh, 6 years, 85 % use."""
    run = run_of(
        duration="1 h",
        devices=[{"kind": "gpu", "count": 1_082_990}],  # GPU-hours
        energy=[
            {"value": 433_196, "unit": "kWh", "boundary": "node_ac", "phase": "active"},
            {"value": 256_646, "unit": "kWh", "boundary": "node_ac", "phase": "idle"},
        ],
    )
    system = tco.System.model_validate(
        {
            "name": "jean-zay",
            "devices_per_node": 8,
            "lifetime": "6 year",
            "utilisation": 0.85,
            "parts": [
                {"name": "server", "embodied": {"value": 2500, "unit": "kg", "boundary": "host"}},
                {"name": "gpu", "count": 8, "embodied": {"value": 150, "unit": "kg", "boundary": "board"}},
            ],
        }
    )
    estimate = tco.estimate(run, system=system, set={"grid.intensity": "57 g/kWh", **PLAIN})
    printed = {
        "carbon.operational.active": (24.69, 0.005),
        "carbon.operational.idle": (14.6, 0.05),
        "carbon.embodied.server": (7.57, 0.01),  # the source truncates 7.575
        "carbon.embodied.gpu": (3.64, 0.005),
        "carbon.total": (50.5, 0.05),
    }
    for name, (tonnes, rounding) in printed.items():
        assert estimate.value(name, "tCO2e") == pytest.approx(tonnes, abs=rounding), name


@pytest.mark.parametrize("name", ["run_jpwr_two_gpus", "run_mlperf_lenovo_llama31_8b", "run_slurm_38113"])
def test_recorded_runs_give_what_they_expect(name: str, shared: Path, tmp_path: Path) -> None:
    record = shutil.copy(shared / "facts" / "measured" / f"{name}.json", tmp_path)
    shutil.copy(shared / "samples" / "jpwr" / "power.None.node01.10780.csv", tmp_path)
    run = tco.read(record)[0]
    expected = run.expected or {}
    # The places below the readings: psu and node overheads of 1, to look at what was measured.
    stated = {"site.pue": 1, "node.psu_efficiency": 1, "node.overhead": 1}
    used = {key: value for key, value in stated.items() if key == "site.pue" or key in _chain(run)}
    estimate = tco.estimate(record, set=used)
    if "energy_kWh" in expected:
        assert estimate.value("energy.it", "kWh") == pytest.approx(expected["energy_kWh"], abs=5e-7)
    if "J_per_token" in expected:
        assert estimate.value("energy.it.per_token", "J/token") == pytest.approx(expected["J_per_token"], abs=5e-7)
    if "energy_Wh_trapezoid" in expected:
        assert estimate.value("energy.it", "Wh") == pytest.approx(expected["energy_Wh_trapezoid"], rel=1e-9)
        by_tool = [group for group in estimate.readings if group.how == "energy formed by the tool"]
        assert 1000 * by_tool[0].energy_kwh == pytest.approx(expected["energy_Wh_file"], rel=1e-9)


def _chain(run: tco.Run) -> set[str]:
    boundary = run.energy[0].boundary
    return {"node_dc": {"node.psu_efficiency"}, "gpu_board": {"node.overhead"}}.get(str(boundary), set())


# ---- open cases ----


def test_a01_kilowatts_stay_kilowatts() -> None:
    estimate = tco.estimate(run_of(power="5.6 kW", duration="24 h"), set=PLAIN)
    assert estimate.value("energy.it", "kWh") == pytest.approx(134.4, rel=1e-12)
    assert estimate.value("energy.it", "MJ") == pytest.approx(483.84, rel=1e-12)


def test_a02_joules_over_an_hour() -> None:
    estimate = tco.estimate(run_of(energy="180000 J", duration="1 h"), set=PLAIN)
    assert estimate.value("power.mean", "W") == pytest.approx(50, rel=1e-12)
    assert estimate.value("energy.it", "kWh") == pytest.approx(0.05, rel=1e-12)


def test_a03_a04_energy_and_mean_power_of_a_tracker_row() -> None:
    row = tco.estimate(run_of(energy="1 kWh", duration="1 h"), set={"grid.intensity": "360 g/kWh", **PLAIN})
    assert row.value("carbon.operational", "kgCO2e") == pytest.approx(0.36, rel=1e-12)
    labelled = tco.estimate(run_of(energy="0.277621 kWh", duration="9600 s"), set=PLAIN)
    assert labelled.value("power.mean", "W") == pytest.approx(104.1, abs=0.05)


@pytest.mark.parametrize(
    ("fields", "intensity", "grams"),
    [
        ({"energy": "250 Wh"}, "400 g/kWh", 100.0),  # A05
        ({"power": "10.153711771428572 W", "duration": "1 h"}, "0.098 kg/kWh", 0.995063753),  # A06
        ({"energy": "1 kWh"}, "911 lb/MWh", 413.22264907),  # A07
    ],
)
def test_a05_a06_a07_emissions(fields: dict[str, Any], intensity: str, grams: float) -> None:
    estimate = tco.estimate(run_of(**fields), set={"grid.intensity": intensity, **PLAIN})
    assert estimate.value("carbon.operational", "gCO2e") == pytest.approx(grams, rel=1e-8)


def test_a08_no_grid_is_that_dirty() -> None:
    with pytest.raises(EstimateError) as caught:
        tco.estimate(run_of(energy="1 kWh"), set={"grid.intensity": "338 kg/kWh"})
    assert "grid.intensity: 338000 gCO2e/kWh is above 2000 gCO2e/kWh" in str(caught.value)


def test_a09_power_and_energy_coefficients_differ() -> None:
    energy = tco.Q(16, "GB") * tco.read_quantity("0.38 W/GB", "W/GB") * tco.Q(1, "h")
    assert float(energy.m_as("kWh")) == pytest.approx(0.00608, rel=1e-12)
    with pytest.raises(UnitError, match="is a quantity in 'kWh/GB', not a quantity in 'W/GB'"):
        tco.read_quantity("0.38 kWh/GB", "W/GB")


def test_a12_decimal_and_binary_gigabytes_differ() -> None:
    decimal, binary = tco.read_quantity("12 GB", "GB"), tco.read_quantity("12 GiB", "GB")
    assert float(decimal.magnitude) == 12.0
    assert float(binary.magnitude) == pytest.approx(12.8849, abs=5e-5)


def memory_system(capacity: str) -> dict[str, Any]:
    memory = {"capacity": capacity, "per_capacity": "65 g/GB", "yield": 0.875}
    return {"name": "case", "lifetime": "1 year", "utilisation": 1, "parts": [{"name": "dram", "memory": memory}]}


def test_a14_a_capacity_needs_its_unit() -> None:
    run = run_of(duration="8760 h", nodes=1, energy="1 kWh")
    system = tco.System.model_validate(memory_system("640 GB"))
    estimate = tco.estimate(run, system=system, set=PLAIN)
    assert estimate.value("carbon.embodied.dram", "kgCO2e") == pytest.approx(47.54, abs=0.005)
    with pytest.raises(ValueError, match="'640' needs a unit; write for instance '640 GB'"):
        tco.System.model_validate(memory_system("640"))


def test_a24_no_duration_no_mean_power() -> None:
    estimate = tco.estimate(run_of(energy="0.5 kWh", duration="0 s"), set={"grid.intensity": "400 g/kWh", **PLAIN})
    assert estimate.value("energy.it", "kWh") == 0.5
    assert estimate.value("carbon.operational", "kgCO2e") == pytest.approx(0.2, rel=1e-12)
    with pytest.raises(EstimateError, match=r"'power.mean' is not in this estimate: the duration of the run is 0"):
        estimate["power.mean"]
    assert {"line": "power.mean", "reason": "the duration of the run is 0"} in estimate.to_dict()["missing"]
    assert "Infinity" not in estimate.to_json()


def test_a26_a_leap_year_has_8784_hours() -> None:
    run = run_of(power="1 kW", start="2024-01-01T00:00+01:00", end="2025-01-01T00:00+01:00")
    assert tco.estimate(run, set=PLAIN).value("energy.it", "kWh") == pytest.approx(8784, rel=1e-12)


def test_a_day_of_clock_change_has_its_real_hours() -> None:
    spring = run_of(power="1 kW", start="2026-03-29T00:00", end="2026-03-30T00:00", time_zone="Europe/Berlin")
    autumn = run_of(power="1 kW", start="2026-10-25T00:00", end="2026-10-26T00:00", time_zone="Europe/Berlin")
    assert tco.estimate(spring, set=PLAIN).value("energy.it", "kWh") == pytest.approx(23, rel=1e-12)
    assert tco.estimate(autumn, set=PLAIN).value("energy.it", "kWh") == pytest.approx(25, rel=1e-12)


def test_a40_package_and_pdu_are_shown_not_added() -> None:
    power = [
        {"boundary": "cpu_package", "average_power": "300 W"},
        {"boundary": "rack_pdu", "average_power": "620 W"},
    ]
    estimate = tco.estimate(run_of(power=power, duration="1 h"), set=PLAIN)
    assert estimate.value("energy.it", "kWh") == pytest.approx(0.62, rel=1e-12)
    readings = estimate.to_dict()["readings"]
    assert [(r["boundary"], r["used"]) for r in readings] == [("rack_pdu", True), ("cpu_package", False)]
    assert readings[1]["share_of_used"] == pytest.approx(0.48, abs=0.005)


def life_system(**fields: Any) -> dict[str, Any]:
    return {
        "name": "case",
        "parts": [{"name": "node", "embodied": {"value": 5000, "unit": "kg", "boundary": "node"}}],
        **fields,
    }


def test_a44_a_life_of_nothing_is_refused() -> None:
    run = run_of(duration="24 h", nodes=1, energy="1 kWh")
    for utilisation, kg in ((1, 2.740), (0.85, 3.223)):
        system = tco.System.model_validate(life_system(lifetime="5 a", utilisation=utilisation))
        estimate = tco.estimate(run, system=system, set=PLAIN)
        assert estimate.value("carbon.embodied", "kgCO2e") == pytest.approx(kg, abs=0.0005)
    for life in ("0 a", "-5 h"):
        with pytest.raises(ValueError, match="must be more than 0 year"):
            tco.System.model_validate(life_system(lifetime=life))
        with pytest.raises(EstimateError, match=r"system.lifetime: .* is (below|not above)"):
            tco.estimate(run, system=tco.System.model_validate(life_system()), set={"system.lifetime": life, **PLAIN})


@pytest.mark.parametrize("bad", [0, -0.5, 1.5, 87.5])
def test_a45_a_yield_is_a_share(bad: float) -> None:
    def system(good: float) -> tco.System:
        die = {"area": "8.14 cm^2", "per_area": "1.54 kg/cm^2", "yield": good}
        return tco.System.model_validate(
            {"name": "case", "lifetime": "1 year", "utilisation": 1, "parts": [{"name": "die", "die": die}]}
        )

    run = run_of(duration="8760 h", nodes=1, energy="1 kWh")
    estimate = tco.estimate(run, system=system(0.875), set=PLAIN)
    assert estimate.value("carbon.embodied.die", "kgCO2e") == pytest.approx(14.3264, abs=5e-5)
    with pytest.raises(ValueError) as caught:
        system(bad)
    assert ("did you mean 0.875?" in str(caught.value)) == (bad == 87.5)
    assert "must be more than 0" in str(caught.value) or "must be at most 1" in str(caught.value)


def test_a47_cents_and_currencies() -> None:
    tariff = {"value": 20, "unit": "ct/kWh", "currency": "EUR"}
    site = tco.Site.model_validate({"pue": 1, "tariff": tariff})
    estimate = tco.estimate(run_of(energy="134.4 kWh"), site=site)
    assert estimate.value("cost.energy", "EUR") == pytest.approx(26.88, rel=1e-12)
    # A price in USD beside it, and no rate: refused; with a rate it converts.
    run = run_of(energy="134.4 kWh", duration="24 h", nodes=1)
    stated: dict[str, object] = {
        "system.price": "250000 USD",
        "site.building_cost": "0 EUR/kW",
        "system.rating": "1 kW",
    }
    with pytest.raises(EstimateError) as caught:
        tco.estimate(run, site=site, set=stated)
    assert "system.price is in USD and the cost is in EUR, and no exchange rate is stated" in str(caught.value)
    assert "--set fx.usd_eur=" in str(caught.value)
    estimate = tco.estimate(run, site=site, set={**stated, "fx.usd_eur": "0.9 EUR/USD"})
    share = 24 / (5 * 8760 * 0.85)
    assert estimate.value("cost.hardware", "EUR") == pytest.approx(250000 * share * 0.9, rel=1e-12)


def test_a48_places() -> None:
    run = run_of(energy="1 kWh", start="2025-05-05T00:00Z")
    values = {text: tco.estimate(run, region=text, set=PLAIN) for text in ("UK", "GB", "gbr", "United Kingdom")}
    assert {estimate.value("grid.intensity", "gCO2e/kWh") for estimate in values.values()} == {217.41}
    with pytest.raises(RegionError, match="region 'ZZZ' is not known"):
        tco.estimate(run, region="ZZZ")
    data = tco.estimate(run, region="eu", set=PLAIN).to_dict()
    assert data["region"]["id"] == "EU27"
    grid = data["inputs"]["grid.intensity"]
    assert (grid["value"], grid["data_year"], grid["basis"], grid["scope"]) == (209.9, 2025, "lifecycle", "production")
    assert data["data"][0]["name"] == "ember-yearly"
    assert data["data"][0]["release"] == "2026-04"


def test_the_year_of_the_run_chooses_the_factor() -> None:
    run = run_of(energy="1 kWh", start="2024-05-05T00:00Z")
    assert tco.estimate(run, region="eu").value("grid.intensity", "gCO2e/kWh") == 211.2
    assert tco.estimate(run, region="eu", year=2025).value("grid.intensity", "gCO2e/kWh") == 209.9
    later = tco.estimate(run, region="eu", year=2026)
    assert later.value("grid.intensity", "gCO2e/kWh") == 209.9
    assert "data-year" in codes(later)


# ---- energy chain ----


def test_boards_reach_the_wall_only_through_a_stated_overhead() -> None:
    run = run_of(energy={"value": 10, "unit": "kWh", "boundary": "gpu_board"}, duration="1 h", nodes=1)
    air = tco.estimate(run, system="hgx-h100", set=PLAIN)
    assert air.value("energy.it", "kWh") == pytest.approx(15.5, rel=1e-12)
    line = air["energy.it"]
    assert (line.low, line.high) == pytest.approx((14.0, 18.0), rel=1e-12)
    assert air.inputs["node.overhead"].given.assumed  # type: ignore[union-attr]
    liquid = tco.estimate(run, system="hgx-b200-liquid", set=PLAIN)
    assert (liquid["energy.it"].low, liquid["energy.it"].high) == pytest.approx((13.0, 15.0), rel=1e-12)
    stated = tco.estimate(run, system="hgx-h100", set={"node.overhead": "1.5", **PLAIN})
    assert stated.value("energy.it", "kWh") == pytest.approx(15.0, rel=1e-12)


def test_a_node_model_has_a_fixed_part_and_a_part_that_follows() -> None:
    model = {"fixed_power": "1 kW", "follow": 1.1, "psu_efficiency": 0.95}
    system = tco.System.model_validate({"name": "case", "devices_per_node": 8, "node_model": model})
    run = run_of(
        energy={"value": 10, "unit": "kWh", "boundary": "gpu_board"},
        duration="2 h",
        devices=[{"kind": "gpu", "count": 8}],
    )
    estimate = tco.estimate(run, system=system, set=PLAIN)
    assert estimate.value("energy.it", "kWh") == pytest.approx((10 * 1.1 + 1 * 2) / 0.95, rel=1e-12)


def test_direct_current_passes_the_power_supply() -> None:
    run = run_of(energy={"value": 9.4, "unit": "kWh", "boundary": "node_dc"}, duration="1 h")
    estimate = tco.estimate(run, set={"node.psu_efficiency": "94 %", **PLAIN})
    assert estimate.value("energy.it", "kWh") == pytest.approx(10.0, rel=1e-12)


def test_a_tool_that_applied_its_pue_to_boards() -> None:
    """The PUE that the readings hold is taken out before the node overhead, and the site's own goes on once."""
    run = run_of(energy={"value": 15.8, "unit": "kWh", "boundary": "gpu_board"}, pue=1.58, pue_included=True)
    estimate = tco.estimate(run, set={"node.overhead": 1.5, "site.pue": 1.2})
    assert estimate.value("energy.boards", "kWh") == pytest.approx(10.0, rel=1e-12)
    assert estimate.value("energy.facility", "kWh") == pytest.approx(18.0, rel=1e-12)
    unknown = run_of(energy={"value": 15.8, "unit": "kWh", "boundary": "gpu_board"}, pue_included=True)
    with pytest.raises(EstimateError, match="pue_included is true; state 'pue'"):
        tco.estimate(unknown)


def test_packages_alone_do_not_reach_the_node() -> None:
    run = run_of(energy={"value": 1, "unit": "kWh", "boundary": "cpu_package"}, duration="1 h")
    with pytest.raises(EstimateError, match="known only at cpu_package"):
        tco.estimate(run)


def test_a_rating_is_not_an_energy() -> None:
    power = [{"boundary": "node_ac", "average_power": "10.2 kW", "method": "rating"}]
    with pytest.raises(EstimateError, match="no energy, no power"):
        tco.estimate(run_of(power=power, duration="1 h"))
    estimate = tco.estimate(run_of(power=power, energy="5 kWh", duration="1 h"), set=PLAIN)
    assert estimate.value("energy.it", "kWh") == 5.0
    assert "provisioned-power" in codes(estimate)


def test_a_liquid_node_at_the_pue_of_air_cooled_sites_warns() -> None:
    run = run_of(energy="5 kWh", duration="1 h", nodes=1)
    assert "cooling-mismatch" in codes(tco.estimate(run, system="hgx-b200-liquid"))
    assert "cooling-mismatch" not in codes(tco.estimate(run, system="hgx-b200-liquid", set={"site.pue": "1.1"}))
    assert "cooling-mismatch" not in codes(tco.estimate(run, system="hgx-b200-air"))
    site = tco.Site.model_validate({"pue": 1.3, "cooling": "air"})
    assert "cooling-mismatch" in codes(tco.estimate(run, system="hgx-b200-liquid", site=site))


def test_devices_without_a_measurement_take_their_rating_and_say_so() -> None:
    run = run_of(duration="10 h", devices=[{"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": 8}])
    estimate = tco.estimate(run, region="eu", set={"run.device_power_share": "0.5", "node.overhead": "1.5", **PLAIN})
    assert estimate.value("energy.boards", "kWh") == pytest.approx(8 * 0.7 * 0.5 * 10, rel=1e-12)
    assert {"rated-power", "system-assumed"} <= codes(estimate)
    assumed = tco.estimate(run, region="eu")
    assert assumed.inputs["run.device_power_share"].given.assumed  # type: ignore[union-attr]
    with pytest.raises(EstimateError, match="the rating of 'Mystery 9000' is not known"):
        tco.estimate(run_of(duration="10 h", devices=[{"kind": "gpu", "model": "Mystery 9000"}]))


def test_one_thing_is_not_counted_twice() -> None:
    energy = [{"value": 1, "unit": "kWh", "boundary": "node_ac"}, {"value": 2, "unit": "kWh", "boundary": "node_ac"}]
    with pytest.raises(EstimateError, match=r"energy\[0\] and energy\[1\] are both of the whole run at node_ac"):
        tco.estimate(run_of(energy=energy))
    apart = [{**energy[0], "device": "node0"}, {**energy[1], "device": "node1"}]
    assert tco.estimate(run_of(energy=apart), set=PLAIN).value("energy.it", "kWh") == pytest.approx(3, rel=1e-15)


def test_the_counter_wins_over_the_mean_power_and_a_difference_is_said() -> None:
    run = run_of(
        energy={"value": 1, "unit": "kWh", "boundary": "node_ac", "method": "counter"},
        power={"average_power": "1.2 kW", "boundary": "node_ac"},
        duration="1 h",
    )
    estimate = tco.estimate(run, set=PLAIN)
    assert estimate.value("energy.it", "kWh") == 1.0
    assert "readings-differ" in codes(estimate)


def test_an_inner_boundary_above_its_outer_one_warns() -> None:
    energy = [
        {"value": 2, "unit": "kWh", "boundary": "gpu_board"},
        {"value": 1, "unit": "kWh", "boundary": "node_ac"},
    ]
    assert "inner-above-outer" in codes(tco.estimate(run_of(energy=energy), set=PLAIN))


def test_packages_beside_boards_are_not_inside_them() -> None:
    energy = [
        {"value": 1, "unit": "kWh", "boundary": "gpu_board"},
        {"value": 2, "unit": "kWh", "boundary": "cpu_package"},
    ]
    estimate = tco.estimate(run_of(energy=energy), set={"node.overhead": 1.5, **PLAIN})
    assert estimate.value("energy.it", "kWh") == pytest.approx(1.5, rel=1e-12)
    assert "inner-above-outer" not in codes(estimate)


def test_whose_pue_it_is() -> None:
    site = tco.Site.model_validate({"pue": 1.2})
    held = run_of(energy={"value": 13, "unit": "kWh", "boundary": "facility"}, pue=1.3)
    assert tco.estimate(held, site=site).value("energy.it", "kWh") == pytest.approx(10, rel=1e-12)
    of_site = run_of(energy={"value": 10, "unit": "kWh", "boundary": "node_ac"}, pue=1.3)
    assert tco.estimate(of_site).value("energy.facility", "kWh") == pytest.approx(13, rel=1e-12)
    assert tco.estimate(of_site, site=site).value("energy.facility", "kWh") == pytest.approx(12, rel=1e-12)
    assert tco.estimate(of_site, site=site, set={"site.pue": 1.1}).value("energy.facility", "kWh") == pytest.approx(
        11, rel=1e-12
    )


def test_a_power_without_a_duration_beside_an_energy_is_left_out() -> None:
    run = run_of(energy="5 kWh", power="1 kW")
    assert tco.estimate(run, set=PLAIN).value("energy.it", "kWh") == 5.0


# ---- what is missing is said ----


def test_without_a_place_carbon_and_tariff_are_missing_and_say_what_to_give() -> None:
    estimate = tco.estimate(run_of(energy="1 kWh", duration="1 h"), set=PLAIN)
    missing = {item.line: item.reason for item in estimate.missing}
    assert "--region eu" in missing["carbon.operational"]
    assert "tco hardware list" in missing["carbon.embodied"]
    assert missing["carbon.total"] == "it needs carbon.operational, carbon.embodied"
    assert "carbon.total" not in estimate
    with pytest.raises(EstimateError, match=r"'carbon.total' is not in this estimate: it needs carbon.operational"):
        estimate["carbon.total"]


def test_a_place_without_a_tariff_asks_for_one() -> None:
    run = run_of(energy="1 kWh", duration="1 h", nodes=1)
    estimate = tco.estimate(run, region="ch", system="hgx-h100")
    missing = {item.line: item.reason for item in estimate.missing}
    assert missing["cost.energy"].startswith(
        "no tariff is known for Switzerland; give it, for instance --set site.tariff="
    )
    assert missing["cost.total"] == "it needs cost.energy"
    whole = tco.estimate(run, region="ch", system="hgx-h100", set={"site.tariff": "0.25 CHF/kWh"})
    assert whole["cost.total"].unit == "CHF"
    assert whole.inputs["fx.usd_chf"].given.assumed  # type: ignore[union-attr]


def test_a_member_of_the_union_takes_its_tariff_and_says_so() -> None:
    estimate = tco.estimate(run_of(energy="1 kWh"), region="de", set=PLAIN)
    assert estimate.value("cost.energy", "EUR") == pytest.approx(0.1902, rel=1e-12)
    assert "tariff-of-parent" in codes(estimate)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"power": "5.6 kW"}, "a power becomes an energy only with 'duration'"),
        ({}, "no energy, no power, and no devices with a duration"),
        ({"power": {"scope": "device", "average_power": "1 W"}, "duration": "1 h"}, "needs 'devices' with a count"),
        ({"power": {"scope": "node", "average_power": "1 W"}, "duration": "1 h"}, "needs 'nodes'"),
    ],
)
def test_what_cannot_be_estimated_is_said(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(EstimateError) as caught:
        tco.estimate(run_of(**fields))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"site.peu": "1.2"}, "'site.peu' is not an input of this estimate; did you mean 'site.pue'?"),
        ({"site.pue": "0.9"}, "site.pue: 0.9 is below 1"),
        ({"site.pue": "12"}, "site.pue: 12 is above 3"),
        ({"site.tariff": "0.2 kWh"}, "site.tariff: '0.2 kWh' has no currency"),
        ({"run.duration": "2 kW"}, "run.duration: '2 kW' is a power, not a time"),
        ({"carbon.total": "1 kg"}, "'carbon.total' is a result, not an input"),
    ],
)
def test_a_bad_set_names_the_input(stated: dict[str, object], words: str) -> None:
    run = run_of(energy="1 kWh", duration="1 h", nodes=1)
    with pytest.raises(TcoError) as caught:
        tco.estimate(run, region="eu", system="hgx-h100", set=stated)
    assert words in str(caught.value)


def test_devices_that_are_not_those_of_the_record_warn() -> None:
    run = run_of(
        energy="1 kWh", duration="1 h", devices=[{"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": 4}]
    )
    assert "hardware-mismatch" in codes(tco.estimate(run, system="gh200-node-4"))
    assert "hardware-mismatch" not in codes(tco.estimate(run, system="hgx-h100"))


def test_part_of_a_node_is_charged_by_device() -> None:
    """A41 and A42 of the same kind: eight boards are eight, one of eight is an eighth."""
    run = run_of(energy="1 kWh", duration="24 h", nodes=1, devices=[{"kind": "gpu", "count": 2}])
    part = tco.estimate(run, system="hgx-h100", set=PLAIN)
    assert part.value("run.nodes_charged", "1") == 0.25
    assert "node-shared" in codes(part)
    whole = tco.estimate(run, system="hgx-h100", set={"run.nodes_charged": 1, **PLAIN})
    ratio = whole.value("carbon.embodied", "kgCO2e") / part.value("carbon.embodied", "kgCO2e")
    assert ratio == pytest.approx(4, rel=1e-12)


def test_two_dies_on_a_card_are_one_card() -> None:
    run = run_of(energy="1 kWh", duration="24 h", devices=[{"kind": "gpu", "model": "MI250X", "count": 8, "cards": 4}])
    assert tco.estimate(run, system="mi250x-node", set=PLAIN).value("run.nodes_charged", "1") == 1.0


def test_a_part_that_contains_the_others_is_refused() -> None:
    parts = [
        {"name": "node", "embodied": {"value": 5000, "unit": "kg", "boundary": "node"}},
        {"name": "gpu", "count": 8, "embodied": {"value": 150, "unit": "kg", "boundary": "board"}},
    ]
    with pytest.raises(ValueError, match="part 'node' is counted at the boundary 'node', which already contains: gpu"):
        tco.System.model_validate({"name": "case", "parts": parts})


def test_a_record_file_names_file_and_field(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"duration": "24 h", "power": [{"average_power": "700 KW"}]}))
    with pytest.raises(RecordError) as caught:
        tco.estimate(path)
    assert str(caught.value) == (
        f"{path}: power[0].average_power: '700 KW' has an unknown unit 'KW'; did you mean 'kW'?"
    )
    path.write_text('{"duration": "24 h",\n "energy": }')
    with pytest.raises(RecordError, match=r"run.json:2: not valid JSON"):
        tco.estimate(path)
