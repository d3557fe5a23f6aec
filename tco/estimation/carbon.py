"""The carbon and water part of an estimate: electricity, and the share of the hardware."""

from __future__ import annotations

from tco import catalog
from tco.errors import EstimateError
from tco.estimation.case import Case, Charged
from tco.estimation.energy import Energies
from tco.estimation.grid import Intensity, add_intensity
from tco.estimation.hardware import life_share, node_count
from tco.estimation.site import site_figure
from tco.formulas import carbon as formulas
from tco.formulas import embodied, grid, water
from tco.graph import Input, Node
from tco.provenance import Source
from tco.records.system import Part, System
from tco.units import Q

#: Inputs of the market-based part, which is loaded where a site has some.
_OF_MARKET = ("grid.residual", "site.offsets")


def add_carbon(case: Case, energies: Energies) -> None:
    """Add the carbon lines to the graph of a case."""
    intensity = add_intensity(case)
    operational = None if intensity is None else _operational(case, energies, intensity)
    losses = None if intensity is None else _grid_losses(case, energies, intensity)
    embodied_total = _embodied(case)
    if operational is not None and embodied_total is not None:
        case.graph.total(
            "carbon.total",
            [operational, *([] if losses is None else [losses]), embodied_total],
            "kgCO2e",
            "Emissions, electricity and hardware",
            method="location-based",
        )
    else:
        parts = {"carbon.operational": operational, "carbon.embodied": embodied_total}
        case.miss_total("carbon.total", [part for part, node in parts.items() if node is None])
    site = case.site
    case.offered.update(_OF_MARKET)
    if site.contracts or site.residual or site.offsets or any(case.graph.is_stated(name) for name in _OF_MARKET):
        from tco.estimation.market import add_market

        add_market(case, energies)


def _grid_losses(case: Case, energies: Energies, intensity: Intensity) -> Node | None:
    """Emissions of what is lost between the plants and the meter, where the user states the losses."""
    losses = case.one_of(
        "site.grid_losses", "1", "Lost between plants and meter, over energy generated", stated=case.site.grid_losses
    )
    if losses is None:
        return None
    if losses.value >= 1:
        raise EstimateError(f"site.grid_losses: {losses.value:g} is not below 1; write 0.05 for 5 %")
    return case.graph.line(
        "carbon.grid_losses",
        grid.grid_loss_carbon(energies.facility, intensity.node, losses),
        "kgCO2e",
        "Emissions of the electricity lost on the way to the meter",
        by=grid.grid_loss_carbon,
        stage="use",
        scope=3,
        method="location-based",
        basis=intensity.basis or "as stated",
    )


def _operational(case: Case, energies: Energies, intensity: Intensity) -> Node:
    basis, factor = intensity.basis, intensity.node
    facts = {
        "stage": "use",
        "scope": "2+3" if basis == "lifecycle" else 2,
        "method": "location-based",
        "basis": basis or "as stated",
    }
    name, label = "carbon.operational", "Emissions of the electricity"
    if not energies.facility_by_phase:
        result = formulas.operational_carbon(energies.facility, factor)
        return case.graph.line(name, result, "kgCO2e", label, by=formulas.operational_carbon, **facts)
    parts = [
        case.graph.line(
            f"{name}.{phase}",
            formulas.operational_carbon(energy, factor),
            "kgCO2e",
            f"{label}, {phase}",
            by=formulas.operational_carbon,
            **facts,
        )
        for phase, energy in energies.facility_by_phase.items()
    ]
    return case.graph.total(name, parts, "kgCO2e", label, **facts)


def _embodied(case: Case) -> Node | None:
    name, system = "carbon.embodied", case.system
    if system is None:
        case.miss(name, "the hardware is not known; name it with --system (list: tco hardware list)")
        return None
    if not system.parts:
        case.miss(name, f"the hardware record '{system.name}' has no parts with embodied carbon")
        return None
    nodes, share = node_count(case), life_share(case)
    charged, whole = _charged(case, system)
    if not charged:
        return None
    if nodes is None or share is None:
        what = "'nodes' or 'devices'" if nodes is None else "a duration"
        case.miss(name, f"{case.where} needs {what}")
        return None
    lines, phases, methods = [], [], []
    for part, in_a_node, piece, facts in charged:
        count = case.graph.input(
            f"system.{part}.count",
            Q(in_a_node, "1"),
            "1",
            f"{part} in a node",
            Input(source=Source(title=f"hardware record '{system.name}'")),
        )
        phases.append(facts["phase"])
        methods.append(facts["method"])
        lines.append(
            case.graph.line(
                f"{name}.{part}",
                embodied.allocated(piece, count, nodes, share),
                "kgCO2e",
                f"Embodied carbon of the {part.replace('-', ' ')}",
                by=embodied.allocated,
                stage="manufacturing",
                scope=3,
                **facts,
            )
        )
    return case.graph.total(
        name,
        lines,
        "kgCO2e",
        "Embodied carbon of the hardware, the run's share",
        stage="manufacturing",
        scope=3,
        boundary=whole,
        phase=" / ".join(dict.fromkeys(phases)),
        method="; ".join(dict.fromkeys(methods)),
    )


def _charged(case: Case, system: System) -> tuple[list[Charged], str]:
    """The parts of a node and their boundary together; none, and the reason noted, where one of them is not known."""
    if case.embodied_method is not None:
        from tco.estimation.embodied import charged_by_method

        return charged_by_method(case, system, case.embodied_method)
    charged = []
    for part in system.parts:
        found = _piece(case, part, system)
        if found is None:
            case.miss(
                "carbon.embodied",
                f"nothing is known of the part '{part.name}' of '{system.name}'; state --set "
                f"system.{part.name}.embodied='... kgCO2e' (of one piece)",
            )
            return [], ""
        charged.append(Charged(part.name, part.count, *found))
    boundaries = list(dict.fromkeys(part.facts["boundary"] for part in charged))
    modules = "module" in boundaries and any(part.component is not None for part in system.parts)
    if "host" in boundaries or "node" in boundaries or modules:
        return charged, "node"
    return charged, "+".join(boundaries)


def _piece(case: Case, part: Part, system: System) -> tuple[Node, dict[str, str]] | None:
    """Embodied carbon of one piece of a part, and what it counts; None where nothing is known of it."""
    name = f"system.{part.name}"
    figure, title, assumed = part.embodied, part.name, case.system_assumed
    stated = case.graph.is_stated(f"{name}.embodied")
    if part.accelerator is not None:
        record = catalog.accelerator(part.accelerator)
        figure, title, assumed = record.embodied, record.name, True
        if figure is None and not stated:
            memory = case.one_of(f"{name}.memory", "GB", f"Memory of one {title}", stated=record.memory, assumed=True)
            if memory is None:
                return None
            per_capacity = case.figure(
                "embodied.hbm", catalog.factor("hbm"), "kgCO2e/GB", "Stacked memory, per capacity", assumed=True
            )
            board = case.figure(
                "embodied.board_without_memory",
                catalog.factor("board_without_memory"),
                "kgCO2e",
                "Accelerator board without its memory",
                assumed=True,
            )
            facts = {"boundary": "board", "phase": "cradle-to-gate", "method": "HBM-aware estimate"}
            return embodied.board_with_memory(memory, per_capacity, board), facts
    if part.component is not None and figure is None and not stated:
        from tco.estimation.embodied import charged_by_kind

        return charged_by_kind(case, system, part)
    if part.die is not None and not stated:
        area = case.figure(f"{name}.area", part.die.area, "cm**2", f"Area of one {title}", assumed=assumed)
        per_area = case.figure(
            f"{name}.per_area", part.die.per_area, "kgCO2e/cm**2", "Emissions per area", assumed=assumed
        )
        good = case.figure(f"{name}.yield", part.die.yield_, "1", "Share of good dies", assumed=assumed)
        return embodied.die_carbon(area, per_area, good), _facts(part.die.per_area.boundary or "die", "area of the die")
    if part.memory is not None and not stated:
        capacity = case.figure(
            f"{name}.capacity", part.memory.capacity, "GB", f"Capacity of one {title}", assumed=assumed
        )
        per = case.figure(
            f"{name}.per_capacity", part.memory.per_capacity, "gCO2e/GB", "Emissions per capacity", assumed=assumed
        )
        good = (
            case.figure(f"{name}.yield", part.memory.yield_, "1", "Share of good dies", assumed=assumed)
            if part.memory.yield_ is not None
            else case.graph.input(f"{name}.yield", Q(1, "1"), "1", "Share of good dies (in the factor)")
        )
        return embodied.memory_carbon(capacity, per, good), _facts("module", "capacity")
    node = case.one_of(f"{name}.embodied", "kgCO2e", f"Embodied carbon of one {title}", stated=figure, assumed=assumed)
    if node is None:  # a gap of the record, which nobody filled
        return None
    return node, {
        "boundary": (figure.boundary if figure else None) or "not stated",
        "phase": (figure.phase if figure else None) or "not stated",
        "method": (figure.method if figure else None) or "as published",
    }


def _facts(boundary: str, method: str) -> dict[str, str]:
    return {"boundary": boundary, "phase": "cradle-to-gate", "method": method}


def add_water(case: Case, energies: Energies) -> None:
    """Add the water lines, where the site states what they need, and the heat that the site gives away."""
    wue = site_figure(case, "site.wue", "wue", "L/kWh", "Water usage effectiveness of the site", case.site.wue)
    if wue is not None:
        case.graph.line("water.site", water.site_water(energies.it, wue), "L", "Water on site", by=water.site_water)
    source = case.one_of(
        "site.source_water", "L/kWh", "Water at the power plants per energy at the meter", stated=case.site.source_water
    )
    if source is not None:
        used = water.source_water(energies.facility, source)
        case.graph.line("water.source", used, "L", "Water at the power plants", by=water.source_water)
    reuse = case.one_of(
        "site.heat_reuse",
        "1",
        "Energy given to others as heat, over the energy of the facility",
        stated=case.site.heat_reuse,
    )
    if reuse is not None:
        case.graph.line(
            "energy.reused",
            grid.reused_heat(energies.facility, reuse),
            "kWh",
            "Given to others as heat: a memo, lowers no emission here",
            by=grid.reused_heat,
            method="memo",
        )
