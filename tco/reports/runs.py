"""Run records, and the formats they are read from, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tco.records.run import Run
from tco.reports.numbers import digits
from tco.units import Quantity


def _facts(run: Run) -> Table:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True, style="dim")
    facts.add_column(overflow="fold")
    devices = "; ".join(
        f"{device.count:g}x {device.model or device.kind}" + (f" on {device.cards:g} cards" if device.cards else "")
        for device in run.devices
    )
    span = " to ".join(f"{stamp:%Y-%m-%d %H:%M:%S%z}" for stamp in (run.start, run.end) if stamp is not None)
    rows = (
        ("Run", run.name),
        ("Tool", None if run.tool is None else " ".join(filter(None, (run.tool.name, run.tool.version)))),
        ("Time", span + ("" if not span or run.start_utc is not None else " (no zone stated)")),
        ("Duration", None if run.elapsed is None else f"{float(run.elapsed.m_as('s')):.6g} s"),
        ("Nodes", None if run.nodes is None else f"{run.nodes:.6g}"),
        ("Devices", devices),
        ("PUE", "already in the readings" if run.pue_included else None),
        (
            "Utilisation",
            "; ".join(f"{u.kind} {u.value:.4g}" + (" (an input)" if u.stated else "") for u in run.utilisation),
        ),
        ("Memory", None if run.memory is None else f"{float(run.memory.m_as('GB')):.4g} GB a device"),
        ("Not stated", "; ".join(run.unstated)),
    )
    for name, text in rows:
        if text:
            facts.add_row(Text(name), Text(text))
    return facts


def _readings(run: Run) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Reading", no_wrap=True)
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("Unit", no_wrap=True)
    table.add_column("Boundary", no_wrap=True)
    table.add_column("How", overflow="fold")
    table.add_column("Covered", justify="right", no_wrap=True)
    for energy in run.energy:
        value, unit = _scaled(energy.energy)
        covered = "" if energy.coverage is None else f"{energy.coverage:.1%}"
        how = ", ".join(filter(None, (energy.method, energy.rule)))
        cells = (_of("energy", energy.device, energy.phase), value, unit, energy.boundary or "not stated", how, covered)
        table.add_row(*map(Text, cells))
    for power in run.power:
        how = ", ".join(filter(None, (power.method, power.rule)))
        if power.average_power is None:
            name, trace = _of("power", power.device, power.phase), power.trace or ""
            table.add_row(*map(Text, (name, trace, "", power.boundary or "not stated", how, "")))
        else:
            watts = digits(float(power.average_power.m_as("W")))
            name = _of("power", power.device, power.phase)
            table.add_row(*map(Text, (name, watts, "W", power.boundary or "not stated", how, "")))
    for work in run.work:
        per = "" if work.value is not None else "/s"
        number = (
            work.value if work.value is not None else float(work.rate.m_as("1/s")) if work.rate is not None else 0.0
        )
        table.add_row(Text("work"), Text(digits(number)), Text(f"{work.unit}{per}"), "", Text(work.basis or ""), "")
    for phase in run.phases:
        seconds = float(phase.duration.m_as("s"))
        table.add_row(Text(phase.name), Text(digits(seconds, 6)), Text("s"), "", Text(phase.activity), "")
    for result in run.results:
        table.add_row(Text(result.name), Text(digits(result.value)), Text(result.unit), "", Text(result.note or ""), "")
    return table


def _of(what: str, device: str | None, phase: str | None) -> str:
    return " ".join(filter(None, (what, device, f"({phase})" if phase else None)))


def _scaled(energy: Quantity) -> tuple[str, str]:
    """An energy in the unit in which it has few zeros."""
    kwh = float(energy.m_as("kWh"))
    if kwh >= 0.1:
        return digits(kwh, 6), "kWh"
    return digits(float(energy.m_as("J")), 6), "J"


def render(runs: Sequence[Run]) -> RenderableType:
    """Runs as something that rich prints."""
    pieces: list[RenderableType] = []
    for number, run in enumerate(runs, start=1):
        if len(runs) > 1:
            pieces.append(Text(f"{number} of {len(runs)}", style="bold"))
        pieces += [_facts(run), _readings(run)]
    return Group(*pieces)


def show(runs: Sequence[Run]) -> None:
    """Print runs to standard output."""
    _console().print(render(runs))


def show_readers(rows: Sequence[tuple[str, ...]]) -> None:
    """Print name, title, boundary, package and version of readers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("Format", "What is read", "Where it measures", "Package"):
        table.add_column(name, overflow="fold", no_wrap=name == "Format")
    for name, title, boundary, package, version in rows:
        table.add_row(*map(Text, (name, title, boundary, f"{package} {version}".strip())))
    _console().print(table)


def _console() -> Console:
    console = Console(highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(width=140, color_system=None, highlight=False)
