"""Published results recomputed from their own inputs, through the public API (facts/embodied/cases.csv).

Each formula that the package covers has one function here that builds a run, a site and a system from the stated
inputs and reads the line that answers. Formulas outside the model are listed with the reason; a new formula in the
file fails the test.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tco
from tco.estimation import Estimate

Inputs = dict[str, Any]


def run_of(**fields: Any) -> tco.Run:
    return tco.Run.model_validate({"name": "case", **fields})


def energy_run(inputs: Inputs, *, boundary: str = "node_ac", **fields: Any) -> tco.Run:
    for key, unit in (
        ("energy_kWh", "kWh"),
        ("energy_MWh", "MWh"),
        ("gpu_energy_MWh", "MWh"),
        ("idle_energy_kWh", "kWh"),
    ):
        if key in inputs:
            return run_of(energy={"value": inputs[key], "unit": unit, "boundary": boundary}, **fields)
    raise KeyError(f"no energy in {inputs}")


def power_run(inputs: Inputs, *, hours: float, count: float, **fields: Any) -> tco.Run:
    power = {"boundary": "node_ac", "scope": "device", "average_power": {"value": inputs["power_W"], "unit": "W"}}
    return run_of(
        duration={"value": hours, "unit": "h"}, devices=[{"kind": "gpu", "count": count}], power=power, **fields
    )


def site_of(inputs: Inputs) -> tco.Site:
    fields: dict[str, Any] = {"pue": inputs.get("pue", 1)}
    for key, unit in (
        ("ci", "kg/kWh"),
        ("ci_g_per_kWh", "g/kWh"),
        ("ci_lb_per_kWh", "lb/kWh"),
        ("implied_ci", "kg/kWh"),
    ):
        if key in inputs:
            fields["intensity"] = f"{inputs[key]} {unit}"
    for key in ("wue", "wue_L_per_kWh"):
        if key in inputs:
            fields["source_water"] = f"{inputs[key]} L/kWh"
    return tco.Site.model_validate(fields)


def facility_energy(inputs: Inputs) -> Estimate:
    if "gpu_h" in inputs or "chip_h" in inputs:
        run = power_run(inputs, hours=1, count=inputs.get("gpu_h", inputs.get("chip_h")))
    elif "months" in inputs:
        run = power_run(inputs, hours=inputs["months"] * inputs["days_per_month"] * 24, count=inputs["gpus"])
    elif "days" in inputs:
        run = power_run(inputs, hours=24 * inputs["days"], count=inputs["chips"])
    else:
        run = power_run(inputs, hours=inputs["hours"], count=inputs.get("chips", 1))
    return tco.estimate(run, site=site_of(inputs))


def energy_result(inputs: Inputs, unit: str) -> float:
    return facility_energy(inputs).value("energy.facility", unit)


def carbon_of_energy(inputs: Inputs, unit: str) -> float:
    return tco.estimate(energy_run(inputs), site=site_of(inputs)).value("carbon.operational", carbon_unit(unit))


def carbon_of_hours(inputs: Inputs, unit: str) -> float:
    run = power_run(inputs, hours=1, count=inputs["gpu_h"])
    return tco.estimate(run, site=site_of(inputs)).value("carbon.operational", carbon_unit(unit))


def carbon_unit(unit: str) -> str:
    return {"tCO2e": "tCO2e", "kg": "kgCO2e", "g": "gCO2e", "lb CO2e": "lbCO2e"}[unit]


def system_of(kg: float, *, lifetime_h: float, utilisation: float = 1.0, per_node: float | None = None) -> tco.System:
    return tco.System.model_validate(
        {
            "name": "case",
            "devices_per_node": per_node,
            "lifetime": f"{lifetime_h} h",
            "utilisation": utilisation,
            "parts": [{"name": "server", "embodied": {"value": kg, "unit": "kgCO2e", "boundary": "node"}}],
        }
    )


def embodied_of(
    system: tco.System, *, hours: float, nodes: float = 1, devices: float | None = None, **fields: Any
) -> Estimate:
    parts = [{"kind": "gpu", "count": devices}] if devices else [{"kind": "node", "count": nodes}]
    run = run_of(duration={"value": hours, "unit": "h"}, devices=parts, energy="1 kWh", **fields)
    return tco.estimate(run, system=system, set={"site.pue": 1})


def life_h(inputs: Inputs, key: str = "lifetime_y") -> float:
    return float(inputs[key]) * float(inputs.get("hours_per_year", 8760))


def embodied_rate(inputs: Inputs, unit: str) -> float:
    kg = inputs.get("server_kg", inputs.get("gpu_kg"))
    system = system_of(kg, lifetime_h=life_h(inputs), utilisation=inputs.get("utilisation", 1.0))
    return embodied_of(system, hours=1).value("carbon.embodied", "kgCO2e")


def embodied_of_server_hours(inputs: Inputs, unit: str) -> float:
    system = system_of(
        inputs["server_kg"],
        lifetime_h=life_h(inputs),
        utilisation=inputs["utilisation"],
        per_node=inputs["gpus_per_server"],
    )
    return embodied_of(system, hours=1, devices=inputs["gpu_h"]).value("carbon.embodied", carbon_unit(unit))


def embodied_of_device_hours(inputs: Inputs, unit: str) -> float:
    if "rate" in inputs:  # kg per device-hour: a device that is charged so for each hour of a year
        system = system_of(inputs["rate"] * 8760, lifetime_h=8760)
    else:
        system = system_of(inputs["gpu_kg"], lifetime_h=life_h(inputs), utilisation=inputs["utilisation"])
    return embodied_of(system, hours=1, nodes=inputs["gpu_h"]).value("carbon.embodied", carbon_unit(unit))


def share_of_a_board(inputs: Inputs, unit: str) -> float:
    kg = inputs.get("board_kg", inputs.get("server_kg"))
    system = system_of(kg, lifetime_h=8760, per_node=inputs["gpus"])
    return embodied_of(system, hours=8760, devices=1).value("carbon.embodied", "kgCO2e")


def per_flop(inputs: Inputs, unit: str) -> float:
    life = inputs["life_y"] * inputs["hours_per_year"]
    system = system_of(inputs["board_kg"], lifetime_h=life, utilisation=inputs["util"])
    peak = inputs["fp16_sparse_PF_per_gpu"] * 1e15 * inputs["gpus"]
    work = [{"quantity": "FLOP", "rate": {"value": peak, "unit": "1/s"}}]
    return embodied_of(system, hours=life, work=work).value("carbon.embodied.per_FLOP", "gCO2e/EFLOP")


def whole_lives(inputs: Inputs, unit: str) -> float:
    """n pieces for their whole life."""
    pairs = {"nodes": "kg_per_node", "switches": "kg_per_switch"}
    (count, kg) = next((inputs[n], inputs[k]) for n, k in pairs.items() if n in inputs)
    return embodied_of(system_of(kg, lifetime_h=8760), hours=8760, nodes=count).value("carbon.embodied", "kgCO2e")


def rate_of_a_system(inputs: Inputs, unit: str) -> float:
    per_node = inputs["total_kg"] / inputs["nodes"]
    return embodied_of(system_of(per_node, lifetime_h=life_h(inputs, "life_y")), hours=1).value(
        "carbon.embodied", "kgCO2e"
    )


def node_hours(inputs: Inputs, unit: str) -> float:
    system = system_of(inputs["rate"] * 8760, lifetime_h=8760)
    return embodied_of(system, hours=1, nodes=inputs["cu"]).value("carbon.embodied", "kgCO2e")


def sci_share(inputs: Inputs, unit: str) -> float:
    system = system_of(inputs["TE_kg"], lifetime_h=inputs["EL_y"] * 8760)
    return embodied_of(system, hours=inputs["TiR_h"]).value("carbon.embodied", "gCO2e")


def water(inputs: Inputs, unit: str) -> float:
    boundary = "node_ac" if "pue" in inputs else "facility"
    run = energy_run(inputs, boundary=boundary)
    return tco.estimate(run, site=site_of(inputs)).value("water.source", unit)


def pounds(inputs: Inputs, unit: str) -> float:
    return float(tco.read_quantity(f"{inputs['lb']} lb", "kgCO2e").magnitude)


def bill_of_materials(inputs: Inputs, unit: str) -> float:
    """Strings ``amount unit * CPA * count``; a share of days of a life."""
    parts = []
    for name, text in inputs.items():
        match = re.fullmatch(r"([\d.]+)(cm2|GB)\*([\d.]+)\*(\d+)", str(text))
        if match is None:
            continue
        amount, kind, per, count = match.groups()
        part: dict[str, Any] = {"name": name, "count": float(count)}
        if kind == "GB":
            part["memory"] = {"capacity": f"{amount} GB", "per_capacity": f"{per} kg/GB"}
        else:
            part["die"] = {"area": f"{amount} cm2", "per_area": f"{per} kg/cm2", "yield": 1}
        parts.append(part)
    assert len(parts) == 5
    system = tco.System.model_validate(
        {"name": "case", "parts": parts, "lifetime": f"{inputs['lifespan_d']} d", "utilisation": 1}
    )
    return embodied_of(system, hours=24 * inputs["days"]).value("carbon.embodied", carbon_unit(unit))


def storage(inputs: Inputs, unit: str) -> float:
    part = {
        "name": "storage",
        "memory": {"capacity": f"{inputs['GB']} GB", "per_capacity": f"{inputs['kg_per_GB']} kg/GB"},
    }
    system = tco.System.model_validate({"name": "case", "parts": [part], "lifetime": "1 year", "utilisation": 1})
    return embodied_of(system, hours=8760).value("carbon.embodied", "kgCO2e")


def sum_of_parts(inputs: Inputs, unit: str) -> float:
    """Published figures of parts, as the parts of a bill of materials."""
    amounts = inputs["rows"] if "rows" in inputs else list(inputs.values())
    scale = 1000 if unit == "tCO2e" else 1
    parts = [
        {"name": f"part{index}", "embodied": {"value": amount * scale, "unit": "kgCO2e", "boundary": "board"}}
        for index, amount in enumerate(amounts)
    ]
    system = tco.System.model_validate({"name": "case", "parts": parts, "lifetime": "1 year", "utilisation": 1})
    return embodied_of(system, hours=8760).value("carbon.embodied", "kgCO2e") / scale


COVERED: dict[str, Callable[[Inputs, str], float]] = {
    "E=gpu_h*P": energy_result,
    "E=n*h*P": energy_result,
    "E=h*P": energy_result,
    "E=gpu_h*P*PUE": energy_result,
    "E=h*P*PUE": energy_result,
    "E=PUE*P*t/1000": energy_result,
    "E=n*24*d*P*PUE": energy_result,
    "E=n*P*PUE*t": energy_result,
    "C=E*CI": carbon_of_energy,
    "C=E*CI_gross": carbon_of_energy,
    "C=E*CI_net": carbon_of_energy,
    "C=E*PUE*CI": carbon_of_energy,
    "C=E*CI*PUE": carbon_of_energy,
    "C=E_idle*CI": carbon_of_energy,
    "C=0.954*E": carbon_of_energy,
    "C=gpu_h*P*CI_eff": carbon_of_hours,
    "r=E/(LT*8760*U)": embodied_rate,
    "r=E/(LT*8760)": embodied_rate,
    "C=gpu_h/8*r": embodied_of_server_hours,
    "C=gpu_h*r": embodied_of_device_hours,
    "E/8": share_of_a_board,
    "g per EFLOP = E/(peak*LT*hours_per_year)": per_flop,
    "n*E": whole_lives,
    "E/(n*LT*8760)": rate_of_a_system,
    "CU*r": node_hours,
    "M=TE*TiR/(EL*365*24)": sci_share,
    "W=E*PUE*WUE": water,
    "W=E*WUE": water,
    "kg=lb*0.45359237": pounds,
    "C=sum(unit*CPA*n)*t/LT": bill_of_materials,
    "GB*f": storage,
    "sum": sum_of_parts,
}
#: a sum is a bill of materials only where it adds parts of hardware
PARTS_OF_HARDWARE = ("bloom-embodied-total", "tpuv6e-embodied", "archer2-2024-total", "archer2-2026-total")
NOT_COVERED = {
    "C=6PD/(n*peak*eff)*n*P_sys*PUE*CI": "run time from model size is a simulator's job",
    "1-b/a": "comparison of two results",
    "e/(e+o)": "comparison of two results",
    "total/accel": "comparison of two results",
    "P_machine/(n*P_tpu)": "comparison of two powers",
    "total-gpus": "splitting a published total",
    "S+n*G": "derived row without a published value",
    "E*share/GB": "derived row without a published value",
    "E*share/8": "derived row without a published value",
    "E/GB": "derived row without a published value",
    "T*(1-u)": "splitting a published total",
    "W=w*A": "water of a wafer fab",
    "floor(pi*d^2/(4S)-pi*d/sqrt(2S))": "dies per wafer",
    "none": "no inputs published",
    "none (no inputs published)": "no inputs published",
}


def rows_of(shared: Path) -> list[dict[str, str]]:
    with (shared / "facts" / "embodied" / "cases.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_covered(row: dict[str, str]) -> bool:
    """Whether the model does what the row does; adding up published results of several runs is no model."""
    return row["formula"] in COVERED and (row["formula"] != "sum" or row["id"] in PARTS_OF_HARDWARE)


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[dict[str, str]]:
    return rows_of(shared)


def test_every_formula_is_covered_or_has_a_reason(rows: list[dict[str, str]]) -> None:
    formulas = {row["formula"] for row in rows}
    assert formulas == set(COVERED) | set(NOT_COVERED)


def test_consistent_rows_are_reproduced(rows: list[dict[str, str]]) -> None:
    """At the tolerance that the file gives for each row, against the published value."""
    wrong, done = [], 0
    for row in rows:
        if row["verdict"] != "consistent" or row["from_memory"] == "true" or not is_covered(row):
            continue
        published, tolerance = float(row["published"]), float(row["test_tolerance"])
        got = COVERED[row["formula"]](json.loads(row["inputs_json"]), row["unit"])
        done += 1
        if got != pytest.approx(published, rel=tolerance):
            wrong.append(f"{row['id']}: {got} instead of {published} {row['unit']}")
    assert not wrong, "\n".join(wrong)
    usable = [row for row in rows if row["verdict"] == "consistent" and row["from_memory"] == "false"]
    assert (done, len(usable)) == (102, 121)


def test_all_covered_rows_give_the_recomputed_value(rows: list[dict[str, str]]) -> None:
    """To the six digits that the file prints, whatever the verdict: the model does what the formula says."""
    wrong, done = [], 0
    for row in rows:
        if not is_covered(row) or not row["recomputed"]:
            continue
        got = COVERED[row["formula"]](json.loads(row["inputs_json"]), row["unit"])
        done += 1
        if got != pytest.approx(float(row["recomputed"]), rel=6e-6):
            wrong.append(f"{row['id']}: {got} instead of {row['recomputed']} {row['unit']}")
    assert not wrong, "\n".join(wrong)
    assert done > 102


def test_inconsistent_rows_are_not_reproduced(rows: list[dict[str, str]]) -> None:
    """A source that contradicts its own inputs must not come out as published."""
    for row in rows:
        if row["verdict"] == "INCONSISTENT" and is_covered(row):
            got = COVERED[row["formula"]](json.loads(row["inputs_json"]), row["unit"])
            assert got != pytest.approx(float(row["published"]), rel=float(row["test_tolerance"])), row["id"]
