"""Options that say how a file of a tool is read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tco.readers import ReadOptions

As = Annotated[
    str | None,
    typer.Option("--as", metavar="FORMAT", help="Format of the file, where it is not told from it: tco readers."),
]
Devices = Annotated[
    str | None,
    typer.Option(
        "--devices",
        metavar="A,B",
        help="Devices of the file to take, by id or number; of a simulator: how many.",
    ),
]
Rule = Annotated[
    str | None, typer.Option("--rule", help="How powers are integrated: trapezoid, left_rectangle or right_rectangle.")
]
Boundary = Annotated[
    str | None,
    typer.Option("--boundary", help="Where the file was measured, in place of what its format says: node_ac ..."),
]
Companion = Annotated[
    Path | None,
    typer.Option("--companion", metavar="FILE", help="File that belongs to it: the execution of a Calculon result ..."),
]
TimeZone = Annotated[
    str | None,
    typer.Option(
        "--time-zone", metavar="ZONE", help="Zone of stamps of the run without an offset: Europe/Berlin, or +02:00."
    ),
]


def options_of(
    devices: str | None,
    rule: str | None,
    boundary: str | None,
    time_zone: str | None,
    as_: str | None = None,
    names: str | None = None,
    interval: str | None = None,
    column: Sequence[str] | None = None,
    columns: Path | None = None,
    companion: Path | None = None,
) -> tuple[ReadOptions | None, str | None]:
    """What the options say; None where they say nothing. And the format: ``csv`` where columns are described."""
    if (devices, rule, boundary, time_zone, names, interval, column or None, columns, companion) == (None,) * 9:
        return None, as_
    from tco.errors import TcoError, did_you_mean
    from tco.readers import ReadOptions
    from tco.records import run as records

    described = tuple(column or ())
    if columns is not None:
        from tco.readers.columns_csv import mapping_of

        mapping = mapping_of(columns)
        described = mapping.columns + described
        boundary, time_zone = boundary or mapping.boundary, time_zone or mapping.time_zone
    for option, value, known in (
        ("--rule", rule, get_args(records.Rule)),
        ("--boundary", boundary, get_args(records.Boundary)),
    ):
        if value is not None and value not in known:
            raise TcoError(f"{option} '{value}' is not known{did_you_mean(value, known)} ({', '.join(known)})")
    asked = ReadOptions(
        rule=rule or "trapezoid",  # type: ignore[arg-type]
        boundary=boundary,  # type: ignore[arg-type]
        devices=None if devices is None else tuple(part.strip() for part in devices.split(",") if part.strip()),
        time_zone=time_zone,
        names=None if names is None else tuple(part.strip() for part in names.split(",")),
        interval_s=None if interval is None else _seconds(interval),
        columns=described,
        companion=companion,
    )
    if asked.devices == ():
        raise TcoError("--devices names no device; write for instance --devices 0,3")
    return asked, as_ or ("csv" if described else None)


def _seconds(text: str) -> float:
    from tco.errors import TcoError
    from tco.units import read_quantity

    seconds = float(read_quantity(text, "s").magnitude)
    if not 0 < seconds < float("inf"):
        raise TcoError(f"--interval '{text}' is not a time above zero; write for instance '1 s'")
    return seconds
