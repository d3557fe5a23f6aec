"""Logs of the Acme rack meter: ``2026-01-31T13:00:00Z outlet-7 412.5 W``, one line for each reading.

A reader is an object with ``name``, ``title``, ``boundary``, ``sniff`` and ``read``. Heavy imports stand within the
functions, so that listing the readers costs nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers import ReadOptions
    from tco.readers.trace import Channel
    from tco.records.run import Run

_LINE = re.compile(r"(\S+)\s+(outlet-\d+)\s+(\S+) W")


class AcmeMeter:
    """Reads logs of the Acme rack meter."""

    name = "acme-meter"
    title = "log of the Acme rack meter"
    boundary = "outlet of the rack PDU"

    def sniff(self, path: Path) -> float:
        """How sure it is, from the first line only."""
        from tco.readers.blocks import first_line  # reads .gz and .zst as well

        return 1.0 if _LINE.fullmatch(first_line(path)) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with an energy for each outlet."""
        from tco.readers.build import run_of, selected, with_digest

        channels, digest = with_digest(path, lambda: selected(self.trace(path, options), options, path))
        return [run_of(path, digest, channels, options, tool="Acme rack meter", devices=[])]

    def trace(self, path: Path, options: ReadOptions) -> list[Channel]:
        """One channel for each outlet: with this, run records can name such a file as their trace."""
        import numpy as np

        from tco.errors import ReadError
        from tco.readers import values
        from tco.readers.channels import EPOCH
        from tco.readers.series import Series, channel_of
        from tco.readers.small import lines_of, text_of

        text = text_of(path)
        if not text.endswith("\n"):
            raise ReadError(f"{path}: the last line has no line end: the file was cut off while it was written")
        samples: dict[str, list[tuple[float, float, str]]] = {}
        for number, line in lines_of(text):
            match = _LINE.fullmatch(line.strip())
            if match is None:
                raise ReadError(
                    f"{path}:{number}: '{line[:60]}' is not a reading such as '2026-01-31T13:00:00Z outlet-7 5 W'"
                )
            stamp = values.stamp(match[1], values.Place(str(path), number, "time"))
            if stamp.offset is None:
                raise ReadError(f"{path}:{number}: '{match[1]}' states no offset; the meter writes UTC, with a 'Z'")
            second = (stamp.day - EPOCH.toordinal()) * 86400 + stamp.second - stamp.offset
            watts = values.number(match[3], None, values.Place(str(path), number, "power"))  # NaN for 'N/A'
            samples.setdefault(match[2], []).append((second, watts, f"{path}:{number}"))
        return [
            channel_of(
                Series(
                    outlet,
                    np.array([second for second, _, _ in readings]),
                    np.array([watts for _, watts, _ in readings]),
                    "rack_pdu",
                    tuple(place for _, _, place in readings),
                    EPOCH,
                ),
                options,
            )
            for outlet, readings in samples.items()
        ]


READER = AcmeMeter()
