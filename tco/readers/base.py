"""What a reader is, and what one may ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.trace import Channel
    from tco.records.run import Boundary, Rule, Run


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file.

    Attributes
    ----------
    rule
        How powers are integrated.
    boundary
        Where they were measured, in place of what the format says of itself.
    devices
        Ids of the channels to take (``pynvml:0``, or ``0`` where that is one channel only); None is all.
    time_zone
        Zone of stamps without an offset: an IANA name, or an offset such as ``+02:00``.
    names
        Names of the columns of a file that has none.
    interval_s
        Time from one sample to the next, of a file that has no times.
    device_count
        Devices that the run used, where the file does not say.
    companion
        File that belongs to it: the execution of a Calculon result, the workload of a SimAI result.
    columns
        What the columns of a CSV table hold, as ``time=t``, ``power:gpu0[kW]=P`` ...; see `tco.readers.columns_csv`.
    scope
        Whether each figure of a rank is that of its node (read by all of them) or of the rank alone.
    """

    rule: Rule = "trapezoid"
    boundary: Boundary | None = None
    devices: tuple[str, ...] | None = None
    time_zone: str | None = None
    scope: Literal["node", "rank"] | None = None
    names: tuple[str, ...] | None = None
    interval_s: float | None = None
    columns: tuple[str, ...] = ()
    device_count: float | None = None
    companion: Path | None = None


class Reader(Protocol):
    """Reads one format.

    Attributes
    ----------
    name
        What a user calls it: ``--as name``.
    title
        What it reads, in a few words.
    boundary
        Where the tool that writes the format measures.
    """

    name: str
    title: str
    boundary: str

    def sniff(self, path: Path) -> float:
        """How sure it is, 0 to 1, that the file is of its format, from the name and the first bytes only."""
        ...

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """The whole file, or a `ReadError` that names line and field."""
        ...


@runtime_checkable
class TraceReader(Protocol):
    """A reader of files with powers over time."""

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """The channels of the file, also those without a valid sample."""
        ...
