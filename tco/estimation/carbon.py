"""The carbon and water part of an estimate: electricity, and the share of the hardware."""

from __future__ import annotations

from tco import catalog, grid_intensity
from tco.estimation.case import Case
from tco.estimation.energy import Energies
from tco.estimation.hardware import life_share, node_count
from tco.formulas import carbon as formulas
from tco.formulas import embodied, water
from tco.graph import Input, Node
from tco.provenance import Source
from tco.records.system import Part
from tco.units import Q

NO_REGION = "the place of the run is not known; name it, for instance --region eu (list: tco regions)"


def add_carbon(case: Case, energies: Energies) -> None:
    """Add the carbon lines to the graph of a case."""
    operational = _operational(case, energies)
    embodied_total = _embodied(case)
    if operational is not None and embodied_total is not None:
        case.graph.total(
            "carbon.total",
            [operational, embodied_total],
            "kgCO2e",
            "Emissions, electricity and hardware",
            method="location-based",
        )
    else:
        parts = {"carbon.operational": operational, "carbon.embodied": embodied_total}
        case.miss_total("carbon.total", [part for part, node in parts.items() if node is None])


def _intensity(case: Case) -> Node | None:
    name, unit, label = "grid.intensity", "gCO2e/kWh", "Emission factor of the grid"
    case.offered.add(name)
    if case.graph.is_stated(name) or case.site.intensity is not None:
        return case.one_of(name, unit, label, stated=case.site.intensity)
    if case.region is None:
        case.miss("carbon.operational", NO_REGION)
        return None
    factor = grid_intensity.factor(case.region, case.year)
    case.factor = factor
    case.data_sets.append(grid_intensity.data_set())
    if case.year is not None and factor.data_year != case.year:
        case.warn(
            "data-year",
            f"the grid factor is of {factor.data_year}, the newest not after the year of the run ({case.year})",
            name,
        )
    given = Input(source=factor.source, assumed=True, note=str(factor))
    facts = {
        key: getattr(factor, key)
        for key in ("region", "basis", "scope", "kind", "data_year", "release", "dataset", "licence")
    }
    return case.graph.input(name, factor.quantity, unit, f"{label}: {factor}", given, **facts)


def _operational(case: Case, energies: Energies) -> Node | None:
    intensity = _intensity(case)
    if intensity is None:
        return None
    basis = case.factor.basis if case.factor else None
    facts = {
        "stage": "use",
        "scope": "2+3" if basis == "lifecycle" else 2,
        "method": "location-based",
        "basis": basis or "as stated",
    }
    name, label = "carbon.operational", "Emissions of the electricity"
    if not energies.facility_by_phase:
        result = formulas.operational_carbon(energies.facility, intensity)
        return case.graph.line(name, result, "kgCO2e", label, by=formulas.operational_carbon, **facts)
    parts = [
        case.graph.line(
            f"{name}.{phase}",
            formulas.operational_carbon(energy, intensity),
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
    pieces = {part.name: _piece(case, part) for part in system.parts}
    unknown = [part for part, piece in pieces.items() if piece is None]
    if unknown:
        case.miss(
            name,
            f"nothing is known of the part '{unknown[0]}' of '{system.name}'; state --set "
            f"system.{unknown[0]}.embodied='... kgCO2e' (of one piece)",
        )
        return None
    if nodes is None or share is None:
        what = "'nodes' or 'devices'" if nodes is None else "a duration"
        case.miss(name, f"{case.where} needs {what}")
        return None
    lines, boundaries, phases, methods = [], [], [], []
    for part in system.parts:
        found = pieces[part.name]
        assert found is not None
        piece, facts = found
        count = case.graph.input(
            f"system.{part.name}.count",
            Q(part.count, "1"),
            "1",
            f"{part.name} in a node",
            Input(source=Source(title=f"hardware record '{system.name}'")),
        )
        boundaries.append(facts["boundary"])
        phases.append(facts["phase"])
        methods.append(facts["method"])
        lines.append(
            case.graph.line(
                f"{name}.{part.name}",
                embodied.allocated(piece, count, nodes, share),
                "kgCO2e",
                f"Embodied carbon of the {part.name.replace('-', ' ')}",
                by=embodied.allocated,
                stage="manufacturing",
                scope=3,
                **facts,
            )
        )
    whole = "node" if "host" in boundaries or "node" in boundaries else "+".join(dict.fromkeys(boundaries))
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


def _piece(case: Case, part: Part) -> tuple[Node, dict[str, str]] | None:
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
    assert node is not None
    return node, {
        "boundary": (figure.boundary if figure else None) or "not stated",
        "phase": (figure.phase if figure else None) or "not stated",
        "method": (figure.method if figure else None) or "as published",
    }


def _facts(boundary: str, method: str) -> dict[str, str]:
    return {"boundary": boundary, "phase": "cradle-to-gate", "method": method}


def add_water(case: Case, energies: Energies) -> None:
    """Add the water lines, where the site states what they need."""
    wue = case.one_of("site.wue", "L/kWh", "Water usage effectiveness of the site", stated=case.site.wue)
    if wue is not None:
        case.graph.line("water.site", water.site_water(energies.it, wue), "L", "Water on site", by=water.site_water)
    source = case.one_of(
        "site.source_water", "L/kWh", "Water at the power plants per energy at the meter", stated=case.site.source_water
    )
    if source is not None:
        used = water.source_water(energies.facility, source)
        case.graph.line("water.source", used, "L", "Water at the power plants", by=water.source_water)
