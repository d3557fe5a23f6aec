"""The estimate of one bid: energy and carbon of a run that lasts the whole horizon, cost from the bid's own prices."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from tco import catalog, grid_intensity
from tco.bids.naming import slugs
from tco.bids.records import BOUGHT, Bid, Category, Entry, PriceLine, Tender
from tco.errors import EstimateError
from tco.estimation.carbon import add_carbon, add_water
from tco.estimation.case import Case
from tco.estimation.costs.bills import add_bill, price_of_energy, tariff_of
from tco.estimation.costs.choice import Method
from tco.estimation.costs.methods import CONVENTION
from tco.estimation.costs.money import Ledger
from tco.estimation.energy import Energies
from tco.estimation.readings import Group, Reading
from tco.estimation.result import Estimate
from tco.estimation.site import add_pue
from tco.formulas import award, finance, score
from tco.formulas import energy as energy_formulas
from tco.formulas import work as work_formulas
from tco.graph import Input, Node
from tco.provenance import Source
from tco.records.base import load
from tco.records.figure import Figure
from tco.records.run import Run
from tco.records.site import Site
from tco.records.system import System
from tco.units import Q, currency

METHOD: Method = "cash-flow NPV"
_WORDS: dict[Category, str] = {
    "hardware": "Nodes", "network": "Network between the nodes", "storage": "Storage", "racks": "Racks with power",
    "installation": "Installation", "software": "Software, bought", "other": "Other, bought",
    "maintenance": "Maintenance", "support": "Support", "licences": "Software licences", "staff": "Staff",
    "services": "Other services",
}  # fmt: skip
_RECORD_FILES = (".toml", ".json")


class Flag(NamedTuple):
    """Something that a buyer should see in a bid: the code, the line or field, and what it is."""

    code: str
    where: str
    message: str


class Offer(NamedTuple):
    """A bid with its estimate.

    Attributes
    ----------
    bid, file
        The bid and where it was read.
    estimate
        Its graph: ``cost.npv.total`` is the whole-life cost, ``score.improvement`` the scaled improvement.
    flags
        What a buyer should see.
    omitted
        Benchmarks of the tender that it has no figure for.
    """

    bid: Bid
    file: str
    estimate: Estimate
    flags: tuple[Flag, ...]
    omitted: tuple[str, ...]


class _Builder:
    """Builds the graph of one bid."""

    def __init__(self, tender: Tender, bid: Bid, entry: Entry, folder: Path) -> None:
        self.tender, self.bid, self.entry = tender, bid, entry
        self.flags: list[Flag] = []
        site = tender.site if isinstance(tender.site, Site) else Site()
        place = tender.region or site.region
        run = Run.model_construct(name=bid.bidder, warnings=(), devices=(), work=(), power=(), energy=())
        self.case = Case(
            run=run,
            system=_system(bid, folder / entry.file),
            site=site,
            region=None if place is None else grid_intensity.resolve(place),
            where=entry.file,
            stated=tender.inputs,
            year=tender.year,
            currency=tender.currency,
            site_folder=folder,
        )
        self.case.system_assumed = bid.system is None or Path(bid.system).suffix not in _RECORD_FILES
        self.graph = self.case.graph
        self.horizon = self._of_tender("run.duration", tender.horizon, "year", "How long the system serves")
        self.share = self._of_tender("tender.utilisation", tender.utilisation, "1", "Share of the time under load")
        self.nodes = self._of_bid("run.nodes_charged", bid.nodes, "1", "Nodes offered")
        self.graph.line(
            "run.life_share", self.graph.operate("same", Q(1.0, "1")), "1",
            "Share of the life of the hardware that is charged to the tender: all of it",
        )  # fmt: skip

    def _of_tender(self, name: str, figure: Figure, unit: str, label: str) -> Node:
        return self._input(name, figure, unit, label, f"tender '{self.tender.name}'")

    def _of_bid(self, name: str, figure: Figure, unit: str, label: str) -> Node:
        return self._input(name, figure, unit, label, self.entry.file)

    def _input(self, name: str, figure: Figure, unit: str, label: str, title: str) -> Node:
        self.case.offered.add(name)
        given = figure.given(unit, assumed=False)
        if given.source is None:
            given = Input(
                given.low, given.high, Source(title=title), False, given.note, given.distribution, given.samples
            )
        return self.graph.input(name, figure.quantity(unit), unit, label, given)

    def build(self) -> Offer:
        """All lines, in the order in which they rest on each other."""
        omitted = self._score()
        energies = self._energy()
        if energies is not None:
            add_carbon(self.case, energies)
            add_water(self.case, energies)
        self._cost(energies)
        self._per_work()
        self._limits()
        for name, mark in self.entry.marks.items():
            source = Input(source=Source(title=f"tender '{self.tender.name}'"), note="mark of the jury")
            self.graph.input(f"marks.{name}", Q(mark, "1"), "1", f"Mark of the jury: {name}", source)
        self._flags_of_offer()
        self.graph.check_all_stated_used(sorted(self.case.offered))
        group = Group("node_ac", 4, (_reading(energies),)) if energies is not None else None
        estimate = Estimate(self.case, [group] if group is not None else [])
        return Offer(self.bid, self.entry.file, estimate, tuple(self.flags), omitted)

    # ---- useful work ------------------------------------------------------------------------------------------------

    def _score(self) -> tuple[str, ...]:
        tender = self.tender
        short = slugs(each.name for each in tender.benchmark)
        offered = {each.name: each for each in self.bid.benchmarks}
        for name in offered:
            if name not in short:
                raise EstimateError(
                    f"{self.entry.file}: benchmark '{name}' is not in the tender (there: {', '.join(short)})"
                )
        logs: list[Node] = []
        weights: list[Node] = []
        omitted = []
        for benchmark in tender.benchmark:
            own, key = offered.get(benchmark.name), short[benchmark.name]
            weight = self._of_tender(f"benchmark.{key}.weight", benchmark.weight, "1", f"Weight of {benchmark.name}")
            unit = f" [{benchmark.unit}]" if benchmark.unit else ""
            reference = self._of_tender(
                f"benchmark.{key}.reference", benchmark.reference, "1", f"{benchmark.name} of the reference{unit}"
            )
            if own is None:
                omitted.append(benchmark.name)
                self.flags.append(Flag("benchmark-omitted", benchmark.name, "no figure is offered"))
                continue
            if not own.committed:
                self.flags.append(Flag("projected", benchmark.name, "a projection, to which the bidder is not bound"))
            figure = self._of_bid(f"benchmark.{key}.figure", own.figure, "1", f"{benchmark.name} offered{unit}")
            gain = self.graph.line(
                f"score.gain.{key}", score.gain(figure, reference), "1", f"{benchmark.name} over the reference",
                by=score.gain,
            )  # fmt: skip
            logs.append(score.log_gain(gain, weight))
            weights.append(weight)
        if not tender.benchmark:
            return ()
        if not logs or (omitted and tender.omission == "refuse"):
            self.case.miss("score.improvement", f"no figure is offered for {', '.join(omitted)}")
            return tuple(omitted)
        assert tender.reference_nodes is not None
        nodes = self._of_tender("reference.nodes", tender.reference_nodes, "1", "Nodes of the reference system")
        result = score.scaled_improvement(self.nodes, nodes, _sum(logs), _sum(weights))
        words = f", without {', '.join(omitted)}" if omitted else ""
        improvement = self.graph.line(
            "score.improvement", result, "1", f"Throughput over that of the reference system{words}",
            by=score.scaled_improvement, method="weighted geometric mean",
        )  # fmt: skip
        self.graph.line(
            "work.reference_time", award.reference_time(improvement, self.horizon, self.share), "year",
            "Useful work: time that the reference system would need for it", by=award.reference_time,
        )  # fmt: skip
        return tuple(omitted)

    # ---- energy -----------------------------------------------------------------------------------------------------

    def _energy(self) -> Energies | None:
        bid, graph = self.bid, self.graph
        if bid.power is None:
            self.case.miss("energy.it", "the bid does not say the power of a node under load ('power')")
            self.flags.append(Flag("missing", "power", "no power of a node: energy and its cost cannot be told"))
            return None
        load = self._of_bid("bid.power", bid.power, "W", "Power of one node under load")
        if bid.idle_power is None:
            idle = load
            if self.tender.utilisation.value < 1:
                self.flags.append(
                    Flag("missing", "idle_power", "no idle power: the power under load is taken all the time")
                )
        else:
            idle = self._of_bid("bid.idle_power", bid.idle_power, "W", "Power of one node when nothing runs")
        mean = graph.line(
            "power.mean", award.mixed_power(load, idle, self.share), "W", "Mean power of one node over its life",
            by=award.mixed_power,
        )  # fmt: skip
        it = graph.line(
            "energy.it", energy_formulas.energy_of_mean_power(mean, self.nodes, self.horizon), "kWh",
            "Energy of the IT equipment over its life", by=energy_formulas.energy_of_mean_power, boundary="node_ac",
        )  # fmt: skip
        pue = add_pue(self.case, "Power usage effectiveness of the site")
        facility = graph.line(
            "energy.facility", energy_formulas.facility_energy(it, pue), "kWh", "Energy at the utility meter",
            by=energy_formulas.facility_energy,
        )  # fmt: skip
        return Energies(it, facility, {}, [])

    # ---- cost -------------------------------------------------------------------------------------------------------

    def _cost(self, energies: Energies | None) -> None:
        case, bid = self.case, self.bid
        priced = [line for line in bid.prices if line.unit_price is not None]
        tariff = tariff_of(case) if energies is not None else None
        energy_price = price_of_energy(case, tariff) if energies is not None else None
        found = [currency(line.unit_price.quantity(_unit(line))) for line in priced if line.unit_price is not None]
        money = case.currency or next((code for code in found if code), None)
        if money is None and energy_price is not None:
            money = currency(energy_price.quantity)
        if not bid.prices:
            self.flags.append(Flag("missing", "prices", "the bid has no prices"))
            case.miss("cost.npv.total", "the bid has no prices")
            return
        assert money is not None or not priced
        if money is None:
            case.miss("cost.npv.total", "no price line has a price")
            return
        ledger = Ledger(case, money)
        worth = self._worth()
        lines = self._price_lines(ledger, worth)
        bill = self._bill(ledger, energies, tariff, energy_price, worth)
        bought: dict[str, Node | None] = {f"cost.npv.{name}": lines[name] for name in BOUGHT if name in lines}
        paid: dict[str, Node | None] = {f"cost.npv.{n}": node for n, node in lines.items() if n not in BOUGHT}
        paid = {"cost.npv.energy": bill, **paid} if energies is not None else {"energy.it": None, **paid}
        unpriced = [line for line in bid.prices if line.unit_price is None and not line.option]
        missing = [name for name in self.tender.required if name not in lines]
        for name in missing:
            self.flags.append(
                Flag("missing", name, "the tender asks for this category, and the bid has no price for it")
            )
            case.miss(f"cost.npv.{name}", f"the bid has no price for '{name}', which the tender asks for")
            (bought if name in BOUGHT else paid)[f"cost.npv.{name}"] = None
        for line in unpriced:
            self.flags.append(Flag("missing", line.item, "the line has no price"))
            if line.category not in missing:
                case.miss(f"cost.npv.{line.category}", f"the line '{line.item}' has no price")
                (bought if line.category in BOUGHT else paid)[f"cost.npv.{line.category}"] = None
        about: dict[str, Any] = {"real": True, "convention": CONVENTION}
        parts: dict[str, Node | None] = {}
        for total, label, members in (
            ("cost.npv.capex", "What is bought", bought),
            ("cost.npv.opex", "What is paid over the horizon, present value", paid),
        ):
            if members:
                parts[total] = ledger.total(total, label, members, METHOD, **about)
        ledger.total("cost.npv.total", "Whole-life cost", parts, METHOD, **about)

    def _worth(self) -> Node:
        tender, graph = self.tender, self.graph
        figure = tender.discount_rate
        finance_of_site = self.case.site.finance
        if figure is None and finance_of_site is not None:
            figure = finance_of_site.rate
        if figure is not None:
            rate = self._of_tender("finance.rate", figure, "1/year", "Real discount rate")
        else:
            note = Input(note="the tender states no rate: nothing is discounted")
            rate = graph.input("finance.rate", Q(0.0, "1/year"), "1/year", "Real discount rate", note)
        period = graph.input(
            "finance.period", Q(1.0, "year"), "year", "How often is paid and compounded", Input(note="every year")
        )
        result = finance.mean_present_worth(rate, self.horizon, period)
        return graph.line(
            "finance.worth", result, "1", "Mean present worth of what is paid over the horizon",
            by=finance.mean_present_worth,
        )  # fmt: skip

    def _price_lines(self, ledger: Ledger, worth: Node) -> dict[str, Node]:
        """The sum of the lines of each category, in the currency of the tender, present value."""
        short = slugs(line.item for line in self.bid.prices)
        by_category: dict[str, list[Node]] = {}
        for line in self.bid.prices:
            self._flags_of_line(line, ledger.money)
            if line.unit_price is None:
                continue
            key, unit = f"price.{short[line.item]}", _unit(line)
            facts = {"price_year": line.price_base or None, "category": line.category, "item": line.item}
            given = line.unit_price.given(unit, assumed=False)
            if given.source is None:
                given = Input(
                    given.low, given.high, Source(title=self.entry.file, where=line.item), False, given.note,
                    given.distribution, given.samples,
                )  # fmt: skip
            price = self.graph.input(
                f"{key}.unit_price", line.unit_price.quantity(unit), unit, f"{line.item}: unit price", given,
                **{name: value for name, value in facts.items() if value is not None},
            )  # fmt: skip
            quantity = self._of_bid(f"{key}.quantity", line.quantity, "1", f"{line.item}: quantity")
            if line.option:
                continue
            amount = award.offered(quantity, self._in_currency(ledger, price))
            if line.category not in BOUGHT:
                amount = award.over_horizon(amount, self.horizon, worth)
            by_category.setdefault(line.category, []).append(amount)
        years = sorted({line.price_base for line in self.bid.prices if line.price_base}) or ["stated"]
        named: dict[str, Node] = {}
        for category, words in _WORDS.items():
            amounts = by_category.get(category)
            if not amounts:
                continue
            node = ledger.line(
                f"cost.npv.{category}",
                _sum(amounts),
                words,
                award.offered if category in BOUGHT else award.over_horizon,
                METHOD,
                [],
                real=True,
                convention=CONVENTION,
            )
            node.facts = {**node.facts, "price_year": " and ".join(years)}
            named[category] = node
        return named

    def _in_currency(self, ledger: Ledger, price: Node) -> Node:
        """The price in the currency of the tender, at the rate that the tender states or the catalogue has."""
        own = currency(price.quantity)
        if own == ledger.money or own is None:
            return price
        name, unit = f"fx.{own.lower()}_{ledger.money.lower()}", f"{ledger.money}/{own}"
        figure = catalog.exchange_rate(own, ledger.money)
        rate = self.case.one_of(name, unit, f"{ledger.money} for one {own}", stated=figure, assumed=True)
        if rate is None:
            raise EstimateError(
                f"{self.entry.file}: prices in {own}, the tender in {ledger.money}, and no exchange rate is known; "
                f"state it in the tender: [inputs] '{name}' = '... {unit}'"
            )
        return price * rate

    def _bill(
        self, ledger: Ledger, energies: Energies | None, tariff: object, price: Node | None, worth: Node
    ) -> Node | None:
        if energies is None:
            return None
        bill = add_bill(self.case, ledger, energies, tariff, price)  # type: ignore[arg-type]
        if bill is None:
            return None
        return ledger.line(
            "cost.npv.energy", finance.discounted(bill, worth), "Electricity over the horizon, present value",
            finance.discounted, METHOD, [bill], real=True, convention=CONVENTION,
        )  # fmt: skip

    # ---- what else is asked -----------------------------------------------------------------------------------------

    def _per_work(self) -> None:
        graph = self.graph
        work = graph.named.get("work.reference_time")
        if work is None:
            return
        for name, unit in (
            ("cost.npv.total", "money/year"), ("energy.facility", "kWh/year"), ("carbon.total", "kgCO2e/year"),
            ("carbon.operational", "kgCO2e/year"),
        ):  # fmt: skip
            node = graph.named.get(name)
            if node is not None:
                graph.line(
                    f"{name}.per_reference_year", work_formulas.per_work(node, work), unit,
                    f"{node.label}, per year of the reference system", by=work_formulas.per_work,
                    **{key: value for key, value in node.facts.items() if key != "parts"},
                )  # fmt: skip

    def _limits(self) -> None:
        """Lines that the limits of the tender are held against."""
        bid, graph = self.bid, self.graph
        each = bid.rating or bid.power
        if each is not None:
            words = "Power to provision" if bid.rating is not None else "Power under load"
            power = self._of_bid("bid.rating", each, "W", f"{words} of one node")
            graph.line("power.provisioned", power * self.nodes, "kW", f"{words} of all nodes")
        if bid.floor_area is not None:
            self._of_bid("bid.floor_area", bid.floor_area, "m**2", "Floor of the whole system")

    def _flags_of_line(self, line: PriceLine, money: str) -> None:
        own = None if line.unit_price is None else currency(line.unit_price.quantity(_unit(line)))
        if own is not None and own != money:
            self.flags.append(Flag("currency", line.item, f"the price is in {own}, the tender in {money}"))
        if line.terms == "indexed":
            clause = f": {line.index}" if line.index else ""
            fixed = line.category in self.tender.fixed
            words = "an index clause where the tender asks for a fixed price" if fixed else "an index clause"
            self.flags.append(Flag("index-not-allowed" if fixed else "indexed", line.item, words + clause))
        if line.option:
            self.flags.append(Flag("option", line.item, "an option: shown, not counted"))
        if line.vat_included:
            self.flags.append(Flag("vat", line.item, "the price holds value-added tax; compare prices without it"))
        last = self.tender.limits.delivery
        if last is not None and line.delivery is not None and line.delivery > last:
            self.flags.append(Flag("late", line.item, f"delivery on {line.delivery}, after {last}"))

    def _flags_of_offer(self) -> None:
        tender, bid = self.tender, self.bid
        _compare_dates(self.flags, "validity", "valid_until", bid.valid_until, tender.valid_until)
        if tender.limits.delivery is not None:
            if bid.delivery is None:
                self.flags.append(
                    Flag("missing", "delivery", f"no day of delivery; the tender asks for {tender.limits.delivery}")
                )
            elif bid.delivery > tender.limits.delivery:
                self.flags.append(Flag("late", "delivery", f"{bid.delivery}, after {tender.limits.delivery}"))


def _compare_dates(flags: list[Flag], code: str, where: str, has: date | None, needs: date | None) -> None:
    if needs is None:
        return
    if has is None:
        flags.append(
            Flag("missing", where, f"the bid does not say until when it is valid; the tender asks for {needs}")
        )
    elif has < needs:
        flags.append(Flag(code, where, f"valid until {has}; the tender asks for {needs}"))


def _unit(line: PriceLine) -> str:
    return "money" if line.category in BOUGHT else "money/year"


def _sum(nodes: list[Node]) -> Node:
    result = nodes[0]
    for node in nodes[1:]:
        result = result + node
    return result


def _reading(energies: Energies) -> Reading:
    return Reading("node_ac", energies.it.quantity, 3, "power", None, None)


def _system(bid: Bid, file: Path) -> System | None:
    """The hardware record of a bid, without the catalogue's prices: the bid has its own."""
    if bid.system is None:
        return None
    path = Path(bid.system)
    system = load(System, file.parent / path) if path.suffix in _RECORD_FILES else catalog.system(bid.system)
    return system.model_copy(update={"price": None, "accelerator_price": None, "rental_price": None})


def offer(tender: Tender, bid: Bid, entry: Entry, folder: Path) -> Offer:
    """The estimate of a bid.

    Parameters
    ----------
    tender, bid
        What is asked for, and what is offered.
    entry
        The entry of the bid in the tender: its file and its marks.
    folder
        Where the tender lies; files are relative to it.
    """
    return _Builder(tender, bid, entry, folder).build()
