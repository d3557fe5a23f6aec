"""The electricity bill of a run by one delivered price; for a tariff with parts see `tco.estimation.costs.tariffs`."""

from __future__ import annotations

from tco import catalog
from tco.errors import EstimateError
from tco.estimation.case import Case
from tco.estimation.costs.capital import site_figure, wider
from tco.estimation.costs.money import Ledger
from tco.estimation.energy import Energies
from tco.formulas import cost as formulas
from tco.graph import Node
from tco.records.costs import Tariff
from tco.units import currency, parse_unit


def tariff_of(case: Case) -> Tariff | None:
    """The tariff with its parts that the site has, if it has one."""
    stated = case.site.electricity
    if isinstance(stated, str):
        from tco.catalog.prices import electricity_tariff

        return electricity_tariff(stated)
    return stated


def price_of_energy(case: Case, tariff: Tariff | None) -> Node | None:
    """A price in the currency of the tariff, which tells the currency of the report; None where none is known."""
    if tariff is None:
        return _flat_price(case)
    if case.graph.is_stated("site.tariff") or case.site.tariff is not None:
        raise EstimateError(
            "'site.tariff' and 'site.electricity' are both stated: the first is one delivered price, the second a "
            "tariff with its parts; give one of them"
        )
    if tariff.kind == "spot":
        _warn_of_spot(case, "the tariff of the site is a spot price")
    from tco.estimation.costs.tariffs import first_price

    return first_price(case, tariff)


def add_bill(case: Case, ledger: Ledger, energies: Energies, tariff: Tariff | None, price: Node | None) -> Node | None:
    """Add the lines of the electricity bill."""
    if price is None:
        return None
    if tariff is not None:
        from tco.estimation.costs.tariffs import add_parts

        return add_parts(case, ledger, energies, tariff)
    converted = ledger.price(price)
    assert converted is not None
    result = formulas.energy_cost(energies.facility, converted)
    return ledger.line("cost.energy", result, "Electricity", formulas.energy_cost, "amortised", [converted])


def _flat_price(case: Case) -> Node | None:
    name, unit, label = "site.tariff", "money/kWh", "Delivered price of electricity"
    node = site_figure(case, "tariff", unit, label)
    if node is not None:
        _warn_if_like_spot(case, node)
        return node
    if case.region is None:
        case.miss(
            "cost.energy", "no tariff is known without a place; give --region, or --set site.tariff='0.20 EUR/kWh'"
        )
        return None
    found = catalog.tariff(case.region.id, wider(case.region))
    if found is None:
        case.miss(
            "cost.energy",
            f"no tariff is known for {case.region.name}; give it, for instance --set site.tariff='0.20 EUR/kWh'",
        )
        return None
    figure, key = found
    if key != case.region.id:
        case.warn("tariff-of-parent", f"no tariff of {case.region.name} is known; that of {key} is taken", name)
    return case.figure(name, figure, unit, label, assumed=True, price_year=figure.price_year)


def _warn_if_like_spot(case: Case, node: Node) -> None:
    """Say so where a stated tariff is nearer, as a ratio, to the wholesale price of the place than to the delivered."""
    if case.region is None:
        return
    from tco.catalog.prices import wholesale

    spot = next((found for key in (case.region.id, *wider(case.region)) if (found := wholesale(key))), None)
    delivered = catalog.tariff(case.region.id, wider(case.region))
    if spot is None or delivered is None:
        return
    own = currency(node.quantity)
    unit = f"{own}/MWh"
    ends = []
    for figure in (spot, delivered[0]):
        money = currency(parse_unit(figure.unit))
        rate = catalog.exchange_rate(money or "", own or "")
        if rate is None:
            return
        ends.append(float(figure.quantity(f"{money}/MWh").magnitude) * rate.value)
    stated = float(node.quantity.m_as(parse_unit(unit)))
    if stated * stated < ends[0] * ends[1]:
        _warn_of_spot(
            case,
            f"{stated:.4g} {unit} is nearer to the wholesale price of the place ({ends[0]:.3g} {unit}, day-ahead, "
            f"{spot.price_year}) than to what customers pay there ({ends[1]:.3g} {unit}, {delivered[0].price_year})",
        )


def _warn_of_spot(case: Case, what: str) -> None:
    case.warn(
        "spot-price",
        f"{what}: grid fees, levies and the supplier's margin are not in a spot price; check that this is delivered",
        "site.tariff",
    )
