"""Market-based emissions: what contracts convey, and a residual factor for the rest; beside the location-based ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tco.errors import EstimateError, ReadError
from tco.estimation.case import Case
from tco.estimation.energy import Energies
from tco.formulas import grid as formulas
from tco.graph import Input, Node
from tco.provenance import Source
from tco.records.site import Contract
from tco.units import Q

if TYPE_CHECKING:
    from tco.grid_intensity.series import Floats, Load

METHOD = "market-based"
#: What rounding may add to a full cover.
_ROUNDING = 1e-9


class _Hourly:
    """Loads and deliveries on the steps of all supplies together; what one contract took is gone for the next."""

    def __init__(self, case: Case) -> None:
        from tco.estimation.profile import power_over_time

        self.profile: Load
        self.profile, why = power_over_time(case)
        if why:
            case.warn("mean-power", f"{why}: its mean power is matched with the deliveries", "contracts")
        self.left: tuple[Floats, Floats] | None = None

    def shares(
        self, start: Floats, end: Floats, delivered_kwh: Floats, energy_kwh: float, name: str
    ) -> tuple[float, float]:
        """Share of the load that a delivery covers step by step, and by its sum over the run."""
        begin, finish = self.profile.begin, self.profile.end
        if start[0] > begin or end[-1] < finish:
            raise EstimateError(f"contract '{name}': its supply does not hold the whole time of the run")
        total = float(self.profile.energy_until(np.array([finish]))[0])
        if total <= 0:
            return 0.0, 0.0
        load = self.profile.energy_in(start, end) / total * energy_kwh
        inside = (np.clip(end, begin, finish) - np.clip(start, begin, finish)) / (end - start)
        supply = delivered_kwh * inside
        if self.left is not None:
            edges, left = self.left
            if len(edges) != len(start) or (edges != start).any():
                raise EstimateError("two hourly contracts have supplies on different steps; bring them to one")
            free = left
        else:
            free = load
        taken = np.minimum(free, supply)
        self.left = (start, free - taken)
        return float(taken.sum()) / energy_kwh, float(supply.sum()) / energy_kwh


def add_market(case: Case, energies: Energies) -> None:
    """Add the market-based lines, where the site has contracts or a residual factor."""
    site = case.site
    if site.contracts or site.residual is not None or case.graph.is_stated("grid.residual"):
        _add_contracts(case, energies)
    offsets = case.one_of("site.offsets", "kgCO2e", "Emissions compensated elsewhere", stated=site.offsets)
    if offsets is not None:
        case.graph.line(
            "carbon.offsets", offsets, "kgCO2e", "Compensated elsewhere: a memo, in no total", method="memo"
        )


def _add_contracts(case: Case, energies: Energies) -> None:
    facility, contracts = energies.facility, case.site.contracts
    hourly = _Hourly(case) if any(contract.supply for contract in contracts) else None
    covered = [(contract, *_share(case, contract, facility, hourly)) for contract in contracts]
    total_share = sum(share.value for _, share, _ in covered)
    if total_share > 1 + _ROUNDING:
        raise EstimateError(
            f"the contracts of the site cover {100 * total_share:.4g} % of the energy of the run: at most 100 % can be "
            "claimed"
        )
    parts = [
        _line(
            case,
            f"carbon.market.{contract.name}",
            formulas.contract_carbon(facility, share, _conveyed(case, contract)),
            f"Market-based: {contract.kind.upper()} {contract.name}, matched by the "
            f"{'hour' if contract.supply else 'year'}",
        )
        for contract, share, _ in covered
    ]
    if total_share < 1 - _ROUNDING:
        residual = case.one_of(
            "grid.residual",
            "gCO2e/kWh",
            "Residual factor of the grid, for what no contract covers",
            stated=case.site.residual,
        )
        if residual is None:
            raise EstimateError(
                f"the contracts of the site cover {100 * total_share:.4g} % of the energy, and no residual factor is "
                "given for the rest: state 'residual' in the site record (published residual mix of the grid). The "
                "grid average is not taken: it holds what others have bought"
            )
        claimed = _sum([share for _, share, _ in covered]) if covered else case.graph.operate("same", Q(0, "1"))
        rest = formulas.uncovered(claimed)
        parts.append(
            _line(
                case,
                "carbon.market.residual",
                formulas.contract_carbon(facility, rest, residual),
                "Market-based: what no contract covers",
            )
        )
    case.graph.total(
        "carbon.market", parts, "kgCO2e", "Emissions of the electricity by contracts, beside carbon.operational",
        stage="use", scope=2, method=METHOD,
    )  # fmt: skip
    _add_carbon_free(case, covered)


def _line(case: Case, name: str, result: Node, label: str) -> Node:
    return case.graph.line(
        name, result, "kgCO2e", label, by=formulas.contract_carbon, stage="use", scope=2, method=METHOD
    )


def _conveyed(case: Case, contract: Contract) -> Node:
    name = f"contract.{contract.name}.intensity"
    return case.figure(name, contract.intensity, "gCO2e/kWh", f"Factor that {contract.name} conveys", assumed=False)


def _share(case: Case, contract: Contract, facility: Node, hourly: _Hourly | None) -> tuple[Node, Node]:
    """Share of the energy that a contract covers as it is matched, and by its volume."""
    name, label = f"contract.{contract.name}", f"Share of the energy that {contract.name} covers"
    if contract.share is not None:
        share = case.figure(f"{name}.share", contract.share, "1", label, assumed=False)
        return share, share
    if contract.energy is not None:
        delivered = case.figure(f"{name}.energy", contract.energy, "kWh", f"Delivery of {contract.name}", assumed=False)
        share = case.graph.line(
            f"{name}.share", formulas.share_of_energy(delivered, facility), "1", label, by=formulas.share_of_energy
        )
        return share, share
    assert hourly is not None
    assert contract.supply is not None
    file = case.site_folder / contract.supply
    start, end, delivered_kwh = _supply(file, contract)
    by_hour, by_volume = hourly.shares(start, end, delivered_kwh, float(facility.quantity.m_as("kWh")), contract.name)
    given = Input(source=Source(title=contract.supply), note="matched step by step with the power of the run")
    return (
        case.graph.input(f"{name}.share", Q(by_hour, "1"), "1", f"{label}, step by step", given),
        case.graph.input(
            f"{name}.volume", Q(by_volume, "1"), "1", f"Delivery of {contract.name} over the energy", given
        ),
    )


def _supply(file: Path, contract: Contract) -> tuple[Floats, Floats, Floats]:
    from tco.grid_intensity.formats.options import Reading
    from tco.grid_intensity.formats.table import read_supply

    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ReadError(f"contract '{contract.name}': there is no file '{file}' (relative to the site file)") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{file}: is not UTF-8 text (byte {error.start})") from None
    return read_supply(text.replace("\r\n", "\n"), str(file), Reading(zone=contract.time_zone))


def _add_carbon_free(case: Case, covered: list[tuple[Contract, Node, Node]]) -> None:
    """Carbon-free share by the hour and by the year, side by side."""
    free = [entry for entry in covered if entry[0].carbon_free]
    if not free:
        return
    by_year = case.graph.operate("minimum", _sum([volume for _, _, volume in free]), Q(1, "1"))
    case.graph.line(
        "energy.carbon_free_annual", by_year, "1", "Carbon-free share of the energy, by yearly volume", method=METHOD
    )
    by_hour = [share for contract, share, _ in free if contract.supply is not None]
    if len(by_hour) < len(free):
        names = ", ".join(contract.name for contract, _, _ in free if contract.supply is None)
        case.miss("energy.carbon_free_hourly", f"{names} is matched by the year; give its 'supply' by the hour")
        return
    case.graph.line(
        "energy.carbon_free_hourly", _sum(by_hour), "1", "Carbon-free share of the energy, hour by hour", method=METHOD
    )


def _sum(nodes: list[Node]) -> Node:
    total = nodes[0]
    for node in nodes[1:]:
        total = total + node
    return total
