"""Power of a node from its management controller by IPMI DCMI: ``ipmitool dcmi power reading``, or FreeIPMI.

One reading is a moment; several of them, one after the other, are a trace. The statistics that stand beside it are
over a time that the controller chooses, up to the whole time since it was started.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import PowerReading, Run, Warning_

_FIELD = re.compile(r"\s*([A-Za-z ]+?)\s*:\s*(.*?)\s*")
_INSTANT = ("Instantaneous power reading", "Current Power")
_AVERAGE = ("Average power reading over sample period", "Average Power over sampling duration")
_STAMP = ("IPMI timestamp", "Time Stamp")
_PERIOD = ("Sampling period", "Statistics reporting time period")
_STATE = ("Power reading state is", "Power Measurement")
_COMMAND = "while sleep 10; do ipmitool dcmi power reading; done > power.txt"
_PERIODS = {"second": 1.0, "millisecond": 1e-3, "minute": 60.0}


class _Block(NamedTuple):
    place: str
    fields: dict[str, str]


class Ipmi:
    """Reads power readings of DCMI."""

    name = "ipmi-dcmi"
    title = "ipmitool dcmi power reading, or ipmi-dcmi --get-system-power-statistics"
    boundary = "node, AC input"

    def sniff(self, path: Path) -> float:
        """Whether one of the first lines is a reading of power."""
        from tco.readers.blocks import first_bytes

        text = first_bytes(path).decode("utf-8", "replace")
        known = any(re.search(rf"^\s*{name}\s*:", text, re.MULTILINE) for name in _INSTANT)
        return 0.95 if known else 0.0

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel, the node."""
        from tco.readers.build import selected

        return selected([_channel(path, _blocks(path), options)], options, path)

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with the energy of several readings, or with the power of one."""
        from tco.readers.build import run_of, selected, with_digest

        blocks = _blocks(path)
        channels, digest = with_digest(path, lambda: selected([_channel(path, blocks, options)], options, path))
        run = run_of(path, digest, channels, options, tool="ipmi-dcmi", devices=[])
        if run.energy:
            return [run]
        powers, notes = _one_reading(path, blocks[0], options)
        notes += [warning for warning in run.warnings if warning.code != "one-moment"]
        return [run.model_copy(update={"power": tuple(powers), "warnings": tuple(notes)})]


def _blocks(path: Path) -> list[_Block]:
    """The readings of a file, each from its first line on."""
    from tco.errors import ReadError
    from tco.readers.small import lines_of, text_of

    text = text_of(path)
    if not text.endswith("\n"):
        raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
    blocks: list[_Block] = []
    for number, line in lines_of(text):
        match = _FIELD.fullmatch(line)
        if match is None:
            continue
        if match[1] in _INSTANT:
            blocks.append(_Block(f"{path}:{number}", {}))
        if blocks:
            blocks[-1].fields[match[1]] = match[2]
    if not blocks:
        raise ReadError(f"{path}: has no line '{_INSTANT[0]}: ... Watts'; log with: {_COMMAND}")
    return blocks


def _field(block: _Block, names: tuple[str, ...]) -> str | None:
    return next((block.fields[name] for name in names if name in block.fields), None)


def _watts(block: _Block, names: tuple[str, ...]) -> float:
    """A power of a reading, NaN where it has none; a controller that does not measure shows 0."""
    from tco.readers import values
    from tco.readers.trace import MOST_WATTS_OF_A_DEVICE

    text = _field(block, names)
    state = _field(block, _STATE)
    if text is None or (state is not None and state.casefold() not in ("activated", "active")):
        return float("nan")
    bare = re.sub(r"\s*watts?$", "", text, flags=re.IGNORECASE)
    watts = values.number(bare, None, values.Place(block.place, None, names[0]))
    return watts if 0 < watts <= MOST_WATTS_OF_A_DEVICE else float("nan")


def _channel(path: Path, blocks: list[_Block], options: ReadOptions) -> Channel:
    import numpy as np

    from tco.errors import ReadError
    from tco.readers.ctime import Moments
    from tco.readers.series import Series, channel_of

    moments = Moments(path, options.time_zone)
    if options.interval_s is not None:
        times = [options.interval_s * number for number in range(len(blocks))]
    else:
        times = [moments.seconds(_field(block, _STAMP), block.place) for block in blocks]
        if len(blocks) > 1 and moments.origin is None:
            raise ReadError(f"{path}: its {len(blocks)} readings have no time; say how often: --interval '10 s'")
    powers = [_watts(block, _INSTANT) for block in blocks]
    places = tuple(block.place for block in blocks)
    series = Series("node", np.array(times), np.array(powers), "node_ac", places, moments.origin)
    return channel_of(series, options)


def _one_reading(path: Path, block: _Block, options: ReadOptions) -> tuple[list[PowerReading], list[Warning_]]:
    """The mean of the statistics as the power of the run, the power of the moment beside it."""
    from tco.records.run import PowerReading, Warning_
    from tco.units import Q

    boundary = options.boundary or "node_ac"
    period = _period(block)
    powers, said = [], []
    for name, device, names in (("mean", None, _AVERAGE), ("at the moment", "moment", _INSTANT)):
        watts = _watts(block, names)
        if watts != watts:
            continue
        said.append(f"{watts:g} W {name}")
        powers.append(
            PowerReading(
                average_power=Q(watts, "W"),
                method="sensor",
                device=device,
                boundary=boundary,
                rule="mean_in_window" if device is None else None,
                sampling=Q(period, "s") if device is None and period else None,
                source=f"{path.name}: {next(n for n in names if n in block.fields)}",
            )
        )
    over = f" over the controller's own {period:g} s" if period else ""
    note = (
        f"{', '.join(said) or 'no power'}: one reading is no energy yet; the mean is{over}, which need not be the run. "
        f"Say how long the run took, or log with: {_COMMAND}"
    )
    return powers, [Warning_(code="one-moment", message=note, where=path.name)]


def _period(block: _Block) -> float | None:
    text = _field(block, _PERIOD)
    match = re.fullmatch(r"(\d+)\s*([a-z]+?)s?\.?", (text or "").casefold())
    if match is None or match[2] not in _PERIODS:
        return None
    return float(match[1]) * _PERIODS[match[2]]


READER = Ipmi()
