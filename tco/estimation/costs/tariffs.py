"""The electricity bill of a run by a tariff with its parts: energy, demand, fixed charges, levies."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tco import catalog
from tco.errors import EstimateError, ReadError
from tco.estimation.case import Case
from tco.estimation.costs.capital import paid_time, site_figure, system_figure
from tco.estimation.costs.money import Ledger
from tco.estimation.energy import Energies
from tco.estimation.hardware import duration, has_duration, node_count
from tco.formulas import cost as formulas
from tco.formulas import electricity
from tco.graph import Input, Node
from tco.grid_intensity.series import Floats
from tco.provenance import Source
from tco.records.costs import Block, Tariff, TariffPeriod
from tco.records.figure import Figure
from tco.units import Q, in_own_currency

#: Seconds by which hours of two periods may overlap and still be apart.
_APART = 1e-6


def _given(case: Case, tariff: Tariff, name: str, figure: Figure, unit: str, label: str) -> Node:
    """A figure of the tariff as an input, with the source and the year of the tariff where it has none of its own."""
    source = figure.source or tariff.source
    year = figure.price_year or (tariff.source.year if tariff.source else None)
    known = figure.model_copy(update={"source": source})
    node = case.figure(name, known, unit, label, assumed=False, price_year=year)
    bounds = catalog.plausible({"money/kWh": "tariff.energy", "money/(kW*month)": "tariff.demand"}.get(unit, name))
    fault = bounds.fault(node.quantity) if bounds is not None else None
    if fault:
        raise EstimateError(f"{name}: {fault}")
    return node


def first_price(case: Case, tariff: Tariff) -> Node:
    """Add the prices of energy of a tariff as inputs; the first of them tells its currency."""
    if tariff.energy is not None:
        return _given(case, tariff, "tariff.energy", tariff.energy, "money/kWh", "Price of energy")
    if tariff.hourly is not None:
        return _hourly(case, tariff)
    for period in tariff.periods:
        _period_prices(case, tariff, period)
    first = tariff.periods[0]
    return case.graph[_price_name(first, 0 if first.blocks else None)]


def add_parts(case: Case, ledger: Ledger, energies: Energies, tariff: Tariff) -> Node | None:
    """Add the lines of the bill; those that are paid whether energy is used or not say that they are ``standing``."""
    by_use = _energy_lines(case, ledger, energies, tariff)
    standing = _standing_lines(case, ledger, energies, tariff)
    if by_use is None or standing is None:
        case.miss_total("cost.energy", [line.line for line in case.missing if line.line.startswith("cost.energy.")])
        return None
    if tariff.levy_share is not None:
        share = case.figure("tariff.levy_share", tariff.levy_share, "1", "Levies over the bill", assumed=False)
        for name, group, words in (
            ("levies-on-energy", by_use, "Levies on the energy"),
            ("levies-on-demand", standing, "Levies on demand and fixed charges"),
        ):
            if not group:
                continue
            nodes = list(group.values())
            base = nodes[0]
            for node in nodes[1:]:
                base = base + node
            flag: dict[str, Any] = {"standing": True} if group is standing else {}
            result = electricity.levy(base, share)
            line = ledger.line(f"cost.energy.{name}", result, words, electricity.levy, "amortised", nodes, **flag)
            group[f"cost.energy.{name}"] = line
    parts: Mapping[str, Node | None] = {**by_use, **standing}
    return ledger.total("cost.energy", f"Electricity ({tariff.name or 'tariff of the site'})", parts, "amortised")


def _price_name(period: TariffPeriod, block: int | None) -> str:
    return f"tariff.{period.name}.price" if block is None else f"tariff.{period.name}.block{block + 1}.price"


def _period_prices(case: Case, tariff: Tariff, period: TariffPeriod) -> None:
    if period.price is not None:
        _given(case, tariff, _price_name(period, None), period.price, "money/kWh", f"Price of energy, {period.name}")
    for index, block in enumerate(period.blocks):
        label = f"Price of energy, {period.name}, block {index + 1}"
        _given(case, tariff, _price_name(period, index), block.price, "money/kWh", label)


def _energy_lines(case: Case, ledger: Ledger, energies: Energies, tariff: Tariff) -> dict[str, Node] | None:
    found: dict[str, Node] = {}

    def charge(name: str, energy: Node, price: Node, label: str) -> None:
        converted = ledger.price(price)
        assert converted is not None
        line = f"cost.energy.{name}"
        result = formulas.energy_cost(energy, converted)
        found[line] = ledger.line(line, result, label, formulas.energy_cost, "amortised", [converted])

    if not tariff.periods:
        name = "tariff.energy" if tariff.energy is not None else "tariff.mean_price"
        charge("use", energies.facility, case.graph[name], "Energy")
    else:
        shares = _shares(case, tariff)
        if shares is None:
            return None
        for period, share in zip(tariff.periods, shares, strict=True):
            energy = case.graph.line(
                f"tariff.{period.name}.energy",
                electricity.energy_in_period(energies.facility, share),
                "kWh",
                f"Energy, {period.name}",
                by=electricity.energy_in_period,
            )
            if not period.blocks:
                charge(period.name, energy, case.graph[_price_name(period, None)], f"Energy, {period.name}")
            elif not _blocks(case, tariff, period, energy, share, energies, charge):
                return None
    if tariff.levies is not None:
        price = _given(case, tariff, "tariff.levies", tariff.levies, "money/kWh", "Levies and grid fees by energy")
        charge("levies", energies.facility, price, "Levies and grid fees by energy")
    return found


def _blocks(
    case: Case, tariff: Tariff, period: TariffPeriod, energy: Node, share: Node, energies: Energies, charge: object
) -> bool:
    """The blocks of a period; False where the demand that sizes them is not known."""
    demand = _demand(case, energies)
    if demand is None or not has_duration(case):
        case.miss(f"cost.energy.{period.name}", _NEED_DEMAND)
        return False
    before = energy * 0
    for index, block in enumerate(period.blocks):
        inside, before = _in_block(case, period, index, block, energy, before, share, demand)
        label = f"Energy, {period.name}, block {index + 1}"
        line = case.graph.line(f"tariff.{period.name}.block{index + 1}.energy", inside, "kWh", label)
        assert callable(charge)
        charge(f"{period.name}-{index + 1}", line, case.graph[_price_name(period, index)], label)
    return True


def _in_block(
    case: Case, period: TariffPeriod, index: int, block: Block, energy: Node, before: Node, share: Node, demand: Node
) -> tuple[Node, Node]:
    """Energy of one block, and what this and the blocks before it hold."""
    if block.hours_of_use is None:
        return electricity.energy_beyond_blocks(energy, before), before
    hours = case.figure(
        f"tariff.{period.name}.block{index + 1}.hours", block.hours_of_use, "h", "Hours of use that the block holds",
        assumed=False,
    )  # fmt: skip
    month = case.graph.operate("same", Q(1.0, "month"))
    size = electricity.block_size(hours, demand, share, duration(case), month)
    return electricity.energy_in_block(energy, before, size), before + size


_NEED_DEMAND = (
    "it needs the power at the meter and a duration: --set site.peak_power='10 MW', or system.rating with nodes"
)


def _demand(case: Case, energies: Energies) -> Node | None:
    """Highest power of a month at the meter: stated, else what the nodes can reach."""
    name = "site.peak_power"
    if name in case.graph.named:
        return case.graph[name]
    label = "Highest power of a month at the meter"
    node = site_figure(case, "peak_power", "kW", label)
    if node is not None:
        return node
    rating = system_figure(case, "rating", "W", "Power to provision for one node")
    nodes = node_count(case)
    if rating is None or nodes is None:
        return None
    pue = case.graph.named.get("site.pue")
    factor = pue if pue is not None else energies.facility / energies.it
    result = electricity.peak_power(rating, nodes, factor)
    return case.graph.line(name, result, "kW", f"{label}: what the nodes can reach", by=electricity.peak_power)


def _standing_lines(case: Case, ledger: Ledger, energies: Energies, tariff: Tariff) -> dict[str, Node] | None:
    found: dict[str, Node] = {}
    if not tariff.demand and not tariff.fixed:
        return found
    time = paid_time(case)
    if time is None:
        case.miss("cost.energy.standing", "demand and fixed charges need a duration")
        return None
    for charge in tariff.demand:
        demand = _demand(case, energies)
        if demand is None:
            case.miss(f"cost.energy.{charge.name}", _NEED_DEMAND)
            return None
        price = ledger.price(
            _given(
                case, tariff, f"tariff.{charge.name}.price", charge.price, "money/(kW*month)",
                f"Price of power, {charge.name}",
            )
        )  # fmt: skip
        assert price is not None
        result = electricity.demand_charge(price, demand, time)
        line = f"cost.energy.{charge.name}"
        label = f"Charge for the highest power of the month, {charge.name}"
        found[line] = ledger.line(line, result, label, electricity.demand_charge, "amortised", [price], standing=True)
    if tariff.fixed:
        share = site_figure(case, "share", "1", "Share of the site that the nodes of the run are")
        if share is None:
            case.miss(
                "cost.energy.fixed", "the run's share of the site's fixed charges is not known; give --set site.share=1"
            )
            return None
        for index, figure in enumerate(tariff.fixed):
            price = ledger.price(
                _given(case, tariff, f"tariff.fixed{index + 1}", figure, "money/month", "Fixed charge")
            )
            assert price is not None
            result = electricity.fixed_charge(price, share, time)
            line = f"cost.energy.fixed-{index + 1}"
            found[line] = ledger.line(
                line, result, "Fixed charge", electricity.fixed_charge, "amortised", [price], standing=True
            )
    return found


# ---- time of use ----------------------------------------------------------------------------------------------------


def _shares(case: Case, tariff: Tariff) -> list[Node] | None:
    """Share of the energy in each period: stated, else by the hours of the run; the last one takes the rest."""
    *first, last = tariff.periods
    names = [f"tariff.{period.name}.share" for period in first]
    case.offered.update(names)
    unknown = [
        period for period, name in zip(first, names, strict=True)
        if period.share is None and not case.graph.is_stated(name)
    ]  # fmt: skip
    by_hours: dict[str, float] = {}
    if unknown:
        without = [period for period in unknown if not (period.hours or period.months or period.days != "all")]
        if without:
            case.miss(
                f"cost.energy.{without[0].name}",
                f"the hours of '{without[0].name}' are not in the tariff; give --set "
                f"tariff.{without[0].name}.share=0.15, the share of the energy in them",
            )
            return None
        by_hours = _shares_by_hours(case, tariff, unknown)
    shares = []
    for period, name in zip(first, names, strict=True):
        label = f"Share of the energy, {period.name}"
        if period.name in by_hours and not case.graph.is_stated(name):
            note = "by the hours of the run"
            shares.append(case.graph.input(name, Q(by_hours[period.name], "1"), "1", label, Input(note=note)))
        else:
            node = case.one_of(name, "1", label, stated=period.share)
            assert node is not None
            shares.append(node)
    name = f"tariff.{last.name}.share"
    if not shares:
        return [case.graph.input(name, Q(1.0, "1"), "1", "All of the energy")]
    rest = 1 - shares[0]
    for share in shares[1:]:
        rest = rest - share
    if float(rest.quantity.magnitude) < -_APART:
        raise EstimateError(f"the shares of {', '.join(names)} add up to more than 1")
    shares.append(case.graph.line(name, rest, "1", f"Share of the energy, {last.name}: the rest"))
    return shares


def _shares_by_hours(case: Case, tariff: Tariff, periods: list[TariffPeriod]) -> dict[str, float]:
    from tco.estimation.profile import power_over_time
    from tco.grid_intensity.stamps import zone_named

    if tariff.time_zone is None:
        raise EstimateError("a tariff with hours needs 'time_zone', for instance 'Europe/Berlin'")
    zone = zone_named(tariff.time_zone)
    profile, why_mean = power_over_time(case)
    if why_mean:
        case.warn(
            "mean-power", f"{why_mean}: its mean power is matched with the hours of the tariff", "site.electricity"
        )
    first = datetime.fromtimestamp(profile.begin, UTC).astimezone(zone).date()
    last = datetime.fromtimestamp(profile.end, UTC).astimezone(zone).date()
    days = [first + timedelta(days=offset) for offset in range((last - first).days + 1)]
    whole = float(profile.energy_in(np.array([profile.begin]), np.array([profile.end]))[0])
    shares, taken = {}, []
    for period in periods:
        windows: list[tuple[float, float]] = []
        for day in days:
            if period.months and day.month not in period.months:
                continue
            if (period.days == "weekdays" and day.weekday() > 4) or (period.days == "weekends" and day.weekday() < 5):
                continue
            midnight = datetime(day.year, day.month, day.day)
            for begin, end in period.hours or ((0.0, 24.0),):
                ends = [(midnight + timedelta(hours=hour)).replace(tzinfo=zone).timestamp() for hour in (begin, end)]
                windows.append((ends[0], ends[1]))
        edges = np.array(windows).reshape(-1, 2)
        taken.append((period.name, edges))
        energy = profile.energy_in(edges[:, 0], edges[:, 1]).sum() if len(edges) else 0.0
        shares[period.name] = float(energy) / whole if whole else 0.0
    _refuse_overlap(taken)
    return shares


def _refuse_overlap(taken: list[tuple[str, Floats]]) -> None:
    windows = sorted((float(begin), float(end), name) for name, edges in taken for begin, end in edges)
    for (_, end, name), (begin, _, other) in pairwise(windows):
        if begin < end - _APART:
            raise EstimateError(f"the tariff has hours that belong to '{name}' and to '{other}'")


def _hourly(case: Case, tariff: Tariff) -> Node:
    """Mean of an hourly price, weighted by the energy of the run: one measured input."""
    from tco.estimation.profile import power_over_time
    from tco.grid_intensity.formats.table import Table
    from tco.grid_intensity.series import Series, SeriesAbout, hours, match
    from tco.grid_intensity.stamps import instants, steps

    assert tariff.hourly is not None
    assert tariff.hourly_unit is not None
    path = case.site_folder / tariff.hourly
    unit = in_own_currency(Q(1.0, tariff.hourly_unit), "money/kWh")
    try:
        table = Table(Path(path).read_text(encoding="utf-8-sig"), str(path))
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror}") from None
    stamps = instants(table.column("time"), table.lines, f"{path}: column 'time'", tariff.time_zone)
    begin, end = steps(stamps, str(path))
    series = Series(begin, end, table.numbers("price"), SeriesAbout(path.name, file=str(path)))
    profile, why_mean = power_over_time(case)
    if why_mean:
        case.warn(
            "mean-power", f"{why_mean}: its mean power is matched with the prices of its time", "site.electricity"
        )
    found = match(series, profile)
    if found.missing_s > 0:
        case.warn(
            "price-gaps",
            f"{hours(found.missing_s)} of {hours(found.duration_s)} have no price; the mean of the rest stands",
            str(path),
        )
    note = (
        f"{found.steps} prices from {found.lowest:.4g} to {found.highest:.4g} {tariff.hourly_unit}, weighted by energy"
    )
    price = Q(found.intensity, tariff.hourly_unit)
    given = Input(source=tariff.source or Source(title=path.name), note=note)
    return case.graph.input("tariff.mean_price", price, unit, f"Price of energy: {note}", given)
