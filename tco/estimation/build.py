"""The main job: a run, its hardware and its place in, an estimate out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tco import catalog, grid_intensity
from tco.errors import EstimateError, did_you_mean
from tco.estimation.carbon import add_carbon, add_water
from tco.estimation.case import Case
from tco.estimation.choice import NOTHING_CHOSEN, GridChoice
from tco.estimation.cost import add_cost
from tco.estimation.costs.choice import NO_CHOICE, CostChoice
from tco.estimation.costs.useful import add_useful
from tco.estimation.energy import add_energy
from tco.estimation.result import Estimate
from tco.estimation.work import add_work
from tco.records.base import load
from tco.records.run import Run
from tco.records.site import Site
from tco.records.system import System
from tco.units import CURRENCIES

if TYPE_CHECKING:
    from tco.readers import ReadOptions

_RECORD_FILES = (".toml", ".json")


def estimate(
    run: Run | str | Path,
    *,
    region: str | None = None,
    system: System | str | Path | None = None,
    site: Site | str | Path | None = None,
    set: Mapping[str, object] | None = None,
    year: int | None = None,
    currency: str | None = None,
    grid: GridChoice | None = None,
    embodied_method: str | None = None,
    cost: CostChoice | None = None,
    as_: str | None = None,
    reading: ReadOptions | None = None,
) -> Estimate:
    """Estimate energy, carbon and cost of a run.

    Parameters
    ----------
    run
        A run record, or a file that holds one or that a reader knows.
    region
        Country, grid zone, cloud region or aggregate; else that of the site, else that of the run.
    system
        Hardware record, name of one in the catalogue, or a file; else that of the run, else told from its devices.
    site
        Site record, or a file.
    set
        Values for inputs by dotted name, each text with a unit, ``{value, unit}``, a quantity, or a plain number
        where the input has no unit.
    year
        Year of the data to use; else that of the run, else the newest.
    currency
        ISO code to report cost in; else that of the tariff.
    grid
        Choices about the grid: data set, hourly intensity, trend, stand-in, table of sites.
    embodied_method
        Method for the embodied carbon of all parts, such as ``edge-aware`` (see `tco.embodied`); else what the hardware
        records publish, and estimates for parts without a publication.
    cost
        Choices about cost: methods beside amortised, allocation, exchange rates of a date, price index.
    as_, reading
        Format of the file of the run, and how to read it; see `tco.readers.read`.

    Returns
    -------
    Estimate

    Raises
    ------
    TcoError
        If something given cannot be used: the message names it and what would be right.
    """
    if isinstance(run, Run):
        record, where, folder = run, run.name or "run", Path()
    else:
        record, where, folder = _read(Path(run), as_, reading), str(run), Path(run).parent
    site_folder = Path()
    if isinstance(site, str | Path):
        site_folder = Path(site).parent
        site = load(Site, Path(site))
    site = site or Site()
    if currency is not None and currency not in CURRENCIES:
        raise EstimateError(f"currency '{currency}' is not known{did_you_mean(currency, CURRENCIES)} (ISO codes)")

    place = region or site.region or (record.location.region if record.location else None)
    case = Case(
        run=record,
        system=None,
        site=site,
        region=None if place is None else grid_intensity.resolve(place),
        where=where,
        stated=set or {},
        year=year if year is not None else (record.start.year if record.start else None),
        currency=currency,
        grid=grid or NOTHING_CHOSEN,
        embodied_method=embodied_method,
        site_folder=site_folder,
        cost=cost or NO_CHOICE,
    )
    case.system = _system(case, system, folder)
    _warn_of_other_devices(case)
    energies = add_energy(case)
    add_carbon(case, energies)
    add_water(case, energies)
    case.plan = add_cost(case, energies)
    add_work(case)
    add_useful(case)
    case.graph.check_all_stated_used(sorted(case.offered))
    return Estimate(case, energies.groups)


def _read(path: Path, as_: str | None, reading: ReadOptions | None) -> Run:
    from tco.readers import read

    runs = read(path, as_=as_, options=reading)
    if len(runs) != 1:
        raise EstimateError(
            f"{path}: holds {len(runs)} runs; estimate them one by one: tco read {path} -o run.json writes each one"
        )
    return runs[0]


def _system(case: Case, named: System | str | Path | None, folder: Path) -> System | None:
    """The hardware record: named by the user, named by the run, or told from the devices of the run."""
    if isinstance(named, System):
        case.system_assumed = False
        return named
    run = case.run
    if named is None and run.system is not None:
        named = folder / run.system if Path(run.system).suffix in _RECORD_FILES else run.system
    if named is not None:
        path = Path(named)
        if path.suffix not in _RECORD_FILES:
            return catalog.system(str(named))
        case.system_assumed = False
        return load(System, path)
    for index, device in enumerate(run.devices):
        fitting = catalog.systems_with(device.model) if device.model else ()
        if not fitting:
            continue
        others = f" (also with it: {', '.join(fitting[1:])})" if fitting[1:] else ""
        case.warn(
            "system-assumed",
            f"nobody named the node of {device.model}; the hardware record '{fitting[0]}' is taken{others}; "
            "--system names another",
            f"{case.where}: devices[{index}]",
        )
        return catalog.system(fitting[0])
    return None


def _warn_of_other_devices(case: Case) -> None:
    """Say so where the devices of the run are not those of the hardware record."""
    for index, device in enumerate(case.run.devices):
        record = catalog.find_accelerator(device.model) if device.model else None
        if record is not None and case.system is not None and record.name != case.system.accelerator:
            holds = case.system.accelerator or "no accelerators"
            case.warn(
                "hardware-mismatch",
                f"the run used {device.model} ({record.name}); the hardware record '{case.system.name}' holds {holds}",
                f"{case.where}: devices[{index}]",
            )
