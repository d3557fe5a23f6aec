"""PUE and WUE of a site: stated, of its plant at a load, of a table by region, else the mean of a survey."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tco.estimation.case import Case
from tco.formulas import grid as formulas
from tco.graph import Node
from tco.records.figure import Figure

if TYPE_CHECKING:
    from tco.grid_intensity.sites import SiteTable


def site_figure(
    case: Case, name: str, what: Literal["pue", "wue"], unit: str, label: str, stated: Figure | None
) -> Node | None:
    """An input of the site: stated, else of the user's table for the region, else for the country around it."""
    if stated is None and not case.graph.is_stated(name):
        table = _table(case)
        found = table.figure(what, case.region, case.year) if table is not None and case.region is not None else None
        if table is not None and found is not None:
            figure, place = found
            if all(known.name != table.path.name for known in case.data_sets):
                case.data_sets.append(table.data_set)
            assert figure.source is not None
            case.offered.add(name)
            return case.figure(
                name, figure, unit, f"{label} ({place}, {figure.source.year})", assumed=True,
                region=place, data_year=figure.source.year,
            )  # fmt: skip
    return case.one_of(name, unit, label, stated=stated)


def add_pue(case: Case, label: str) -> Node:
    """The PUE of the site."""
    name, site = "site.pue", case.site
    if site.pue_curve is not None and not case.graph.is_stated(name):
        return _at_load(case, label)
    node = site_figure(case, name, "pue", "1", label, site.pue)
    if node is not None:
        return node
    if case.region is not None and case.region.kind == "cloud_region":
        from tco.grid_intensity.sites import fleet_hint

        hint = fleet_hint(case.region)
        case.warn(
            "pue-survey-mean",
            f"no PUE of {case.region.name} is known; the mean of a survey is taken. --sites FILE reads a table by "
            f"region, --set site.pue=... states it{f'; {hint}, which is no figure of this region' if hint else ''}",
            name,
        )
    node = case.one_of(name, "1", label, stated=None, default=name)
    assert node is not None
    return node


def _table(case: Case) -> SiteTable | None:
    if case.grid.sites is None:
        return None
    from tco.grid_intensity.sites import site_table

    return site_table(Path(case.grid.sites))


def _at_load(case: Case, label: str) -> Node:
    curve, load = case.site.pue_curve, case.site.load
    assert curve is not None
    assert load is not None
    assumed = isinstance(curve, str)
    if isinstance(curve, str):
        from tco.grid_intensity.sites import plant

        curve = plant(curve)
    at = case.figure("site.load", load, "1", "IT power over what the plant is built for", assumed=False)
    what = "Losses of the plant over its rating"
    losses = [
        case.figure(f"site.plant.{form}", getattr(curve, form), "1", f"{what}, {words}", assumed=assumed)
        for form, words in (
            ("no_load", "whatever the load"),
            ("proportional", "with the load"),
            ("square_law", "with its square"),
        )
    ]
    return case.graph.line(
        "site.pue", formulas.partial_load_pue(at, *losses), "1", f"{label} at its load", by=formulas.partial_load_pue
    )
