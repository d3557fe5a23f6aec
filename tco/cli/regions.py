"""``tco regions``."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    text: Annotated[str | None, typer.Argument(help="Part of a name or an id; all places without it.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The places that --region knows, with their newest grid factor."""
    from tco.errors import RegionError
    from tco.grid_intensity import factor, regions

    rows = []
    for region in regions():
        if text is not None and text.casefold() not in f"{region.id} {region.name}".casefold():
            continue
        try:
            newest = factor(region)
        except RegionError:
            newest = None
        rows.append((region, newest))
    if not rows:
        raise RegionError(f"no place has '{text}' in its name or id")
    if json_:
        import json

        data = [
            {
                "id": region.id,
                "name": region.name,
                "kind": region.kind,
                "parent": region.parent,
                "gco2e_per_kwh": newest.value if newest else None,
                "data_year": newest.data_year if newest else None,
            }
            for region, newest in rows
        ]
        typer.echo(json.dumps(data, indent=2, ensure_ascii=False))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table("Id", "Name", "Kind", box=box.SIMPLE_HEAD)
    table.add_column("gCO2e/kWh", justify="right")
    table.add_column("Year")
    table.add_column("Otherwise")
    for region, newest in rows:
        value = ("", "", f"grid of {region.parent}" if region.parent else "no data")
        if newest is not None:
            value = (f"{newest.value:g}", str(newest.data_year), "")
        table.add_row(region.id, region.name, region.kind.replace("_", " "), *value)
    console = Console(highlight=False)
    (console if console.is_terminal else Console(width=120, highlight=False)).print(table)
