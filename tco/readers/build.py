"""Channels to a run: one energy for each, and what a reader of the result should know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tco.errors import ReadError, did_you_mean
from tco.files import sha256
from tco.readers.base import ReadOptions
from tco.readers.trace import GAP, Channel
from tco.records.run import Device, EnergyReading, Evidence, Method, Run, Tool, Warning_
from tco.units import Q

#: A trace that covers less of its span than this has gaps worth a word.
_COVERED = 0.95
#: A gap longer than this is worth a word however long the trace.
_LONG_GAP_S = 60.0


def pick(wanted: str, known: Sequence[str]) -> str | None:
    """The one channel that is meant: by its id, or by what follows the colon in it where that is one channel only."""
    if wanted in known:
        return wanted
    ends = [name for name in known if name.rpartition(":")[2] == wanted]
    return ends[0] if len(ends) == 1 else None


def no_such_channel(wanted: str, known: Sequence[str]) -> str:
    """What to say of a channel that is not there."""
    return f"there is no channel '{wanted}'{did_you_mean(wanted, known)} (channels: {', '.join(known)})"


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
    """A run with the energies of all channels that do not lie within another one.

    Raises
    ------
    ReadError
        If the clock of the zone that was named changed during the trace.
    """
    outer = [channel for channel in channels if channel.within is None]
    energies = [energy for channel in outer if (energy := energy_of(channel, path.name)) is not None]
    first, last = min(outer, key=lambda c: c.first_s), max(outer, key=lambda c: c.last_s)
    duration = last.last_s - first.first_s
    naive = first.start is not None and first.start.tzinfo is None
    if naive and options.time_zone is not None:
        _check_clock(first, last, options.time_zone, path)
    found = [warning for channel in channels for warning in warnings_of(channel, path.name)]
    return Run.model_validate(
        {
            "tool": None if tool is None else Tool(name=tool),
            "start": first.start,
            "end": last.end,
            "time_zone": options.time_zone if naive else None,
            "duration": Q(duration, "s") if duration > 0 else None,
            "devices": list(devices),
            "energy": energies,
            "provenance": [Evidence(file=path.name, sha256=digest)],
            "warnings": [*found, *warnings],
        }
    )


def _check_clock(first: Channel, last: Channel, zone: str, path: Path) -> None:
    try:
        here = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ReadError(f"time zone '{zone}' is not an IANA zone such as 'Europe/Berlin'") from None
    assert first.start is not None
    assert last.end is not None
    before, after = first.start.replace(tzinfo=here).utcoffset(), last.end.replace(tzinfo=here).utcoffset()
    if before != after:
        raise ReadError(
            f"{path}: the clocks of {zone} change between {first.start} and {last.end}, so local time does not say how "
            "long the trace is; cut it at the change, or log in UTC"
        )


def warnings_of(channel: Channel, where: str) -> list[Warning_]:
    """What a reader of the result should know of a channel."""
    found = []

    def _warn(code: str, text: str) -> None:
        found.append(Warning_(code=code, message=f"channel '{channel.id}': {text}", where=where))

    count = channel.samples + channel.missing
    gap = f"longest gap {channel.longest_gap_s:.6g} s"
    if channel.impossible:
        _warn(
            "impossible-sample",
            f"{channel.impossible} of {count} samples cannot be a power and count as missing; "
            f"the first is {channel.first_impossible}",
        )
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
    if channel.maximum_w == 0:
        _warn(
            "zero-power",
            "0 W throughout; a sensor may be missing (the second die of a two-die card shows no power of its own)",
        )
    elif channel.stuck:
        value = "the counter never moves" if channel.minimum_w is None else f"all are {channel.minimum_w:g} W"
        _warn("stuck-sensor", f"{value} over {channel.samples} samples; the sensor may be stuck")
    return found
