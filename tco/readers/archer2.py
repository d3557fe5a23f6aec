"""Monthly tables of the use of ARCHER2: node-hours and energy by code, or by processor frequency.

The energy is that of the compute nodes. Their idle time is in no row.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

_NAMES = ("Min", "Q1", "Median", "Q3", "Max", "Jobs", "Nodeh", "PercentUse", "kWh", "PercentEnergy")
_MONTH = re.compile(r"(\d{4})-(\d\d)(?!\d)")
_ALL = "Overall"


class Archer2:
    """Reads monthly tables of use."""

    name = "archer2-usage"
    title = "ARCHER2 monthly usage table (CodePower, CPUFreqPower)"
    boundary = "compute nodes, DC (Cray power counters)"

    def sniff(self, path: Path) -> float:
        """Whether the columns are those of such a table."""
        from tco.readers.blocks import first_line

        names = first_line(path).split(",")
        return 0.95 if tuple(names[1:11]) == _NAMES else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run, the month: all jobs together, or the rows that are asked for."""
        from calendar import monthrange

        from tco.errors import ReadError, did_you_mean
        from tco.files import sha256
        from tco.readers import values
        from tco.readers.blocks import read_header, small_table
        from tco.readers.compressed import plain_name
        from tco.records.base import validate
        from tco.records.run import EnergyReading, Evidence, Run, Tool, Warning_, Work
        from tco.units import Q

        header = read_header(path)
        if header.names[1:11] != _NAMES:
            raise ReadError(f"{header.place}: is not a table of use with the columns {', '.join(_NAMES)}")
        rows = {row[0]: (line, row) for line, row in small_table(path, width=len(header.names))[1:]}
        wanted = options.devices or (_ALL,)
        totals = dict.fromkeys(("Nodeh", "kWh", "Jobs"), 0.0)
        for name in wanted:
            if name not in rows:
                raise ReadError(f"{path}: there is no row '{name}'{did_you_mean(name, rows)}")
            line, row = rows[name]
            for column in totals:
                place = values.Place(str(path), line, column)
                number = values.number(row[header.column(column)], None, place)
                if not number >= 0:
                    raise ReadError(f"{place}: '{row[header.column(column)]}' is not a number of at least 0")
                totals[column] += number
        match = _MONTH.search(plain_name(path))
        hours = None
        if match and 1 <= int(match[2]) <= 12:
            hours = monthrange(int(match[1]), int(match[2]))[1] * 24
        note = f"{totals['Nodeh']:.12g} node-hours; the energy of idle nodes is in no row"
        data = {
            "name": f"ARCHER2 {match[0] if match else ''}, {', '.join(wanted)}",
            "tool": Tool(name="ARCHER2 usage table"),
            "start": f"{match[0]}-01T00:00:00Z" if match and hours else None,
            "duration": None if hours is None else Q(hours, "h"),
            "nodes": totals["Nodeh"] / hours if hours and totals["Nodeh"] else None,
            "work": [Work(quantity="jobs", value=totals["Jobs"])],
            "energy": [
                EnergyReading(
                    value=totals["kWh"],
                    unit="kWh",
                    rule="sum of jobs",
                    method="counter",
                    boundary=options.boundary or "node_dc",
                    source=path.name,
                )
            ],
            "provenance": [Evidence(file=path.name, sha256=sha256(path))],
            "warnings": [Warning_(code="mean-nodes", message=note, where=path.name)],
        }
        return [validate(Run, data, str(path))]


READER = Archer2()
