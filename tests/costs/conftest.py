from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import tco
from tco.estimation.costs.choice import METHODS, CostChoice

DATA = Path(__file__).resolve().parents[1] / "data" / "costs"


class Cases:
    """Runs of a node whose costs are all stated, so that nothing comes from the catalogue unasked."""

    SYSTEM = tomllib.loads((DATA / "node.toml").read_text(encoding="utf-8"))
    SITE = tomllib.loads((DATA / "site.toml").read_text(encoding="utf-8"))

    @staticmethod
    def run(**changes: Any) -> tco.Run:
        data: dict[str, Any] = {
            "name": "case",
            "duration": "100 h",
            "nodes": 2,
            "devices": [{"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": 16}],
            "power": {"boundary": "node_ac", "scope": "node", "average_power": "6 kW"},
        }
        return tco.Run.model_validate({**data, **changes})

    def estimate(
        self,
        *,
        run: tco.Run | None = None,
        system: dict[str, Any] | None = None,
        site: dict[str, Any] | None = None,
        cost: CostChoice | None = None,
        **stated: Any,
    ) -> tco.Estimate:
        return tco.estimate(
            run or self.run(),
            system=tco.System.model_validate({**self.SYSTEM, **(system or {})}),
            site=tco.Site.model_validate({**self.SITE, **(site or {})}),
            set={name.replace("__", "."): value for name, value in stated.items()},
            cost=cost,
        )

    def all_methods(self, **given: Any) -> tco.Estimate:
        return self.estimate(cost=CostChoice(methods=METHODS), **given)


@pytest.fixture(scope="session")
def cases() -> Cases:
    return Cases()
