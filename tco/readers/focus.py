"""Billing data in the FOCUS format (versions up to 1.3), CSV or Parquet: hours, region, SKU and cost.

Money is added only within one kind of cost, category, currency, SKU and unit; credits of a provider are a currency of
their own.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.rows import Row
    from tco.records.run import Run, Warning_

_BILLED, _START, _END = "BilledCost", "ChargePeriodStart", "ChargePeriodEnd"
_KINDS = {
    "BilledCost": "billed",
    "EffectiveCost": "effective",
    "ContractedCost": "contracted",
    "ListCost": "list",
}
_IN_CREDITS = "PricingCurrencyEffectiveCost"
_PROVIDERS = ("ServiceProviderName", "ProviderName", "Provider", "PublisherName")
#: Columns that a version brought; the data themselves do not say which it is.
_SINCE = (("ServiceProviderName", "1.3"), ("PricingCurrency", "1.2"), ("InvoiceId", "1.2"))
_PARQUET = b"PAR1"
_HOURS = re.compile(r"(?:\w+[ -])?(?:hours?|hrs?|h)", re.IGNORECASE)
_MONEY = re.compile(r"(-?)[$€£¥]?(-?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?", re.ASCII)
_SHORT_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2}|\d{4})")
_MOST_GROUPS = 100_000


class Focus:
    """Reads a cost and usage data set of FOCUS."""

    name = "focus"
    title = "FOCUS cost and usage data (CSV or Parquet)"
    boundary = "none: it holds money and hours"

    def sniff(self, path: Path) -> float:
        """Whether the columns are those of FOCUS."""
        from tco.readers.blocks import first_bytes, first_line

        if first_bytes(path).startswith(_PARQUET):
            names = _parquet_names(path)
            return 1.0 if names and {_BILLED, _START} <= set(names) else 0.0
        names = [name.strip().strip('"') for name in first_line(path).split(",")]
        return 1.0 if {_BILLED, _START} <= set(names) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with all that was billed."""
        return [_run(path, _collected(path))]


def _parquet_names(path: Path) -> list[str] | None:
    try:
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError:
        return [_BILLED, _START]  # so that reading it says what is missing
    try:
        return list(parquet.read_schema(path).names)
    except Exception:  # whatever a damaged file makes of it, it is not ours
        return None


def _rows(path: Path) -> Iterator[Row]:
    from tco.readers.blocks import first_bytes
    from tco.readers.rows import rows

    if first_bytes(path).startswith(_PARQUET):
        return _parquet_rows(path)
    return rows(path, required=(_BILLED, _START, _END), most=None)


def _parquet_rows(path: Path) -> Iterator[Row]:
    from tco.errors import ReadError
    from tco.readers.rows import Row

    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise ReadError(
            f"{path}: is a Parquet file, which needs pyarrow: pip install 'tco-carbon[parquet]' (or export CSV)"
        ) from None
    try:
        with parquet.ParquetFile(path) as file:
            wanted = [name for name in file.schema_arrow.names if name in _WANTED]
            for name in (_BILLED, _START, _END):
                if name not in wanted:
                    raise ReadError(f"{path}: there is no column '{name}'")
            number = 0
            for batch in file.iter_batches(batch_size=10_000, columns=wanted):
                for record in batch.to_pylist():
                    number += 1
                    cells = {name: _cell(value) for name, value in record.items()}
                    yield Row(str(path), number, cells)
    except (arrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"{path}: is damaged, or not Parquet: {str(error).splitlines()[0][:200]}") from None


def _cell(value: Any) -> str:
    from datetime import datetime

    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="milliseconds") + ("" if value.tzinfo else "Z")
    return str(value)


class _Key(NamedTuple):
    kind: str
    category: str | None
    currency: str | None
    sku: str | None
    service: str | None
    provider: str | None
    region: str | None
    unit: str | None


class _Collected:
    """What the rows come to."""

    def __init__(self) -> None:
        self.costs: dict[_Key, list[float]] = {}
        self.quantities: dict[_Key, list[float]] = {}
        self.hours: dict[str, list[float]] = {}
        self.start: datetime | None = None
        self.end: datetime | None = None
        self.regions: dict[str, None] = {}
        self.names: dict[str, None] = {}
        self.rows = 0
        self.unused = 0.0
        self.lenient: list[str] = []
        self.undated: list[str] = []
        self.version: str | None = None


_WANTED = frozenset(
    {
        *_KINDS,
        *_PROVIDERS,
        _START,
        _END,
        _IN_CREDITS,
        "BillingCurrency",
        "BillingPeriodStart",
        "BillingPeriodEnd",
        "ChargeCategory",
        "CommitmentDiscountStatus",
        "ConsumedQuantity",
        "ConsumedUnit",
        "InvoiceId",
        "PricingCurrency",
        "PricingQuantity",
        "PricingUnit",
        "RegionId",
        "ResourceId",
        "ResourceName",
        "ServiceName",
        "SkuId",
        "SkuPriceId",
    }
)


def _collected(path: Path) -> _Collected:
    from tco.errors import ReadError

    found = _Collected()
    for row in _rows(path):
        found.rows += 1
        if found.rows == 1:
            found.version = next((version for name, version in _SINCE if name in row.cells), None)
        _add(found, row)
        if len(found.costs) > _MOST_GROUPS:
            raise ReadError(
                f"{path}: has more than {_MOST_GROUPS:,} kinds of charges (SKU, region ...); it is not the bill of one "
                "run: filter it"
            )
    if not found.rows:
        raise ReadError(f"{path}: has no rows")
    return found


def _add(found: _Collected, row: Row) -> None:
    used = row.text("ChargeCategory") in ("Usage", None) and row.text("CommitmentDiscountStatus") != "Unused"
    _add_times(found, row, used=used)
    unit, quantity = row.text("ConsumedUnit"), _amount(found, row, "ConsumedQuantity")
    if quantity is None:
        unit, quantity = row.text("PricingUnit"), _amount(found, row, "PricingQuantity")
    region = row.text("RegionId")
    if region:
        found.regions[region] = None
    resource = row.text("ResourceName") or row.text("ResourceId")
    if resource and len(found.names) < 2:
        found.names[resource] = None
    provider = next((text for name in _PROVIDERS if (text := row.text(name))), None)
    category = row.text("ChargeCategory")
    common = (category, row.text("SkuId") or row.text("SkuPriceId"), row.text("ServiceName"), provider, region, unit)
    currency = row.text("BillingCurrency")
    costs = [(kind, currency, _amount(found, row, column)) for column, kind in _KINDS.items()]
    priced = row.text("PricingCurrency")
    if priced and priced != currency:
        costs.append(("effective", priced, _amount(found, row, _IN_CREDITS)))
    for kind, money, cost in costs:
        if cost is None:
            continue
        key = _Key(kind, common[0], money, common[1], common[2], common[3], common[4], common[5])
        found.costs.setdefault(key, []).append(cost)
        if quantity is not None:
            found.quantities.setdefault(key, []).append(quantity)
        _shorten(found.costs[key])
        _shorten(found.quantities.get(key))
    if row.text("CommitmentDiscountStatus") == "Unused":
        found.unused += next((cost for kind, _, cost in costs if kind == "effective" and cost is not None), 0.0)
    elif unit and quantity and _HOURS.fullmatch(unit) and used:
        hours = found.hours.setdefault(row.text("ResourceId") or "", [])
        hours.append(quantity)
        _shorten(hours)


def _shorten(amounts: list[float] | None) -> None:
    """Keep the list of what is added up short."""
    if amounts is not None and len(amounts) > 4096:
        amounts[:] = [math.fsum(amounts)]


def _amount(found: _Collected, row: Row, column: str) -> float | None:
    """A number; one that is written as money is read too, and said to be none of FOCUS."""
    from tco.errors import ReadError

    text = row.text(column)
    if text is None:
        return None
    try:
        return row.number(column)
    except ReadError:
        match = _MONEY.fullmatch(text.strip())
        if match is None:
            raise
    if len(found.lenient) < 3:
        found.lenient.append(f"{row.place(column)}: '{text}'")
    number = float(match[3].replace(",", "") + (match[4] or ""))
    return -number if match[1] or match[2] else number


def _add_times(found: _Collected, row: Row, *, used: bool) -> None:
    """The span of what was used; the term of a purchase is not the time of a run."""
    start, end = _when(found, row, _START), _when(found, row, _END)
    if not used:
        return
    if start is not None:
        found.start = start if found.start is None else min(found.start, start)
    if end is not None:
        found.end = end if found.end is None else max(found.end, end)


def _when(found: _Collected, row: Row, column: str) -> datetime | None:
    """A time in UTC; a short date is read where the billing period shows how it is written."""
    from datetime import UTC, datetime

    from tco.readers.making import stamp

    text = row.text(column)
    if text is None:
        return None
    if _SHORT_DATE.fullmatch(text) is None:
        when = stamp(text, row.place(column))
        return when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    if len(found.undated) < 3:
        found.undated.append(f"{row.place(column)}: '{text}'")
    # billing periods begin on the first of a month, so that they show where the month stands
    ends = [_SHORT_DATE.fullmatch(row.text(f"BillingPeriod{edge}") or "") for edge in ("Start", "End")]
    month_first = all(one is not None and int(one[2]) == 1 for one in ends)
    day_first = all(one is not None and int(one[1]) == 1 for one in ends)
    match = _SHORT_DATE.fullmatch(text)
    if match is None or month_first == day_first:
        return None
    month, day = (int(match[1]), int(match[2])) if month_first else (int(match[2]), int(match[1]))
    year = int(match[3])
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def _run(path: Path, found: _Collected) -> Run:
    from tco.readers.making import evidence, make_run
    from tco.records.run import Tool

    hours = {resource: math.fsum(amounts) for resource, amounts in found.hours.items()}
    longest = max(hours.values(), default=0.0)
    region = next(iter(found.regions)) if len(found.regions) == 1 else None
    ordered = found.start is None or found.end is None or found.end >= found.start
    return make_run(
        str(path),
        name=next(iter(found.names)) if len(found.names) == 1 else path.stem,
        tool=Tool(name="focus", version=found.version),
        start=found.start if ordered else None,
        end=found.end if ordered and longest > 0 else None,  # else the period of the bill would pass for a run time
        duration={"value": longest, "unit": "hour"} if longest > 0 else None,
        location={"region": region} if region else None,
        bills=[_bill(key, found) for key in found.costs],
        provenance=evidence(path),
        warnings=list(_warnings(path, found, hours, ordered=ordered)),
    )


def _bill(key: _Key, found: _Collected) -> dict[str, Any]:
    amounts = found.quantities.get(key)
    return {
        "kind": key.kind,
        "value": math.fsum(found.costs[key]),
        "currency": key.currency,
        "category": key.category,
        "quantity": math.fsum(amounts) if amounts else None,
        "quantity_unit": key.unit if amounts else None,
        "sku": key.sku,
        "service": key.service,
        "provider": key.provider,
        "region": key.region,
    }


def _warnings(path: Path, found: _Collected, hours: dict[str, float], *, ordered: bool) -> Iterator[Warning_]:
    from tco.records.run import Warning_

    def _warning(code: str, message: str) -> Warning_:
        return Warning_(code=code, message=message, where=str(path))

    yield _warning("no-energy", "a bill has no energy; state the devices, a power or an energy for an estimate of them")
    if found.lenient:
        yield _warning(
            "not-to-specification", f"FOCUS writes plain numbers; read all the same: {'; '.join(found.lenient)}"
        )
    if found.undated:
        read = "read where the billing period shows the order"
        yield _warning("not-to-specification", f"FOCUS writes ISO 8601 times; {read}: {'; '.join(found.undated)}")
    if not ordered:
        yield _warning("times", f"the charges end ({found.end}) before they begin ({found.start}); neither is used")
    currencies = sorted({str(key.currency) for key in found.costs if key.currency})
    if len(currencies) > 1:
        yield _warning("currencies", f"amounts in {', '.join(currencies)} stand side by side and are not added")
    if any(key.currency is None for key in found.costs):
        yield _warning("no-currency", "some amounts have no BillingCurrency; their currency is not known")
    if found.unused:
        yield _warning(
            "unused-commitment", f"{found.unused:g} of the effective cost is of commitments that went unused"
        )
    if len(hours) > 1:
        yield _warning(
            "several-resources", f"{len(hours)} resources were used by the hour; the duration is the longest"
        )


READER = Focus()
