"""Rows of a CSV file to channels: the file in blocks, each channel integrated in the order of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tco.errors import ReadError
from tco.readers import values
from tco.readers.base import ReadOptions
from tco.readers.blocks import NO_ROWS, Header, each_block
from tco.readers.columns import Block
from tco.readers.digits import Floats, Places
from tco.readers.trace import MOST_WATTS_OF_A_DEVICE, BackwardsError, Channel, Counter, Integrator, Times
from tco.readers.zones import LocalClock
from tco.records.run import Boundary

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Above this, a number of seconds since 1970 is one of milliseconds or less.
LATEST_S = 1e11
#: Samples that are kept of a file whose rows are out of order, so that they can be sorted: some 500 MB.
MOST_SORTED = 5_000_000
_AT_ONCE = 1 << 20


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
    zone
        Zone of stamps that state none.
    factor
        What one of its numbers is in s.
    """

    column: int
    origin: datetime | None
    first_day: int | None = None
    aware: bool = False
    zone: str | None = None
    factor: float = 1.0

    @property
    def shows_instants(self) -> bool:
        """Whether its times are instants, which have one order only."""
        return self.origin is not None and self.origin.tzinfo is not None

    def read(self, block: Block) -> Floats:
        """Times in s as the rows show them, shape (rows,)."""
        if self.first_day is None:
            numbers = block.numbers(self.column, "s", required=True)
            return numbers if self.factor == 1 else numbers * self.factor
        return block.stamps(self.column, self.first_day, aware=self.aware)

    def local(self) -> LocalClock | None:
        """What makes instants of its times, for one series of them; None where they need nothing."""
        return None if self.zone is None or self.first_day is None else LocalClock(self.zone, self.first_day)


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
    range_j, restarts
        Of a counter; see `tco.readers.trace.Counter`.
    """

    id: str
    column: int
    unit: str = "W"
    factor: float = 1.0
    boundary: Boundary | None = None
    most_w: float = MOST_WATTS_OF_A_DEVICE
    within: str | None = None
    is_counter: bool = False
    range_j: float | None = None
    restarts: bool = False

    def meter(self, options: ReadOptions) -> Integrator | Counter:
        """What makes an energy of its numbers."""
        if self.is_counter:
            return Counter(range_j=self.range_j, restarts=self.restarts, most_w=self.most_w)
        return Integrator(options.rule, most_w=self.most_w)

    def numbers(self, block: Block) -> Floats:
        """Its numbers in W or J, NaN where missing."""
        numbers = block.numbers(self.column, self.unit)
        return numbers if self.factor == 1 else numbers * self.factor


def clock_of(header: Header, column: int, zone: str | None = None, factor: float | None = None) -> Clock:
    """What the first row shows the column of times to be: dates with times, or seconds since 1970.

    Parameters
    ----------
    header, column
        The file, and the position of the column.
    zone
        Zone of dates with times that state no offset.
    factor
        What one number is in s, where somebody says; else numbers that can only be milliseconds are refused.

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
        aware = stamp.offset is not None
        midnight = datetime.combine(date.fromordinal(stamp.day), time(), UTC if aware or zone else None)
        return Clock(column, midnight, stamp.day, aware, None if aware else zone)
    seconds *= factor or 1.0
    if abs(seconds) >= LATEST_S:
        raise ReadError(
            f"{place}: '{text}' is not a number of seconds since 1970 but of milliseconds or less; write seconds"
        )
    return Clock(column, EPOCH if seconds >= 1e8 else None, factor=factor or 1.0)


class _Kept:
    """Samples of one channel, kept until all are there, so that they can be sorted."""

    def __init__(self, meter: Integrator | Counter, path: str, room: list[int], fault: BackwardsError) -> None:
        self._meter, self._path, self._room, self._fault = meter, path, room, fault
        self._pieces: list[tuple[Floats, Floats, Places]] = []

    def add(self, times: Floats, numbers: Floats, lines: Places) -> None:
        """Keep some more."""
        self._room[0] -= len(times)
        if self._room[0] < 0:
            raise BackwardsError(f"{self._fault} (more than {MOST_SORTED:,} samples are not sorted here)")
        self._pieces.append((times, numbers, lines))

    def finish(self) -> Integrator | Counter:
        """The meter, with the samples in the order of time."""
        times = np.concatenate([piece[0] for piece in self._pieces])
        numbers = np.concatenate([piece[1] for piece in self._pieces])
        lines = np.concatenate([piece[2] for piece in self._pieces])
        self._pieces.clear()
        order = np.argsort(times, kind="stable")
        for begin in range(0, len(order), _AT_ONCE):
            rows = order[begin : begin + _AT_ONCE]
            self._meter.add(times[rows], numbers[rows], partial(self._where, lines[rows]))
        return self._meter

    def _where(self, lines: Places, row: int) -> str:
        return f"{self._path}:{lines[row]}"


def channels_in_columns(header: Header, clock: Clock, sources: Sequence[Source], options: ReadOptions) -> list[Channel]:
    """Channels of a file with one row for each time and one column for each channel.

    Raises
    ------
    ReadError
        At the first row that cannot be read, or where time runs backwards on a clock that may have been set back.
    """
    try:
        return _columns(header, clock, sources, options, None)
    except BackwardsError as fault:
        if not clock.shows_instants:
            raise
        return _columns(header, clock, sources, options, fault)


def _columns(
    header: Header, clock: Clock, sources: Sequence[Source], options: ReadOptions, fault: BackwardsError | None
) -> list[Channel]:
    meters = [source.meter(options) for source in sources]
    local, room = clock.local(), [MOST_SORTED]
    kept = [] if fault is None else [_Kept(meter, str(header.path), room, fault) for meter in meters]

    def _work(block: Block) -> tuple[Block, Times, list[Floats]]:
        return block, Times(clock.read(block)), [source.numbers(block) for source in sources]

    for block, times, columns in each_block(header, _work):
        if local is not None:
            times = Times(local.utc(times.t_s, block.where))
        lines = block.lines() if kept else None
        for index, numbers in enumerate(columns):
            if lines is None:
                meters[index].add(times, numbers, block.where)
            else:
                kept[index].add(times.t_s, numbers, lines)
    for each in kept:
        each.finish()
    return [
        replace(
            meter.channel(
                source.id,
                options.boundary or source.boundary,
                column=header.names[source.column],
                origin=clock.origin,
                within=source.within,
            ),
            sorted_rows=bool(kept),
        )
        for source, meter in zip(sources, meters, strict=True)
    ]


@dataclass
class _Device:
    """One device of a file with one row for each time and device."""

    sources: Sequence[Source]
    meters: list[Integrator | Counter]
    kept: list[_Kept]
    local: LocalClock | None
    model: str | None
    instances: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Layout:
    """Where a file with one row for each time and device has its columns.

    Attributes
    ----------
    clock
        Times, in order for each device.
    sources
        What is measured of a device; their ids are those of the one device where there are no keys.
    keys
        What together tells devices apart.
    model
        The name of the device.
    instance
        What tells parts of one device apart that each show the power of the whole: their mean is the sample.
    source_of
        Gives the sources of a device, from its id and a row of it, where they depend on it.
    """

    clock: Clock
    sources: Sequence[Source]
    keys: Sequence[int] = ()
    model: int | None = None
    instance: int | None = None
    source_of: Callable[[str, Block, int], Sequence[Source]] | None = None


def channels_in_rows(
    header: Header, layout: Layout, options: ReadOptions
) -> tuple[dict[str, list[Channel]], dict[str, str]]:
    """Channels of a file with one row for each time and device.

    Returns
    -------
    channels, models
        By device, in the order in which the devices appear: a channel for each source, and the model.

    Raises
    ------
    ReadError
        As `channels_in_columns`.
    """
    try:
        return _rows(header, layout, options, None)
    except BackwardsError as fault:
        if not layout.clock.shows_instants:
            raise
        return _rows(header, layout, options, fault)


def _rows(
    header: Header, layout: Layout, options: ReadOptions, fault: BackwardsError | None
) -> tuple[dict[str, list[Channel]], dict[str, str]]:
    devices: dict[str, _Device] = {}
    room = [MOST_SORTED]

    def _device(found: _Rows, index: int) -> _Device:
        label, row = found.labels[index], found.rows[index]
        sources = layout.sources if layout.source_of is None else found.sources[index]
        meters = [source.meter(options) for source in sources]
        kept = [] if fault is None else [_Kept(meter, str(header.path), room, fault) for meter in meters]
        model = None if layout.model is None or not found.block.rows else found.block.text(row, layout.model).strip()
        return devices.setdefault(label, _Device(sources, meters, kept, layout.clock.local(), model))

    for found in each_block(header, lambda block: _in_order(block, layout)):
        begin = 0
        for index, (count, label) in enumerate(zip(found.counts.tolist(), found.labels, strict=True)):
            device = devices.get(label) or _device(found, index)
            part = slice(begin, begin + count)
            _add(device, found, part, layout.instance)
            begin += count
    if not devices:
        raise ReadError(f"{header.place}: {NO_ROWS}")
    result: dict[str, list[Channel]] = {}
    for label, device in devices.items():
        for each in device.kept:
            each.finish()
        result[label] = [
            replace(
                meter.channel(
                    label,
                    options.boundary or source.boundary,
                    column=header.names[source.column],
                    origin=layout.clock.origin,
                    within=source.within,
                ),
                instances=max(1, len(device.instances)),
                sorted_rows=fault is not None,
            )
            for source, meter in zip(device.sources, device.meters, strict=True)
        ]
    return result, {label: device.model for label, device in devices.items() if device.model}


def _add(device: _Device, found: _Rows, part: slice, instance: int | None) -> None:
    """Give the rows of a block to the meters of the device that they are of."""
    where = found.where_from(part.start)
    times = found.times[part]
    if device.local is not None:
        times = device.local.utc(times, where)
    columns = [numbers[part] for numbers in found.numbers]
    if instance is not None and len(times) > 1:
        device.instances |= {found.instances[code] for code in np.unique(found.codes[part]).tolist()}
        times, columns, where = _mean_of_each_moment(times, columns, where)
    if device.kept:
        lines = np.array([found.line(part.start + row) for row in range(len(times))], np.int64)
        for kept, numbers in zip(device.kept, columns, strict=True):
            kept.add(times, numbers, lines)
        return
    shared = Times(times)
    for meter, numbers in zip(device.meters, columns, strict=True):
        meter.add(shared, numbers, where)


def _mean_of_each_moment(
    times: Floats, columns: list[Floats], where: Callable[[int], str]
) -> tuple[Floats, list[Floats], Callable[[int], str]]:
    """One sample for each run of equal times: the mean of those that have a value."""
    begins = np.flatnonzero(np.concatenate(([True], times[1:] != times[:-1])))
    if len(begins) == len(times):
        return times, columns, where
    means = []
    for numbers in columns:
        valid = ~np.isnan(numbers)
        total = np.add.reduceat(np.where(valid, numbers, 0.0), begins)
        count = np.add.reduceat(valid.astype(np.float64), begins)
        with np.errstate(invalid="ignore"):
            means.append(total / count)
    return times[begins], means, lambda row: where(int(begins[row]))


@dataclass(frozen=True)
class _Rows:
    """Rows of a block, device by device."""

    block: Block
    order: NDArray[np.int64] | None
    times: Floats
    numbers: list[Floats]
    counts: NDArray[np.int64]
    labels: list[str]
    rows: list[int]
    sources: list[Sequence[Source]]
    codes: NDArray[np.int64]
    instances: list[str]

    def line(self, row: int) -> int:
        """Line of a row."""
        return self.block.line(row if self.order is None else int(self.order[row]))

    def where_from(self, begin: int) -> Callable[[int], str]:
        """Gives the place of a row of the device whose rows begin there."""

        def _where(row: int) -> str:
            at = begin + row
            return self.block.where(at if self.order is None else int(self.order[at]))

        return _where


def _in_order(block: Block, layout: Layout) -> _Rows:
    codes, labels, rows = _devices(block, layout)
    instances: list[str] = []
    parts = np.zeros(0, np.int64)
    if layout.instance is not None:
        parts, instances, _ = block.codes(layout.instance)
    sources: list[Sequence[Source]] = []
    if layout.source_of is not None:
        sources = [layout.source_of(label, block, row) for label, row in zip(labels, rows, strict=True)]
    times = layout.clock.read(block)
    columns = [source.numbers(block) for source in (sources[0] if sources else layout.sources)]
    if len(labels) == 1:
        return _Rows(block, None, times, columns, np.array([block.rows]), labels, rows, sources, parts, instances)
    order = np.argsort(codes.astype(np.uint16) if len(labels) < 2**16 else codes, kind="stable")
    counts = np.bincount(codes, minlength=len(labels))
    if parts.size:
        parts = parts[order]
    ordered = [numbers[order] for numbers in columns]
    return _Rows(block, order, times[order], ordered, counts, labels, rows, sources, parts, instances)


def _devices(block: Block, layout: Layout) -> tuple[NDArray[np.int64], list[str], list[int]]:
    """For each row the position of its device in the labels, the labels, and a row of each."""
    if not block.rows:
        return np.zeros(0, np.int64), [], []
    if not layout.keys:
        return np.zeros(block.rows, np.int64), [layout.sources[0].id], [0]
    codes, labels, rows = block.codes(layout.keys[0])
    for key in layout.keys[1:]:
        more, names, _ = block.codes(key)
        both, first, codes = np.unique(codes * len(names) + more, return_index=True, return_inverse=True)
        labels = [f"{labels[pair // len(names)]}:{names[pair % len(names)]}" for pair in both.tolist()]
        rows = first.tolist()
    return codes, labels, rows
