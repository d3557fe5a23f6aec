"""``tco schema``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Record(StrEnum):
    """Records that have a schema."""

    run = "run"
    system = "system"
    site = "site"
    workload = "workload"
    simulator = "simulator"


def command(record: Annotated[Record, typer.Argument(help="Which record.")]) -> None:
    """The JSON Schema of a record, for editors and for those who write one."""
    import json

    from tco.records.base import Record as Base

    if record is Record.run:
        from tco.records.run import Run as Model
    elif record is Record.system:
        from tco.records.system import System as Model  # type: ignore[assignment]
    elif record is Record.workload:
        from tco.records.workload import Workload as Model  # type: ignore[assignment]
    elif record is Record.simulator:
        from tco.simulators.built_in.command import Description as Model  # type: ignore[assignment]
    else:
        from tco.records.site import Site as Model  # type: ignore[assignment]
    model: type[Base] = Model
    typer.echo(json.dumps(model.model_json_schema(by_alias=True), indent=2, ensure_ascii=False))
