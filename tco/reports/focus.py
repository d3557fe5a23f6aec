"""FOCUS rows of an estimate: one row a part of the cost, with energy and emissions in columns of our own."""

from __future__ import annotations

import csv
import io
import tomllib
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from tco import __version__
from tco.errors import EstimateError
from tco.estimation.result import Estimate
from tco.knowledge import folder
from tco.reports.context import leaves
from tco.reports.tabular import as_text_cell
from tco.units import convert

Row = dict[str, str | float | None]


@lru_cache(maxsize=1)
def _about() -> dict[str, Any]:
    return tomllib.loads(folder("reports").joinpath("focus.toml").read_text(encoding="utf-8"))


def columns() -> tuple[str, ...]:
    """Columns in order: those of FOCUS by their names, then our own."""
    about = _about()
    return (*sorted([*about["mandatory"]["columns"], *about["also"]["columns"]]), *about["own"]["columns"])


def _period(estimate: Estimate) -> tuple[datetime, datetime]:
    """Beginning and end of the run as instants."""
    run = estimate.run
    begin = run.start_utc
    if begin is None:
        raise EstimateError(
            f"{estimate.where}: FOCUS rows are of a period, and the run says no 'start' with an offset or a time zone; "
            'write for instance "start": "2026-03-01T08:00:00Z"'
        )
    end = run.end_utc
    if end is None:
        elapsed = run.elapsed
        if elapsed is None:
            raise EstimateError(
                f"{estimate.where}: FOCUS rows are of a period, and the run has no 'end' and no 'duration'"
            )
        end = begin + timedelta(seconds=float(elapsed.m_as("s")))
    return begin, end


def _stamp(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _months(begin: datetime, end: datetime) -> tuple[datetime, datetime]:
    """The billing period: from the beginning of the first month to the end of the last, exclusive."""
    first = begin.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last = max(end.astimezone(UTC) - timedelta(seconds=1), begin).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    after = (last + timedelta(days=32)).replace(day=1)
    return first, after


def rows(estimate: Estimate) -> list[Row]:
    """The rows; they add up to ``cost.total``, and their energy and emissions to those of the estimate.

    Raises
    ------
    EstimateError
        If the run has no period, or the estimate no cost.
    """
    about, graph = _about(), estimate.graph
    if "cost.total" not in graph.named:
        estimate["cost.total"]  # says why it is missing
    begin, end = _period(estimate)
    months = _months(begin, end)
    total = graph["cost.total"]
    low_high = {node.name: graph.range_of(node.name) for node in leaves(estimate, "cost.total")}

    def in_unit(name: str, unit: str) -> float | None:
        node = graph.named.get(name)
        return None if node is None else float(convert(node.quantity, unit).magnitude)

    name = estimate.run.name or estimate.where
    who = {
        "BillingAccountId": "estimate", "BillingAccountName": None, "ProviderName": "own data centre",
        "PublisherName": "own data centre", "InvoiceIssuerName": "own data centre",
    }  # fmt: skip
    found: list[Row] = []
    parts = leaves(estimate, "cost.total")
    names = [part.name for part in parts]
    carriers = {key: line if line in names else names[0] for key, line in about["carries"].items()}
    if carriers["embodied"] not in names or not any(n.startswith("cost.hardware") for n in names):
        carriers["embodied"] = next((n for n in names if n.startswith("cost.hardware")), names[0])
    else:
        carriers["embodied"] = next(n for n in names if n.startswith("cost.hardware"))
    carriers["energy"] = next((n for n in names if n.startswith("cost.energy")), names[0])
    for part in parts:
        cost = float(convert(part.quantity, total.unit).magnitude)
        bought = part.name.startswith(tuple(about["amortised"]["prefixes"]))
        low, high = low_high[part.name]
        row: Row = dict.fromkeys(columns())
        row |= who
        row |= {
            "BillingCurrency": total.unit,
            "BillingPeriodStart": _stamp(months[0]), "BillingPeriodEnd": _stamp(months[1]),
            "ChargePeriodStart": _stamp(begin), "ChargePeriodEnd": _stamp(end),
            "BilledCost": 0.0 if bought else cost, "EffectiveCost": cost, "ContractedCost": cost, "ListCost": cost,
            "ChargeCategory": "Usage", "ChargeClass": None, "ChargeFrequency": "Usage-Based",
            "ChargeDescription": f"{part.label} ({part.facts.get('method', '')}), estimated",
            "PricingCategory": "Standard", "PricingQuantity": 1.0, "PricingUnit": "Runs",
            "ServiceCategory": "AI and Machine Learning", "ServiceName": "Compute run",
            "RegionId": estimate.region.id if estimate.region else None,
            "RegionName": estimate.region.name if estimate.region else None,
            "ResourceId": name, "ResourceName": name, "ResourceType": "run", "SkuId": part.name,
            "x_CostLine": part.name, "x_CostMethod": str(part.facts.get("method", "")),
            "x_CostLow": low, "x_CostHigh": high, "x_PriceYear": str(part.facts.get("price_year") or "") or None,
            "x_Estimated": "true", "x_Tool": f"tco {__version__}",
        }  # fmt: skip
        if part.name == carriers["energy"]:
            energy = in_unit("energy.facility", "kWh")
            row |= {
                "PricingQuantity": energy, "PricingUnit": "kWh", "ConsumedQuantity": energy, "ConsumedUnit": "kWh",
                "x_EnergyItKwh": in_unit("energy.it", "kWh"), "x_EnergyFacilityKwh": energy,
                "x_CarbonOperationalKgCo2e": in_unit("carbon.operational", "kgCO2e"),
                "x_CarbonOperationalMethod": _method(estimate),
                "x_CarbonMarketBasedKgCo2e": in_unit("carbon.market", "kgCO2e"),
                "x_WaterLitre": in_unit("water.site", "L"),
            }  # fmt: skip
        if part.name == carriers["embodied"]:
            row["x_CarbonEmbodiedKgCo2e"] = in_unit("carbon.embodied", "kgCO2e")
        found.append(row)
    return found


def _method(estimate: Estimate) -> str | None:
    node = estimate.graph.named.get("carbon.operational")
    if node is None:
        return None
    return ", ".join(str(node.facts[key]) for key in ("method", "basis") if node.facts.get(key))


def to_focus(estimate: Estimate) -> str:
    """FOCUS rows as CSV; a missing value is an empty cell."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns(), lineterminator="\n")
    writer.writeheader()
    for row in rows(estimate):
        writer.writerow(
            {
                name: "" if value is None else as_text_cell(value) if isinstance(value, str) else repr(value)
                for name, value in row.items()
            }
        )
    return buffer.getvalue()
