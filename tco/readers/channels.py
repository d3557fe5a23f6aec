"""Rows of a CSV file to channels: the file in blocks, each channel integrated in the order of the file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

import numpy as np
from numpy.typing import NDArray

from tco.errors import ReadError
from tco.readers import values
from tco.readers.base import ReadOptions
from tco.readers.blocks import Header, each_block
from tco.readers.columns import Block
from tco.readers.digits import Floats
from tco.readers.trace import MOST_WATTS_OF_A_DEVICE, Channel, Counter, Integrator, Times
from tco.records.run import Boundary

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Above this, a number of seconds since 1970 is one of milliseconds or less.
_LATEST_S = 1e11


@dataclass(frozen=True)
class Clock:
    """The column of times.

    Attributes
    ----------
    column
        Its position.
    origin
        Where its seconds count from; None where nobody says.
    first_day, aware
        For dates with times: ordinal of the first day, and whether the stamps state their offset from UTC.
    """

    column: int
    origin: datetime | None
    first_day: int | None = None
    aware: bool = False

    def read(self, block: Block) -> Floats:
        """Times in s, shape (rows,)."""
        if self.first_day is None:
            return block.numbers(self.column, "s", required=True)
        return block.stamps(self.column, self.first_day, aware=self.aware)


@dataclass(frozen=True)
class Source:
    """A column of powers, or of a counter of energy.

    Attributes
    ----------
    id
        The channel.
    column
        Its position.
    unit, factor
        Unit of its numbers, and what one of it is in W or in J.
    boundary
        Where it was measured.
    most_w
        Largest power that is possible.
    within
        Id of the channel that holds it.
    is_counter
        Whether the numbers are a running total of energy.
    """

    id: str
    column: int
    unit: str = "W"
    factor: float = 1.0
    boundary: Boundary | None = None
    most_w: float = MOST_WATTS_OF_A_DEVICE
    within: str | None = None
    is_counter: bool = False


def clock_of(header: Header, column: int) -> Clock:
    """What the first row shows the column of times to be: dates with times, or seconds since 1970.

    Raises
    ------
    ReadError
        If it is neither.
    """
    text = header.first_row[column] if column < len(header.first_row) else ""
    place = values.Place(str(header.path), header.line + 1, header.names[column])
    try:
        seconds = values.number(text, "s", place)
    except ReadError:
        seconds = math.nan
    if math.isnan(seconds):
        stamp = values.stamp(text, place)
        midnight = datetime.combine(date.fromordinal(stamp.day), time(), None if stamp.offset is None else UTC)
        return Clock(column, midnight, stamp.day, stamp.offset is not None)
    if abs(seconds) >= _LATEST_S:
        raise ReadError(
            f"{place}: '{text}' is not a number of seconds since 1970 but of milliseconds or less; write seconds"
        )
    return Clock(column, EPOCH if seconds >= 1e8 else None)


def channels_in_columns(header: Header, clock: Clock, sources: Sequence[Source], options: ReadOptions) -> list[Channel]:
    """Channels of a file with one row for each time and one column for each channel.

    Raises
    ------
    ReadError
        At the first row that cannot be read, that is out of order in time, or where a counter falls.
    """
    meters: list[Integrator | Counter] = [
        Counter() if source.is_counter else Integrator(options.rule, most_w=source.most_w) for source in sources
    ]

    def _work(block: Block) -> tuple[Block, Times, list[Floats]]:
        return block, Times(clock.read(block)), [block.numbers(source.column, source.unit) for source in sources]

    for block, times, columns in each_block(header, _work):
        for source, meter, numbers in zip(sources, meters, columns, strict=True):
            scaled = numbers if source.factor == 1 else numbers * source.factor
            meter.add(times, scaled, block.where)
    return [
        meter.channel(
            source.id,
            options.boundary or source.boundary,
            column=header.names[source.column],
            origin=clock.origin,
            within=source.within,
        )
        for source, meter in zip(sources, meters, strict=True)
    ]


@dataclass
class _Device:
    """One device of a file with one row for each time and device."""

    meter: Integrator
    model: str | None


def channels_in_rows(
    header: Header, clock: Clock, power: Source, key: int | None, model: int | None, options: ReadOptions
) -> tuple[list[Channel], dict[str, str]]:
    """Channels of a file with one row for each time and device.

    Parameters
    ----------
    header, clock
        The file and its column of times, in order for each device.
    power
        The column of powers; its `id` is that of the one device where there is no key.
    key, model
        Positions of the columns with the device and with its model, where there are such.

    Returns
    -------
    channels, models
        In the order in which the devices appear; models by channel id.
    """
    devices: dict[str, _Device] = {}

    def _work(block: Block) -> _Rows:
        times, powers = clock.read(block), block.numbers(power.column, power.unit)
        if power.factor != 1:
            powers *= power.factor
        codes, labels, rows = (np.zeros(0, np.int64), [power.id], [0]) if key is None else block.codes(key)
        models = [None if model is None or not block.rows else block.text(row, model).strip() for row in rows]
        if len(labels) == 1:
            return _Rows(block, None, times, powers, np.array([block.rows]), labels, models)
        order = np.argsort(codes.astype(np.uint16) if len(labels) < 2**16 else codes, kind="stable")
        counts = np.bincount(codes, minlength=len(labels))
        return _Rows(block, order, times[order], powers[order], counts, labels, models)

    for found in each_block(header, _work):
        begin = 0
        for count, label, name in zip(found.counts.tolist(), found.labels, found.models, strict=True):
            if label not in devices:
                devices[label] = _Device(Integrator(options.rule, most_w=power.most_w), name)
            part = slice(begin, begin + count)
            devices[label].meter.add(found.times[part], found.powers[part], found.where_from(begin))
            begin += count
    boundary = options.boundary or power.boundary
    channels = [
        device.meter.channel(label, boundary, column=header.names[power.column], origin=clock.origin)
        for label, device in devices.items()
    ]
    return channels, {label: device.model for label, device in devices.items() if device.model}


@dataclass(frozen=True)
class _Rows:
    """Rows of a block, device by device."""

    block: Block
    order: NDArray[np.int64] | None
    times: Floats
    powers: Floats
    counts: NDArray[np.int64]
    labels: list[str]
    models: list[str | None]

    def where_from(self, begin: int) -> Callable[[int], str]:
        """Gives the place of a row of the device whose rows begin there."""

        def _where(row: int) -> str:
            at = begin + row
            return self.block.where(at if self.order is None else int(self.order[at]))

        return _where
