"""Energies by rank of a parallel program: ranks of one node read the counter of that node, and not each their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run

_HOSTS = ("host", "hostname", "node", "nodename")
_ENERGY = re.compile(r"energy_(uJ|mJ|J|kJ|MJ|Wh|kWh)")
_EXAMPLE = "'rank,host,energy_J'"
_SCOPES = ("node", "rank")
#: Ranks that read one counter a little apart in time differ by less than this.
_ALIKE = 0.05


class Ranks:
    """Reads a CSV table with one row for each rank."""

    name = "ranks"
    title = f"CSV table of energies by rank ({_EXAMPLE})"
    boundary = "node, DC, unless stated"

    def sniff(self, path: Path) -> float:
        """Whether the columns are a rank, a host and an energy."""
        from tco.readers.blocks import first_line

        names = [name.strip().strip('"') for name in first_line(path).split(",")]
        known = "rank" in names and any(host in names for host in _HOSTS)
        return 0.9 if known and any(_ENERGY.fullmatch(name) for name in names) else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run: the energy of each node once, unless the file or the caller says that it is that of ranks."""
        return [_run(path, options)]


def _run(path: Path, options: ReadOptions) -> Run:
    from tco.errors import ReadError
    from tco.readers.making import evidence, make_run
    from tco.readers.rows import rows
    from tco.records.run import Warning_

    hosts: dict[str, dict[str, float]] = {}
    scopes: set[str] = set()
    unit = "J"
    for row in rows(path, required=("rank",)):
        host = next((name for name in _HOSTS if name in row.cells), None)
        column = next((name for name in row.cells if _ENERGY.fullmatch(name)), None)
        if host is None or column is None:
            raise ReadError(f"{path}:{row.line}: has no column of hosts or of energies; {_EXAMPLE} is expected")
        unit = column.removeprefix("energy_")
        energy = row.number(column, at_least=0)
        if energy is None:
            continue
        scope = row.text("scope")
        if scope is not None:
            if scope not in _SCOPES:
                raise ReadError(f"{row.place('scope')}: '{scope}' is not known; write 'node' or 'rank'")
            scopes.add(scope)
        of_host = hosts.setdefault(row.cells[host], {})
        if row.cells["rank"] in of_host:
            raise ReadError(f"{row.place('rank')}: rank {row.cells['rank']} stands twice for '{row.cells[host]}'")
        of_host[row.cells["rank"]] = energy
    if not hosts:
        raise ReadError(f"{path}: has no energy of any rank")
    if len(scopes) > 1:
        raise ReadError(f"{path}: column 'scope': some rows are of nodes and some of ranks")
    stated: str | None = options.scope or next(iter(scopes), None)
    warnings = []
    several = [host for host, of_ranks in hosts.items() if len(of_ranks) > 1]
    if stated is None and several:
        total = sum(sum(of_ranks.values()) for of_ranks in hosts.values())
        warnings.append(
            Warning_(
                code="scope-assumed",
                message=f"ranks of one host ({', '.join(several[:4])}) are taken to read the counter of that host, "
                f"which is counted once; if each figure is that of its rank alone, the sum is {total:g} {unit}: state "
                "the scope 'rank'",
                where=str(path),
            )
        )
    for host in several if stated != "rank" else []:
        low, high = min(hosts[host].values()), max(hosts[host].values())
        if high - low > _ALIKE * high:
            warnings.append(
                Warning_(
                    code="ranks-differ",
                    message=f"the ranks of '{host}' give {low:g} to {high:g} {unit} for one counter; the largest is "
                    "taken",
                    where=str(path),
                )
            )
    energies: list[dict[str, Any]] = [
        {
            "boundary": options.boundary or "node_dc",
            "value": sum(of_ranks.values()) if stated == "rank" else max(of_ranks.values()),
            "unit": unit,
            "rule": "counter",
            "method": "counter",
            "device": host,
            "source": path.name,
        }
        for host, of_ranks in hosts.items()
    ]
    return make_run(
        str(path),
        name=path.stem,
        nodes=len(hosts),
        devices=[{"kind": "node", "count": len(hosts), "ids": tuple(hosts)}],
        energy=energies,
        provenance=evidence(path),
        warnings=warnings,
    )


READER = Ranks()
