"""What the power sensor of a GPU sees of the time, where somebody has measured it."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from tco.knowledge import folder
from tco.records.run import Warning_

#: A sensor that sees more of the time than this is not worth a word.
_ENOUGH = 0.9


@cache
def _sensors() -> dict[str, Any]:
    return tomllib.loads((folder("catalog") / "sensors.toml").read_text(encoding="utf-8"))


def partial_view(model: str, column: str, where: str) -> Warning_ | None:
    """A word where the sensor behind a column of nvidia-smi sees only a part of the time.

    Parameters
    ----------
    model
        Name of the GPU, as nvidia-smi prints it.
    column
        Name of the column, without its unit.
    where
        The file, for the message.
    """
    for sensor in _sensors().values():
        if sensor["model"] not in model or column not in sensor["columns"]:
            continue
        window, period = sensor["window"], sensor["period"]
        if window["value"] >= _ENOUGH * period["value"]:
            return None
        source = window["source"]
        return Warning_(
            code="sensor-window",
            message=f"the power sensor of {sensor['model']} GPUs shows the mean of {window['value']:g} of each "
            f"{period['value']:g} ms ({source['author']} {source['year']}); a load that changes within that time is "
            "seen in part, and repeats should be averaged",
            where=where,
        )
    return None
