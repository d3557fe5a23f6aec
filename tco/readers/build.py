"""Channels to a run: one energy for each, and what a reader of the result should know of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from tco.errors import ReadError, did_you_mean
from tco.files import sha256
from tco.readers.base import ReadOptions
from tco.readers.trace import GAP, Channel
from tco.records.base import validate
from tco.records.run import Device, EnergyReading, Evidence, Method, PowerReading, Run, Tool, Warning_
from tco.units import Q

#: A trace that covers less of its span than this has gaps worth a word.
_COVERED = 0.95
#: A gap longer than this is worth a word however long the trace.
_LONG_GAP_S = 60.0


def pick(wanted: str, known: Sequence[str]) -> str | None:
    """The one channel that is meant: by its id, or by what it ends with, where one does (``0`` for ``pynvml:0``)."""
    if wanted in known:
        return wanted
    ends = [name for name in known if name.rpartition(":")[2] == wanted]
    if not ends and wanted.isdecimal():
        ends = [name for name in known if re.search(r"(\d*)$", name)[1] == wanted]  # type: ignore[index]
    return ends[0] if len(ends) == 1 else None


def no_such_channel(wanted: str, known: Sequence[str]) -> str:
    """What to say of a channel that is not there."""
    return f"there is no channel '{wanted}'{did_you_mean(wanted, known)} (channels: {', '.join(known)})"


def chosen_of(wanted: str, known: Sequence[str], path: Path) -> str:
    """The one of the known ids that is meant.

    Raises
    ------
    ReadError
        If it is none of them.
    """
    found = pick(wanted, known)
    if found is None:
        raise ReadError(f"{path}: {no_such_channel(wanted, known)}")
    return found


def selected(channels: list[Channel], options: ReadOptions, path: Path) -> list[Channel]:
    """The channels that were asked for.

    Raises
    ------
    ReadError
        If one of them is not there.
    """
    if options.devices is None:
        return channels
    known = [channel.id for channel in channels]
    ids = set()
    for wanted in options.devices:
        found = pick(wanted, known)
        if found is None:
            raise ReadError(f"{path}: {no_such_channel(wanted, known)}")
        ids.add(found)
    return [channel for channel in channels if channel.id in ids]


def with_digest(path: Path, trace: Callable[[], list[Channel]]) -> tuple[list[Channel], str]:
    """The channels of a file, and its SHA-256, found at the same time."""
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(sha256, path)
        return trace(), digest.result()


def method_of(channel: Channel) -> Method:
    """Whether its energy comes from a sensor of power or a counter of energy."""
    return "counter" if channel.rule == "counter" else "sensor"


def energy_of(channel: Channel, source: str) -> EnergyReading | None:
    """The energy of a channel; None where it is not known."""
    if channel.energy_j is None:
        return None
    return EnergyReading(
        value=channel.energy_j,
        unit="J",
        rule=channel.rule,
        method=method_of(channel),
        device=channel.id,
        boundary=channel.boundary,
        coverage=channel.coverage,
        source=source,
    )


def power_of(channel: Channel, source: str) -> PowerReading | None:
    """The power of a channel of one moment; None for a trace."""
    if channel.moment_w is None:
        return None
    return PowerReading(
        average_power=Q(channel.moment_w, "W"),
        method="sensor",
        device=channel.id,
        boundary=channel.boundary,
        source=source,
    )


def run_of(
    path: Path,
    digest: str,
    channels: Sequence[Channel],
    options: ReadOptions,
    *,
    tool: str | None,
    devices: Sequence[Device],
    warnings: Iterable[Warning_] = (),
) -> Run:
    """A run with the energies of all channels that do not lie within another one, or the powers of one moment.

    Raises
    ------
    ReadError
        If its times are outside the years 1 to 9999.
    """
    outer = [channel for channel in channels if channel.within is None] or list(channels)
    energies = [energy for channel in outer if (energy := energy_of(channel, path.name)) is not None]
    first, last = min(outer, key=lambda c: c.first_s), max(outer, key=lambda c: c.last_s)
    duration = last.last_s - first.first_s
    powers = [] if duration > 0 else [power for c in outer if (power := power_of(c, path.name)) is not None]
    start, end = _moments(path, first, last)
    found = [warning for channel in channels for warning in warnings_of(channel, path.name)]
    data = {
        "tool": None if tool is None else Tool(name=tool),
        "start": start,
        "end": end if duration > 0 else None,
        "duration": Q(duration, "s") if duration > 0 else None,
        "devices": list(devices),
        "energy": energies,
        "power": powers,
        "provenance": [Evidence(file=path.name, sha256=digest)],
        "warnings": list(dict.fromkeys([*found, *warnings])),
    }
    return validate(Run, data, str(path))


def _moments(path: Path, first: Channel, last: Channel) -> tuple[datetime | None, datetime | None]:
    try:
        return first.start, last.end
    except OverflowError:
        raise ReadError(
            f"{path}: its times, from {first.first_s:.6g} s to {last.last_s:.6g} s, lie outside the years 1 to 9999"
        ) from None


def warnings_of(channel: Channel, where: str) -> list[Warning_]:
    """What a reader of the result should know of a channel."""
    found = []

    def _warn(code: str, text: str) -> None:
        found.append(Warning_(code=code, message=f"channel '{channel.id}': {text}", where=where))

    count = channel.samples + channel.missing
    gap = f"longest gap {channel.longest_gap_s:.6g} s"
    if channel.sorted_rows:
        _warn("sorted", "its rows are not in the order of time; they are sorted by instant")
    if channel.instances > 1:
        _warn(
            "one-power-many-instances",
            f"{channel.instances} instances of it each show the power of the whole device; their mean is taken, not "
            "their sum",
        )
    if channel.impossible:
        _warn(
            "impossible-sample",
            f"{channel.impossible} of {count} samples cannot be a power and count as missing; "
            f"the first is {channel.first_impossible}",
        )
    if channel.moment_w is not None and channel.first_s == channel.last_s:
        _warn(
            "one-moment",
            f"{channel.moment_w:.6g} W at one moment; that is no energy yet: say how long the run took, and whether it "
            "drew this power throughout",
        )
        return found
    if channel.energy_j is None:
        what = "a single valid sample" if channel.samples else "no valid sample"
        _warn("absent-channel", f"{what} of {count}; its energy is not known, which is not zero")
        return found
    if channel.missing:
        _warn("missing-samples", f"{channel.missing} of {count} samples have no value and are bridged ({gap})")
    if channel.coverage < _COVERED or channel.longest_gap_s > max(_LONG_GAP_S, GAP * channel.usual_interval_s):
        _warn(
            "long-gap",
            f"{gap}, usual interval {channel.usual_interval_s:.3g} s; samples cover {channel.coverage:.1%} of the "
            f"{channel.last_s - channel.first_s:.6g} s",
        )
    _warn_of_counter(channel, _warn)
    if channel.maximum_w == 0:
        _warn(
            "zero-power",
            "0 W throughout; a sensor may be missing (the second die of a two-die card shows no power of its own)",
        )
    elif channel.stuck:
        value = "the counter never moves" if channel.minimum_w is None else f"all are {channel.minimum_w:g} W"
        _warn("stuck-sensor", f"{value} over {channel.samples} samples; the sensor may be stuck")
    return found


def _warn_of_counter(channel: Channel, warn: Callable[[str, str], None]) -> None:
    """What a reader should know of a counter that fell."""
    if channel.wraps:
        warn(
            "counter-wrapped",
            f"the counter wrapped {_times(channel.wraps)} at the end of its range, which is added; one more wrap in "
            f"its longest interval ({channel.longest_gap_s:.6g} s) would be {channel.another_wrap_w:.4g} W more",
        )
    if channel.ambiguous:
        warn(
            "counter-ambiguous",
            f"it may have wrapped more often than can be seen: another {channel.another_wrap_w:.4g} W over its longest "
            f"interval ({channel.longest_gap_s:.6g} s) would leave no trace; read it more often",
        )
    if channel.resets:
        warn(
            "counter-reset",
            f"the counter began again from zero {_times(channel.resets)}; what was used between the last value before "
            "and the reset is not counted",
        )
    if channel.dropped:
        warn(
            "counter-fell",
            f"the counter fell {_times(channel.dropped)}, and nothing says whether it wrapped, and where, or was "
            f"reset; {channel.dropped_s:.6g} s are left out, samples cover {channel.coverage:.1%}",
        )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
