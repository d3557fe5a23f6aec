"""Logs of carbontracker: mean powers of each epoch, and totals that it has multiplied by a PUE."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Boundary, Run, Warning_

_STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d - "
_LOG = re.compile(_STAMP + r"(?:CarbonTracker: )?(.*)")
_EPOCH = re.compile(r"Epoch (\d+):\s*$")
_DURATION = re.compile(r"Duration: (.+?)\s*$")
_POWER = re.compile(r"Average power usage \(W\) for (\w+): (.+?)\s*$")
_PUE = re.compile(r"multiplied by a PUE coefficient of ([0-9.]+)")
_VERSION = re.compile(r"carbontracker version (\S+)")
_ACTUAL = re.compile(r"Actual consumption for (\d+) epoch")
_PREDICTED = re.compile(r"Predicted consumption for")
_FIGURE = re.compile(r"\s+(Time|Energy|CO2eq):\s+(.+?)\s*$")
_CLOCK = re.compile(r"(?:(\d+) days?, )?(\d+):(\d\d):(\d\d(?:\.\d+)?)")
_INTENSITY = re.compile(r"Average carbon intensity during training was ([0-9.]+) gCO2eq/kWh")
_COMPONENTS: dict[str, Boundary] = {"gpu": "gpu_board", "cpu": "cpu_package"}
_OUTPUT = "_output"


class CarbonTracker:
    """Reads ``..._carbontracker.log`` (powers) and ``..._carbontracker_output.log`` (totals)."""

    name = "carbontracker"
    title = "log of carbontracker"
    boundary = "GPU boards and CPU packages; totals hold a PUE"

    def sniff(self, path: Path) -> float:
        """Whether the first lines are those of carbontracker."""
        from tco.readers.blocks import first_bytes

        text = first_bytes(path).decode("utf-8", "replace")
        known = "carbontracker version" in text or re.search(_STAMP + "CarbonTracker: ", text)
        return 1.0 if known else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run: from the totals where the log has them, else from the epochs."""
        from tco.errors import ReadError

        log = _parse(path)
        if log.totals:
            return [_run_of_total(path, log, total, options) for total in log.totals]
        if log.epochs:
            return [_run_of_epochs(path, log, options)]
        raise ReadError(
            f"{path}: has no 'Actual consumption' and no epoch; the tracker was stopped before the first one"
        )


class _Total(NamedTuple):
    line: int
    epochs: int
    figures: dict[str, str]


class _Epoch(NamedTuple):
    line: int
    duration_s: float
    powers_w: dict[str, float]


class _Log(NamedTuple):
    version: str | None
    pue: float | None
    intensity: float | None
    components: str | None
    epochs: list[_Epoch]
    totals: list[_Total]


def _parse(path: Path) -> _Log:
    from tco.readers.rows import lines

    version = components = None
    pue = intensity = None
    epochs: list[_Epoch] = []
    totals: list[_Total] = []
    block: dict[str, str] | None = None
    for number, text in lines(path):
        where = f"{path}:{number}"
        head = _LOG.match(text)
        body = head[1] if head else text
        if found := _VERSION.search(body):
            version = found[1]
        elif found := _PUE.search(body):
            pue = _number(found[1], where)
        elif found := _INTENSITY.search(body):
            intensity = _number(found[1], where)
        elif "components were found:" in body:
            components = body.partition("found:")[2].strip().rstrip(".")
        elif _EPOCH.match(body):
            epochs.append(_Epoch(number, 0.0, {}))
        elif (found := _DURATION.match(body)) and epochs:
            epochs[-1] = epochs[-1]._replace(duration_s=_clock(found[1], where))
        elif (found := _POWER.match(body)) and epochs:
            power = _power(found[2], where)
            if power is not None:
                epochs[-1].powers_w[found[1].casefold()] = power
        elif found := _ACTUAL.search(body):
            block = {}
            totals.append(_Total(number, int(found[1][:9]), block))
        elif _PREDICTED.search(body):
            block = {}  # a forecast, kept from being read as a total
        elif (found := _FIGURE.match(text)) and block is not None:
            block.setdefault(found[1], found[2])
    return _Log(version, pue, intensity, components, epochs, totals)


def _number(text: str, where: str) -> float:
    import math

    from tco.errors import ReadError

    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise ReadError(f"{where}: '{text}' is not a number of 0 or more")
    return number


def _clock(text: str, where: str) -> float:
    from tco.errors import ReadError

    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ReadError(f"{where}: '{text}' is not a time such as '0:12:34.56'")
    days, hours, minutes, whole = (_number(part or "0", where) for part in match.groups())
    return days * 86400 + hours * 3600 + minutes * 60 + whole


def _power(text: str, where: str) -> float | None:
    """The power of a component, of all its devices together; None where it was not measured."""
    from tco.readers.values import is_missing

    parts = [part for part in text.strip("[]").split(",") if not is_missing(part)]
    return sum(_number(part.strip(), where) for part in parts) if parts else None


def _run_of_total(path: Path, log: _Log, total: _Total, options: ReadOptions) -> Run:
    """The total as logged, which holds the PUE; how large it is stands in the other log of the run."""
    from tco.errors import ReadError
    from tco.readers.making import evidence, make_run, seconds
    from tco.records.run import Tool, Warning_

    where = f"{path}:{total.line}"
    energy, files, warnings = total.figures.get("Energy"), [path], []
    if energy is None or not energy.endswith(" kWh"):
        raise ReadError(f"{where}: has no energy in kWh under 'Actual consumption'; the log was cut off")
    pue, beside, other = log.pue, path.with_name(path.name.replace(_OUTPUT, "")), None
    if beside != path and beside.is_file():
        other = _parse(beside)
        files.append(beside)
        pue = other.pue if pue is None else pue
    if pue is None:
        warnings.append(
            Warning_(
                code="pue-unknown",
                message="carbontracker has multiplied this energy by a PUE, and the log that says which, "
                f"'{beside.name}', is not beside it; state 'pue'",
                where=where,
            )
        )
    boundary, method = _where(log, other, warnings, where)
    clock = total.figures.get("Time")
    duration = _clock(clock, where) if clock else None
    if other is not None and len(other.epochs) == total.epochs and other.epochs:
        duration = sum(epoch.duration_s for epoch in other.epochs)  # the total is rounded to seconds
    carbon = total.figures.get("CO2eq", "")
    return make_run(
        where,
        name=path.stem,
        tool=Tool(name="carbontracker", version=log.version or (other.version if other else None)),
        duration=seconds(duration),
        work=[{"quantity": "epochs", "value": total.epochs}],
        energy=[
            {
                "boundary": options.boundary or boundary,
                "value": _number(energy.removesuffix(" kWh"), where),
                "unit": "kWh",
                "rule": "carbontracker_total",
                "method": method,
                "source": path.name,
            }
        ],
        pue_included=True,
        pue=None if pue is None else {"value": pue, "unit": "1"},
        results=_results(log, other, _number(carbon.removesuffix(" g"), where) if carbon.endswith(" g") else None),
        provenance=evidence(*files),
        warnings=warnings,
    )


def _where(log: _Log, other: _Log | None, warnings: list[Warning_], where: str) -> tuple[Boundary | None, str | None]:
    """The boundary of a total: that of its one component; of several there is none that holds just them."""
    from tco.records.run import Warning_

    names = (log.components or (other.components if other else None) or "").upper()
    found = [name for name in _COMPONENTS if re.search(rf"\b{name.upper()}\b", names)]
    method = _method(other.epochs, "cpu") if other is not None and found == ["cpu"] else None
    if len(found) == 1:
        return _COMPONENTS[found[0]], method
    if found:
        warnings.append(
            Warning_(
                code="partial-boundary",
                message="the total is that of GPU boards and CPU packages together; memory, fans, network and losses "
                "of the power supply are not in it. It is taken as that of the boards",
                where=where,
            )
        )
        return "gpu_board", None
    return None, None


def _method(epochs: Sequence[_Epoch], component: str) -> str | None:
    """``model`` where a CPU shows one power to the last digit in every epoch: no sensor does."""
    powers = [epoch.powers_w[component] for epoch in epochs if component in epoch.powers_w]
    if component == "cpu" and len(powers) > 1 and len(set(powers)) == 1:
        return "model"
    return "sensor" if len(powers) > 1 else None


def _run_of_epochs(path: Path, log: _Log, options: ReadOptions) -> Run:
    """Mean power x duration of each epoch; these are without PUE."""
    from tco.readers.making import evidence, make_run, seconds
    from tco.records.run import Tool, Warning_

    warnings: list[Warning_] = []
    energy: list[dict[str, Any]] = []
    names = list(dict.fromkeys(name for epoch in log.epochs for name in epoch.powers_w))
    for name in names:
        missing = [epoch.line for epoch in log.epochs if name not in epoch.powers_w]
        if missing:
            warnings.append(
                Warning_(
                    code="missing-samples",
                    message=f"'{name}' has no power in {len(missing)} of {len(log.epochs)} epochs; it is not counted "
                    "there",
                    where=f"{path}:{missing[0]}",
                )
            )
        method = _method(log.epochs, name)
        if method == "model":
            warnings.append(
                Warning_(
                    code="modelled",
                    message=f"'{name}' shows one power to the last digit in all epochs: a model, not a measurement",
                    where=str(path),
                )
            )
        energy.append(
            {
                "boundary": options.boundary or _COMPONENTS.get(name),
                "value": sum(epoch.duration_s * epoch.powers_w.get(name, 0.0) for epoch in log.epochs),
                "unit": "J",
                "rule": "mean_power_x_epoch",
                "method": method,
                "device": None if len(names) == 1 or name in _COMPONENTS else name,
                "source": path.name,
            }
        )
    return make_run(
        str(path),
        name=path.stem,
        tool=Tool(name="carbontracker", version=log.version),
        duration=seconds(sum(epoch.duration_s for epoch in log.epochs)),
        work=[{"quantity": "epochs", "value": len(log.epochs)}],
        energy=energy,
        results=_results(log, None, None),
        provenance=evidence(path),
        warnings=warnings,
    )


def _results(log: _Log, other: _Log | None, carbon_g: float | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if carbon_g is not None:
        found.append({"name": "emissions", "value": carbon_g, "unit": "gCO2e", "note": "at the tool's grid factor"})
    intensity = log.intensity if log.intensity is not None else (other.intensity if other else None)
    if intensity is not None:
        found.append({"name": "grid factor of the tool", "value": intensity, "unit": "gCO2e/kWh"})
    epochs = log.epochs or (other.epochs if other else [])
    for name in dict.fromkeys(name for epoch in epochs for name in epoch.powers_w):
        powers = [epoch.powers_w[name] for epoch in epochs if name in epoch.powers_w]
        found.append(
            {"name": f"mean power of {name}", "value": sum(powers) / len(powers), "unit": "W", "note": "without PUE"}
        )
    return found


READER = CarbonTracker()
