"""Which of a run's readings carries the estimate: the widest boundary, and at it the best kind of figure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tco.errors import EstimateError
from tco.records.run import Boundary, EnergyReading, PowerReading, Run
from tco.units import Quantity

#: Inside out. Packages of the host come first: they lie beside the accelerators, not around them, so a figure of the
#: accelerators says more of a node that has both.
ORDER: tuple[Boundary, ...] = (
    "cpu_package",
    "device_counter",
    "gpu_board",
    "module",
    "node_dc",
    "node_ac",
    "system_wall_ac",
    "rack_pdu",
    "facility",
)
_BESIDE_PACKAGES = ("device_counter", "gpu_board", "module")
ASSUMED_BOUNDARY: Boundary = "node_ac"
_INTEGRALS = ("trapezoid", "left_rectangle", "right_rectangle")
_COUNTED = ("allocation_row", "counter")
Phase = Literal["active", "idle"]

#: Kinds of figure at one boundary, best first.
KINDS = (
    "counter or stated energy",
    "integral of a trace",
    "energy formed by the tool",
    "mean power x duration",
    "model",
)


class Reading(NamedTuple):
    """One energy or power of a run, ready to be compared with the others.

    Attributes
    ----------
    energy
        In kWh.
    power, pieces
        For a mean power: of one piece in W, and how many pieces draw it.
    kind
        Index into `KINDS`.
    place
        Field of the run record.
    """

    boundary: Boundary
    energy: Quantity
    kind: int
    place: str
    device: str | None
    phase: Phase | None
    power: Quantity | None = None
    pieces: float = 1.0


class Group(NamedTuple):
    """Readings of one boundary and kind that together are the energy of the run."""

    boundary: Boundary
    kind: int
    readings: tuple[Reading, ...]

    @property
    def energy_kwh(self) -> float:
        """Sum of the readings, in kWh."""
        return sum(float(reading.energy.m_as("kWh")) for reading in self.readings)

    @property
    def how(self) -> str:
        """The kind of figure, in words."""
        return KINDS[self.kind]


def contains(outer: Boundary, inner: Boundary) -> bool:
    """Whether what is measured at `inner` is part of what is measured at `outer`."""
    beside = inner == "cpu_package" and outer in _BESIDE_PACKAGES
    return ORDER.index(inner) < ORDER.index(outer) and not beside


def _kind_of_energy(reading: EnergyReading) -> int:
    if reading.method == "model":
        return 4
    if reading.method in ("counter", "meter") or reading.rule in _COUNTED:
        return 0
    if reading.rule is None:
        return 0 if reading.method is None else 2
    return 1 if reading.rule in _INTEGRALS and reading.method == "sensor" else 2


def _pieces(reading: PowerReading, run: Run, place: str, where: str) -> float:
    if reading.scope == "whole_run" or reading.device is not None:
        return 1.0
    if reading.scope == "device":
        if not run.devices:
            raise EstimateError(f"{where}: {place}: the power of one device needs 'devices' with a count")
        return run.device_count or sum(device.count for device in run.devices)
    if run.nodes is None:
        raise EstimateError(f"{where}: {place}: the power of one node needs 'nodes'")
    return run.nodes


def readings_of(run: Run, where: str) -> list[Reading]:
    """All energies of a run: as recorded, and from mean powers where the run has a duration."""
    found = []
    for index, energy in enumerate(run.energy):
        boundary = energy.boundary or ASSUMED_BOUNDARY
        place = f"energy[{index}]"
        kind = _kind_of_energy(energy)
        found.append(Reading(boundary, energy.energy, kind, place, energy.device, energy.phase))
    duration = run.elapsed
    for index, power in enumerate(run.power):
        if power.average_power is None or power.method in ("rating", "all_in"):
            continue
        place = f"power[{index}].average_power"
        if duration is None:
            if run.energy:
                continue
            raise EstimateError(f"{where}: {place}: a power becomes an energy only with 'duration'")
        count = _pieces(power, run, place, where)
        total = (power.average_power * count * duration).to("kWh")
        boundary = power.boundary or ASSUMED_BOUNDARY
        kind = 4 if power.method == "model" else 3
        found.append(Reading(boundary, total, kind, place, power.device, power.phase, power.average_power, count))
    return found


def groups_of(readings: list[Reading], where: str) -> list[Group]:
    """Readings that belong together, widest boundary first, at each boundary the best kind first.

    Readings of single devices and of phases add up. A reading of the whole run beside readings of single devices of
    the same boundary and kind stands alone.

    Raises
    ------
    EstimateError
        If two readings are of the same thing, so that adding them would count it twice.
    """
    groups = []
    for boundary in reversed(ORDER):
        for kind in range(len(KINDS)):
            members = [r for r in readings if r.boundary == boundary and r.kind == kind]
            whole = [r for r in members if r.device is None]
            members = whole or members
            if not members:
                continue
            seen: dict[tuple[str | None, str | None], Reading] = {}
            for reading in members:
                key = (reading.device, reading.phase)
                clash = seen.get(key) or seen.get((reading.device, None))
                if clash is None and reading.phase is None:
                    clash = next((r for (device, _), r in seen.items() if device == reading.device), None)
                if clash is not None:
                    of = f"device {reading.device}" if reading.device else "the whole run"
                    raise EstimateError(
                        f"{where}: {clash.place} and {reading.place} are both of {of} at {boundary}: adding them would "
                        "count it twice; tell them apart with 'device' or 'phase', or leave one out"
                    )
                seen[key] = reading
            groups.append(Group(boundary, kind, tuple(members)))
    return groups
