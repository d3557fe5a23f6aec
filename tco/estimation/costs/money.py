"""Money in one currency and at one price level; cost lines, which all say their method, currency and price year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tco import catalog
from tco.errors import EstimateError
from tco.estimation.case import Case
from tco.estimation.costs.choice import METHODS, Method
from tco.formulas import cost as formulas
from tco.graph import Graph, Input, Node
from tco.records.costs import PriceIndex
from tco.units import Q, currency

#: What a price whose year nobody gave is said to be of.
STATED = "stated"


def cost_facts(
    method: Method, money: str, years: Iterable[str], *, real: bool = False, index: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What every cost line says of itself; there is no cost without a method.

    Raises
    ------
    ValueError
        If the method is none of those there are.
    """
    if method not in METHODS:
        raise ValueError(f"a cost needs a method, one of {', '.join(METHODS)}; found {method!r}")
    known = sorted(set(years))
    year: int | str | None = " and ".join(known) or None
    if len(known) == 1 and known[0].isdigit():
        year = int(known[0])
    facts: dict[str, Any] = {"method": method, "currency": money, "price_year": year}
    facts["terms"] = "real" if real or index else "nominal"
    if index:
        facts |= {"index": index["name"], "index_vintage": index["vintage"]}
    return facts


class Ledger:
    """Prices on their way into cost lines: converted where that is allowed, their years remembered.

    Parameters
    ----------
    case
        The case.
    money
        ISO code of the currency that costs are reported in.
    """

    def __init__(self, case: Case, money: str) -> None:
        self.case = case
        self.money = money
        self._years: dict[int, frozenset[str]] = {}
        self._prices: dict[str, Node] = {}
        self._index = _index(case)
        self.target, self.index_facts = _target(case, self._index)

    # ---- prices -----------------------------------------------------------------------------------------------------

    def price(self, node: Node | None) -> Node | None:
        """A price, or money, in the currency and at the price level of the report."""
        if node is None:
            return None
        if node.name in self._prices:
            return self._prices[node.name]
        year = node.facts.get("price_year")
        date = STATED if year is None else str(year)
        result = node
        if self.target is not None:
            result = formulas.repriced(result, self._level(node, None if year is None else str(year)), self.target)
            date = self.index_facts["date"]
        own = currency(node.quantity)
        if own != self.money:
            result = formulas.exchanged(result, self._rate(node, own or ""))
        self._years[result.index] = frozenset({date})
        self._prices[node.name] = result
        return result

    def same_years(self, part: Node, of: Node) -> None:
        """Say that a part of a price is of the same year as the price."""
        self._years[part.index] = self._years[of.index]

    def years_of(self, nodes: Iterable[Node]) -> frozenset[str]:
        """Price years of prices and lines."""
        return frozenset().union(*(self._years.get(node.index, frozenset()) for node in nodes))

    def _rate(self, priced: Node, own: str) -> Node:
        """Exchange rate for a price; one that the user stated is never converted at a rate that nobody stated."""
        case, name, unit = self.case, f"fx.{own.lower()}_{self.money.lower()}", f"{self.money}/{own}"
        label = f"{self.money} for one {own}"
        case.offered.add(name)
        if case.graph.is_stated(name):
            return case.graph.input(name, None, unit, label)
        if case.cost.fx_date is not None:
            from tco.catalog.prices import historic_rate

            figure = historic_rate(own, self.money, case.cost.fx_date)
            return case.figure(name, figure, unit, label, assumed=False, date=case.cost.fx_date.isoformat())
        current = catalog.exchange_rate(own, self.money)
        known = (
            ""
            if current is None
            else f" (for instance '{current.quantity(unit).magnitude:.4f} {unit}': {current.source})"
        )
        if current is None or not (priced.given and priced.given.assumed):
            raise EstimateError(
                f"{priced.name} is in {own} and the cost is in {self.money}, and no exchange rate is stated: give "
                f"--set {name}='... {unit}'{known}, --fx-date, or choose --currency {own}"
            )
        return case.figure(name, current, unit, label, assumed=True)

    def _level(self, priced: Node, date: str | None) -> Node:
        """Level of the price index at the date of a price."""
        case, graph, index = self.case, self.case.graph, self._index
        if graph.is_stated("index.base"):
            return graph.input("index.base", None, "1", "Price index at the date of the prices")
        assert index is not None
        base = case.cost.price_base or case.site.price_base
        when = date or base
        if base is not None and date is not None and index.level(date) is None:
            case.warn(
                "index-base",
                f"the price index '{index.name}' has no level for {date}, of which {priced.name} is: it is taken to be "
                f"of {base}",
                priced.name,
            )
            when = base
        own = currency(priced.quantity)
        if own != index.currency:
            raise EstimateError(
                f"{priced.name} is in {own}, and the price index '{index.name}' follows prices in {index.currency}; "
                "leave the index out, or state the price in its currency"
            )
        if when is None:
            raise EstimateError(
                f"{priced.name} does not say of which date its money is, so '{index.name}' cannot move it; give the "
                "date of such prices: --price-base 2023-03"
            )
        return _level(case, index, when)

    # ---- lines ------------------------------------------------------------------------------------------------------

    def line(
        self,
        name: str,
        result: Node,
        label: str,
        by: Callable[..., Any] | None,
        method: Method,
        of: Sequence[Node],
        *,
        unit: str = "money",
        real: bool = False,
        **facts: Any,
    ) -> Node:
        """Name a cost.

        Parameters
        ----------
        name, result, label, by, unit
            As in `tco.graph.Graph.line`.
        method
            The method that it is a cost by.
        of
            The prices and lines that it comes from: they tell its price years.
        real
            Whether it is in constant prices although no index moved them: annuities and present values.
        facts
            What else it says of itself.
        """
        years = self.years_of(of)
        about = cost_facts(method, self.money, years, real=real, index=self.index_facts or None)
        node = self.case.graph.line(name, result, unit, label, by=by, **about, **facts)
        self._years[node.index] = years
        return node

    def total(
        self,
        name: str,
        label: str,
        parts: Mapping[str, Node | None],
        method: Method,
        *,
        real: bool = False,
        **facts: Any,
    ) -> Node | None:
        """A cost that is the sum of others; missing where one of them is."""
        nodes = [node for node in parts.values() if node is not None]
        if len(nodes) < len(parts):
            self.case.miss_total(name, [part for part, node in parts.items() if node is None])
            return None
        years = self.years_of(nodes)
        about = cost_facts(method, self.money, years, real=real, index=self.index_facts or None)
        node = self.case.graph.total(name, nodes, "money", label, **about, **facts)
        self._years[node.index] = years
        return node


def _index(case: Case) -> PriceIndex | None:
    if case.cost.price_index is not None:
        from tco.catalog.prices import price_index

        return price_index(case.cost.price_index)
    return case.site.price_index


def _level(case: Case, index: PriceIndex, date: str) -> Node:
    level = index.level(date)
    if level is None:
        dates = sorted(index.levels)
        raise EstimateError(
            f"the price index '{index.name}' has no level for '{date}' (it runs from {dates[0]} to {dates[-1]}); write "
            "a month as 2024-12, a whole year as 2024"
        )
    assumed = case.cost.price_index is not None
    given = Input(source=index.source, assumed=assumed, note=f"{index.title or index.name}, {index.vintage}")
    label = f"Price index '{index.name}', {date}"
    return case.graph.input(f"index.{date}", Q(level, "1"), "1", label, given, index_vintage=index.vintage)


def _target(case: Case, index: PriceIndex | None) -> tuple[Node | None, dict[str, str]]:
    """Level of the index at the price level of the report, and what lines say of the index."""
    graph, names = case.graph, ("index.base", "index.target")
    case.offered.update(names)
    stated = [name for name in names if graph.is_stated(name)]
    if stated:
        if len(stated) < len(names):
            missing = next(name for name in names if name not in stated)
            raise EstimateError(f"'{stated[0]}' needs '{missing}' beside it: two levels of one vintage of one index")
        if index is not None:
            raise EstimateError(f"'index.base' and 'index.target' are stated beside the price index '{index.name}'")
        node = graph.input("index.target", None, "1", "Price index at the price level of the result")
        return node, {"name": "as stated", "vintage": "as stated", "date": "index.target"}
    date = case.cost.price_date or case.site.price_date
    if index is None:
        if date is not None:
            raise EstimateError(f"the price level of '{date}' needs a price index: --price-index, or 'price_index'")
        return None, {}
    if date is None:
        raise EstimateError(
            f"the price index '{index.name}' needs the date whose price level is wanted: --price-date 2024-12"
        )
    return _level(case, index, date), {"name": index.name, "vintage": index.vintage, "date": date}


def check_costs(graph: Graph) -> None:
    """Refuse a line of money that does not say its method and currency: there is no such cost.

    Raises
    ------
    ValueError
        Naming the line.
    """
    for node in graph.lines():
        money = currency(node.quantity)
        if money is None or not node.name.startswith("cost."):
            continue
        if not node.facts.get("method") or node.facts.get("currency") != money:
            raise ValueError(f"'{node.name}' is a cost without its method or currency")
