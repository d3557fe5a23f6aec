"""InferenceX, the AI Energy Score, and bills in the FOCUS format."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import tco
from tco.errors import ReadError
from tco.readers import read
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]
FOCUS = "facts/neighbours/samples"


def codes(run: Run) -> set[str]:
    return {warning.code for warning in run.warnings}


# ---- InferenceX: two GPUs of 220 and 320 W for 10 s, as in its own test (utils/test_aggregate_power.py)

VALID: dict[str, Any] = {
    "hw": "h200-nv_0",
    "model": "some/model",
    "framework": "vllm",
    "precision": "fp8",
    "conc": 64,
    "is_multinode": False,
    "tp": 2,
    "pp": 1,
    "tput_per_gpu": 150.0,
    "output_tput_per_gpu": 50.0,
    "input_tput_per_gpu": 100.0,
    "power_metric_schema_version": 2,
    "power_valid": 1,
    "avg_power_w": 270.0,
    "avg_total_gpu_power_w": 540.0,
    "total_gpu_energy_j": 5400.0,
    "joules_per_input_token": 2.7,
    "joules_per_output_token": 5.4,
    "joules_per_total_token": 1.8,
    "joules_per_successful_query": 540.0,
}


def inferencex(file: Write, **changes: Any) -> Run:
    data = {key: value for key, value in {**VALID, **changes}.items() if value is not None}
    (run,) = read(file("agg_result.json", json.dumps(data)))
    return run


def test_a_valid_measurement(file: Write) -> None:
    run = inferencex(file)
    (energy,) = run.energy
    assert (energy.value, energy.unit, energy.boundary) == (5400.0, "J", "gpu_board")
    assert run.validity == "valid"
    assert run.duration is not None
    assert run.duration.m_as("s") == pytest.approx(10)
    assert [(d.model, d.count) for d in run.devices] == [("H200", 2)]
    work = {(w.quantity, w.basis): w.value for w in run.work}
    assert work == pytest.approx(
        {("tokens", "input"): 2000, ("tokens", "output"): 1000, ("tokens", "total"): 3000, ("requests", None): 10}
    )
    assert ("power_metric_schema_version", 2.0) in {(one.name, one.value) for one in run.results}


def test_an_invalid_measurement_is_withheld(file: Write) -> None:
    run = inferencex(file, power_valid=0, power_invalid_reasons=["sampling_gap_exceeded"])
    assert run.energy == ()
    assert run.validity == "invalid"
    assert not [one for one in run.results if one.unit in ("J", "W")]
    (warning,) = [warning for warning in run.warnings if warning.code == "invalid-result"]
    assert "(sampling_gap_exceeded); its energy is not read" in warning.message
    rates = {w.basis: w.rate and w.rate.m_as("1/s") for w in run.work}
    assert rates == {"total": 300.0, "output": 100.0, "input": 200.0}


def test_a_result_from_before_the_verdict(file: Write) -> None:
    run = inferencex(file, power_valid=None, power_metric_schema_version=None)
    assert run.validity is None
    assert len(run.energy) == 1  # one node: the whole deployment in every version
    assert "not-validated" in codes(run)


@pytest.mark.parametrize(("schema", "parts"), [(None, True), (1, True), (3, False), (3, True)])
def test_an_energy_of_which_it_is_not_plain_whose_it_is(file: Write, schema: int | None, parts: bool) -> None:
    run = inferencex(file, power_metric_schema_version=schema, is_multinode=parts)
    assert run.energy == ()
    assert "schema-version" in codes(run)


def test_a_deployment_in_parts(file: Write) -> None:
    parts = {"prefill_gpu_energy_j": 2000.0, "decode_gpu_energy_j": 3400.0, "num_prefill_gpu": 1, "num_decode_gpu": 1}
    run = inferencex(file, is_multinode=True, disagg=True, **parts)
    assert run.energy[0].value == 5400.0  # not 10800 with its parts
    assert "parts-differ" not in codes(run)
    assert "parts-differ" in codes(inferencex(file, is_multinode=True, **{**parts, "decode_gpu_energy_j": 1.0}))


def test_rows_of_the_api_are_runs(file: Write) -> None:
    metrics = {key: VALID[key] for key in VALID if "power" in key or "joules" in key or "energy" in key}
    row = {"hardware": "b200", "framework": "trt", "metrics": metrics}
    runs = read(file("rows.json", json.dumps([row, row])))
    assert [run.energy[0].value for run in runs] == [5400.0, 5400.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"power_valid": 2}, r"agg_result\.json: 'power_valid' is 2; 1, 0 or nothing is expected"),
        ({"total_gpu_energy_j": "much"}, r"'total_gpu_energy_j': 'much' is not a number"),
        ({"total_gpu_energy_j": -1}, r"'total_gpu_energy_j': -1 is below 0, which cannot be"),
        ({"avg_total_gpu_power_w": True}, r"'avg_total_gpu_power_w': true is not a number"),
    ],
)
def test_results_that_cannot_be(file: Write, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadError, match=message):
        inferencex(file, **change)


# ---- AI Energy Score: the example of its documentation

SUMMARY = {
    "units": "Wh",
    "total": 125.4,
    "format": "ai_energy_benchmarks",
    "preprocess_wh": 0.0,
    "prefill_wh": 0.0,
    "decode_wh": 125.4,
}


def test_a_summary(file: Write) -> None:
    (run,) = read(file("GPU_ENERGY_SUMMARY.json", json.dumps(SUMMARY)))
    (energy,) = run.energy
    assert (energy.value, energy.unit, energy.boundary) == (125.4, "Wh", "gpu_board")
    assert {one.name: one.value for one in run.results}["energy of decode"] == 125.4
    assert codes(run) == {"no-work"}


def test_phases_that_do_not_add_up(file: Write) -> None:
    (run,) = read(file("GPU_ENERGY_SUMMARY.json", json.dumps({**SUMMARY, "decode_wh": 100.0})))
    assert run.energy[0].value == 125.4
    assert "parts-differ" in codes(run)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"units": "kWh"}, r"'units' is 'kWh', 'Wh' is expected"), ({"total": None}, r"has no 'total'")],
)
def test_summaries_that_cannot_be(file: Write, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("GPU_ENERGY_SUMMARY.json", json.dumps({**SUMMARY, **change})))


# ---- FOCUS: facts/neighbours/samples/MANIFEST.csv


def amounts(run: Run) -> dict[tuple[str, str | None], float]:
    return {(bill.kind, bill.currency): bill.value for bill in run.bills}


def test_an_upfront_purchase_that_breaks_the_specification(shared: Path) -> None:
    (run,) = read(shared / FOCUS / "focus_1.2_saas_upfront.csv")
    assert amounts(run)["billed", "USD"] == 10000
    assert "not-to-specification" in codes(run)
    assert run.duration is None  # the year that was bought is not the time of a run
    assert run.elapsed is None
    assert {bill.category for bill in run.bills} == {"Purchase"}


def test_a_commitment_that_went_unused(shared: Path) -> None:
    (run,) = read(shared / FOCUS / "focus_1.2_commitment_unused.csv")
    assert amounts(run) == {("billed", None): 0.0, ("effective", None): 1.0}
    assert {bill.quantity for bill in run.bills} == {None}  # the text null is no number
    assert {"unused-commitment", "no-currency"} <= codes(run)
    assert run.name == "<my-commitment-discount-id>"


def test_credits_are_a_currency_of_their_own(shared: Path, file: Write) -> None:
    (run,) = read(shared / FOCUS / "focus_1.2_virtual_currency.csv")
    assert amounts(run)["billed", "USD"] == 200000
    assert (run.bills[0].quantity, run.bills[0].quantity_unit) == (100000, "Token")
    head, row = HOURS.splitlines()[:2]
    text = f"{head},PricingCurrency,PricingCurrencyEffectiveCost\n{row},GPU credits,500\n"
    (run,) = read(file("bill.csv", text))
    assert amounts(run)["effective", "GPU credits"] == 500
    assert amounts(run)["effective", "USD"] == 20.0
    assert "currencies" in codes(run)


HOURS = (
    "BilledCost,EffectiveCost,ListCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,"
    "ConsumedQuantity,ConsumedUnit,RegionId,ResourceId,SkuId,ServiceProviderName\n"
    "25.0,20.0,30.0,USD,2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,Usage,1,Hours,us-east-1,i-1,p5.48xlarge,Cloud\n"
    "25.5,20.5,30.5,USD,2026-01-01T01:00:00Z,2026-01-01T02:00:00Z,Usage,1,Hours,us-east-1,i-1,p5.48xlarge,Cloud\n"
    "-5.0,-5.0,,USD,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,Credit,,,,,,Cloud\n"
)


def test_hours_region_sku_and_cost_of_a_rental(file: Write) -> None:
    (run,) = read(file("bill.csv", HOURS))
    usage = {bill.kind: bill for bill in run.bills if bill.category == "Usage"}
    assert {kind: bill.value for kind, bill in usage.items()} == {"billed": 50.5, "effective": 40.5, "list": 60.5}
    assert (usage["billed"].quantity, usage["billed"].quantity_unit) == (2, "Hours")
    assert (usage["billed"].sku, usage["billed"].provider) == ("p5.48xlarge", "Cloud")
    assert {bill.value for bill in run.bills if bill.category == "Credit"} == {-5.0}
    assert run.duration is not None
    assert run.duration.m_as("hour") == pytest.approx(2)
    assert run.location is not None
    assert run.location.region == "us-east-1"
    assert run.start is not None
    assert run.end is not None
    assert (run.start.isoformat(), run.end.isoformat()) == ("2026-01-01T00:00:00+00:00", "2026-01-01T02:00:00+00:00")
    assert run.tool is not None
    assert run.tool.version == "1.3"


def test_a_bill_with_devices_can_be_estimated(file: Write) -> None:
    (run,) = read(file("bill.csv", HOURS))
    record = json.loads(run.to_json())
    record["devices"] = [{"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": 8}]
    assert tco.estimate(file("run.json", json.dumps(record)), region="us").value("energy.facility", "kWh") > 1


def test_parquet_is_read_as_csv_is(tmp_path: Path, file: Write) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = arrow.table(
        {
            "BilledCost": [Decimal("25.00"), Decimal("25.50")],
            "BillingCurrency": ["USD", "USD"],
            "ChargePeriodStart": [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in (0, 1)],
            "ChargePeriodEnd": [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in (1, 2)],
            "ChargeCategory": ["Usage", "Usage"],
            "ConsumedQuantity": [1.0, None],
            "ConsumedUnit": ["Hours", None],
            "ResourceId": ["i-1", "i-1"],
            "Tags": [[("a", "b")], None],
        }
    )
    parquet.write_table(table, tmp_path / "bill.parquet")
    (run,) = read(tmp_path / "bill.parquet")
    assert sum(bill.value for bill in run.bills) == 50.5
    assert run.duration is not None
    assert run.duration.m_as("hour") == pytest.approx(1)
    raw = (tmp_path / "bill.parquet").read_bytes()
    with pytest.raises(ReadError, match=r"cut\.parquet"):
        read(file("cut.parquet", raw[: len(raw) // 2]), as_="focus")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "25.0,20.0",
            "25 dollars,20.0",
            r"bill\.csv:2: column 'BilledCost': '25 dollars' (has the unit|is not a number)",
        ),
        ("2026-01-01T00:00:00Z", "1st of January", r":2: column 'ChargePeriodStart': '1st of January' is not a time"),
        ("ChargePeriodEnd", "ChargePeriodStop", r":1: there is no column 'ChargePeriodEnd'; did you mean"),
    ],
)
def test_bills_that_cannot_be(file: Write, old: str, new: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("bill.csv", HOURS.replace(old, new, 1)))
