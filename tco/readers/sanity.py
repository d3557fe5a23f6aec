"""What any run can be checked for, whatever read it: figures that cannot all be right at once.

Each finding is a warning with a code; nothing is changed and nothing is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from tco.records.run import Boundary, PowerReading, Run, Warning_

_NODE: tuple[Boundary, ...] = ("system_wall_ac", "node_ac", "node_dc")
_AC: tuple[Boundary, ...] = ("system_wall_ac", "node_ac")
_PROVISIONED = ("rating", "all_in")
#: A node draws this many times what its boards draw; outside of it a unit, a boundary or a count was mistaken.
_WALL_PER_BOARD = (1.2, 2.5)
#: No power supply does better.
_BEST_EFFICIENCY = 0.99
#: A rate that differs by more than this from batch x length / step time counts something else.
_RATE_TOLERANCE = 0.1
#: Sums of rounded parts may exceed their whole by so much.
_ROUNDING = 1e-6


def checked(run: Run) -> Run:
    """The run, with a warning for each check that it fails."""
    found = [warning for warning in findings(run) if warning not in run.warnings]
    return run.model_copy(update={"warnings": (*run.warnings, *found)}) if found else run


def findings(run: Run) -> Iterator[Warning_]:
    """A warning for each check that a run fails."""
    energies = _energies(run)
    yield from _side_of_supplies(energies)
    yield from _boards(energies)
    yield from _idle(run)
    yield from _rating(run, energies)
    for index, energy in enumerate(run.energy):
        if energy.method in _PROVISIONED:
            yield Warning_(
                code="provisioned-power",
                message=f"energy[{index}] was formed from a power to provision ('{energy.method}'), which no run "
                "draws throughout; measure the power, or state how much of it was used",
                where=energy.source,
            )
    for index, work in enumerate(run.work):
        if work.quantity == "tokens" and work.basis is None:
            yield Warning_(
                code="token-basis",
                message=f"work[{index}] does not say which tokens it counts; figures per token differ several times "
                "between input, output and total: state 'basis'",
            )


def rate_finding(
    rate_per_s: float, batch: float, length: float | None, step_s: float, unit: str, where: str
) -> Warning_ | None:
    """Whether a rate agrees with batch x length / step time.

    Parameters
    ----------
    rate_per_s
        As stated, in units of work per second.
    batch
        Sequences or samples in one step.
    length
        Units of work in one of them; None where nobody states it.
    step_s
        Time of one step.
    unit
        Unit of work, for the message.
    where
        Place, for the message.
    """
    if step_s <= 0 or batch <= 0 or rate_per_s <= 0:
        return None
    per_second = batch / step_s
    if length is not None and math.isclose(rate_per_s, per_second * length, rel_tol=_RATE_TOLERANCE):
        return None
    if math.isclose(rate_per_s, per_second, rel_tol=_RATE_TOLERANCE):
        if length == 1:
            return None
        message = (
            f"{rate_per_s:g} {unit}/s is what {batch:g} sequences in {step_s:g} s are ({per_second:.6g}/s): these are "
            f"sequences, not {unit}s"
        )
    elif length is None:
        return None
    else:
        message = (
            f"{rate_per_s:g} {unit}/s is not {batch:g} x {length:g} {unit}s in {step_s:g} s, which is "
            f"{per_second * length:.6g} {unit}/s"
        )
    return Warning_(code="rate-mismatch", message=message, where=where)


def _energies(run: Run) -> dict[Boundary, float]:
    """The energy at each boundary in J: that of the whole run, else the sum of its devices; the largest of several."""
    found: dict[Boundary, float] = {}
    kinds: dict[tuple[Boundary, bool, str | None, str | None, str | None], float] = {}
    for energy in run.energy:
        if energy.boundary is None or energy.method in _PROVISIONED:
            continue
        key = (energy.boundary, energy.device is None, energy.method, energy.rule, energy.source)
        kinds[key] = kinds.get(key, 0.0) + float(energy.energy.m_as("J"))
    duration = run.elapsed
    for power in run.power:
        watts = _watts(power, run)
        if watts is None or power.boundary is None or power.method in _PROVISIONED or duration is None:
            continue
        key = (power.boundary, power.device is None, power.method, "mean power", power.source)
        kinds[key] = kinds.get(key, 0.0) + watts * float(duration.m_as("s"))
    for whole in (False, True):  # what is said of the whole run replaces sums over devices
        of_kind: dict[Boundary, float] = {}
        for (boundary, is_whole, *_), joules in kinds.items():
            if is_whole is whole:
                of_kind[boundary] = max(joules, of_kind.get(boundary, 0.0))
        found |= of_kind
    return found


def _watts(power: PowerReading, run: Run) -> float | None:
    if power.average_power is None:
        return None
    count: float | None = 1.0
    if power.device is None and power.scope == "node":
        count = run.nodes
    elif power.device is None and power.scope == "device":
        count = run.device_count or None
    return None if count is None else float(power.average_power.m_as("W")) * count


def _widest(energies: dict[Boundary, float], boundaries: Iterable[Boundary]) -> tuple[Boundary, float] | None:
    return next(((boundary, energies[boundary]) for boundary in boundaries if energies.get(boundary)), None)


def _side_of_supplies(energies: dict[Boundary, float]) -> Iterator[Warning_]:
    outer = _widest(energies, reversed(_AC))
    direct = energies.get("node_dc")
    if outer is None or not direct:
        return
    boundary, alternating = outer
    if direct > alternating * (1 + _ROUNDING):
        yield Warning_(
            code="dc-above-ac",
            message=f"{direct:.6g} J behind the power supplies (node_dc) are more than {alternating:.6g} J in front of "
            f"them ({boundary}); one of the two is not what it is said to be",
        )
    elif direct > _BEST_EFFICIENCY * alternating:
        yield Warning_(
            code="supply-efficiency",
            message=f"node_dc over {boundary} is an efficiency of {direct / alternating:.4f}; no power supply is above "
            f"{_BEST_EFFICIENCY}",
        )


def _boards(energies: dict[Boundary, float]) -> Iterator[Warning_]:
    boards, node = energies.get("gpu_board"), _widest(energies, _NODE)
    if not boards or node is None:
        return
    boundary, whole = node
    ratio = whole / boards
    if ratio < 1:
        yield Warning_(
            code="boards-above-node",
            message=f"the boards ({boards:.6g} J) are above the node that holds them ({boundary}, {whole:.6g} J)",
        )
    elif boundary in _AC and not _WALL_PER_BOARD[0] <= ratio <= _WALL_PER_BOARD[1]:
        yield Warning_(
            code="wall-board-ratio",
            message=f"the wall ({boundary}) draws {ratio:.3g} times what the boards draw; {_WALL_PER_BOARD[0]} to "
            f"{_WALL_PER_BOARD[1]} times is usual: do both cover the same nodes and the same time?",
        )


def _idle(run: Run) -> Iterator[Warning_]:
    means: dict[tuple[Boundary | None, str | None], dict[str | None, float]] = {}
    for power in run.power:
        watts = _watts(power, run)
        if watts is not None and power.method not in _PROVISIONED:
            means.setdefault((power.boundary, power.device), {})[power.phase] = watts
    for (boundary, device), of_phase in means.items():
        idle = of_phase.get("idle")
        mean = of_phase.get("active", of_phase.get(None))
        if idle is not None and mean is not None and idle > mean:
            what = " ".join(part for part in (boundary, device) if part) or "the run"
            yield Warning_(
                code="idle-above-mean",
                message=f"{what}: the idle power, {idle:.6g} W, is above the mean of the run, {mean:.6g} W",
            )


def _rating(run: Run, energies: dict[Boundary, float]) -> Iterator[Warning_]:
    duration = run.elapsed
    if duration is None or not float(duration.magnitude):
        return
    for index, power in enumerate(run.power):
        if power.method not in _PROVISIONED or power.boundary is None:
            continue
        rating, energy = _watts(power, run), energies.get(power.boundary)
        if rating is None or energy is None or power.device is not None:
            continue
        mean = energy / float(duration.m_as("s"))
        if mean > rating:
            yield Warning_(
                code="mean-above-rating",
                message=f"the mean power at {power.boundary}, {mean:.6g} W, is above its rating, {rating:.6g} W "
                f"(power[{index}])",
            )
