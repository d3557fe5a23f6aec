"""Power of a node, or of a PDU, as its management controller answers by Redfish, of one moment.

``Power`` (PowerControl and power supplies), ``EnvironmentMetrics``, ``PowerDistributionMetrics`` and outlets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Boundary, PowerReading, Run, Warning_

_TYPES = ("#Power.", "#EnvironmentMetrics.", "#PowerDistributionMetrics.", "#Outlet")
_LARGEST = 1e8


class Redfish:
    """Reads power resources of Redfish."""

    name = "redfish"
    title = "Redfish Power, EnvironmentMetrics or PowerDistributionMetrics (JSON)"
    boundary = "node, AC input; DC for the output of power supplies; rack PDU"

    def sniff(self, path: Path) -> float:
        """Whether it says that it is such a resource."""
        from tco.readers.blocks import first_bytes

        head = first_bytes(path)
        if not head.lstrip().startswith(b"{"):
            return 0.0
        known = any(kind.encode() in head for kind in _TYPES)
        return 0.95 if known else 0.9 if b'"PowerControl"' in head else 0.0

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run with the powers of the resource; the mean of the node is the one that counts."""
        from tco.errors import ReadError
        from tco.files import sha256
        from tco.readers.small import MOST_BYTES_OF_OBJECTS, json_of, text_of
        from tco.records.base import validate
        from tco.records.run import Evidence, Result, Run, Tool, Warning_

        data: Any = json_of(path, text_of(path, most=MOST_BYTES_OF_OBJECTS))
        if not isinstance(data, dict):
            raise ReadError(f"{path}: is not a resource of Redfish, which is a JSON object")
        if options.devices is not None:
            raise ReadError(f"{path}: is of one node; there are no devices to choose from")
        if "PowerControl" in data:
            powers, said = _of_power(path, data, options)
        else:
            powers, said = _of_metrics(path, data, options)
        if not powers:
            raise ReadError(f"{path}: has no power: neither 'PowerControl' nor 'PowerWatts' with a 'Reading'")
        notes: list[Warning_] = [
            Warning_(
                code="one-moment",
                message=f"{'; '.join(said)}: one answer is no energy yet; say how long the run took, and whether it "
                "drew this power throughout, or ask again and again",
                where=path.name,
            )
        ]
        results = []
        energy = _reading(data.get("EnergykWh"), f"{path}: EnergykWh")
        if energy is not None:
            results.append(Result(name="EnergykWh", value=energy, unit="kWh", note="total since the meter was reset"))
        data = {
            "tool": Tool(name="redfish", version=_version(data)),
            "power": powers,
            "results": results,
            "provenance": [Evidence(file=path.name, sha256=sha256(path))],
            "warnings": notes,
        }
        return [validate(Run, data, str(path))]


def _version(data: dict[str, Any]) -> str | None:
    parts = str(data.get("@odata.type", "")).split(".")
    return parts[1] if len(parts) > 2 else None


def _number(value: Any, place: str) -> float | None:
    """A number of a resource; None where it is null or not there."""
    from tco.errors import ReadError

    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_LARGEST < value < _LARGEST:
        raise ReadError(f"{place}: {value!r:.40} is not a number")
    if value < 0:
        raise ReadError(f"{place}: {value:g} is below zero")
    return float(value)


def _reading(value: Any, place: str) -> float | None:
    return _number(value.get("Reading"), f"{place}.Reading") if isinstance(value, dict) else None


def _items(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _power(
    watts: float, boundary: Boundary, place: str, device: str | None = None, minutes: float | None = None
) -> PowerReading:
    from tco.records.run import PowerReading
    from tco.units import Q

    return PowerReading(
        average_power=Q(watts, "W"),
        method="sensor",
        boundary=boundary,
        device=device,
        rule="mean_in_window" if minutes else None,
        sampling=Q(minutes * 60, "s") if minutes else None,
        source=place,
    )


def _of_power(path: Path, data: dict[str, Any], options: ReadOptions) -> tuple[list[PowerReading], list[str]]:
    """The power of the whole node first, then what stands beside it."""
    powers: list[PowerReading] = []
    said: list[str] = []
    for index, control in enumerate(_items(data["PowerControl"])):
        place = f"PowerControl[{index}]"
        metrics = control.get("PowerMetrics")
        metrics = metrics if isinstance(metrics, dict) else {}
        minutes = _number(metrics.get("IntervalInMin"), f"{path}: {place}.PowerMetrics.IntervalInMin")
        mean = _number(metrics.get("AverageConsumedWatts"), f"{path}: {place}.PowerMetrics.AverageConsumedWatts")
        moment = _number(control.get("PowerConsumedWatts"), f"{path}: {place}.PowerConsumedWatts")
        if index:  # controls after the first one are parts of it
            said.append(f"{control.get('Name') or place} {moment if moment is not None else mean} W is a part of it")
            continue
        if mean:
            powers.append(_power(mean, options.boundary or "node_ac", f"{path.name}: {place}", None, minutes))
            said.append(f"mean {mean:g} W" + (f" over {minutes:g} min" if minutes else ""))
        if moment is not None:
            device = "moment" if mean else None
            powers.append(_power(moment, options.boundary or "node_ac", f"{path.name}: {place}", device))
            said.append(f"{moment:g} W at the moment")
    if options.boundary is not None:
        return powers, said
    kinds: tuple[tuple[str, Boundary, str], ...] = (
        ("PowerInputWatts", "node_ac", "into"),
        ("PowerOutputWatts", "node_dc", "out of"),
    )
    for field, boundary, word in kinds:
        supplies = [
            (str(supply.get("MemberId", index)), watts)
            for index, supply in enumerate(_items(data.get("PowerSupplies")))
            if (watts := _number(supply.get(field), f"{path}: PowerSupplies[{index}].{field}")) is not None
        ]
        for member, watts in supplies:
            powers.append(_power(watts, boundary, f"{path.name}: PowerSupplies.{field}", f"supply {member}"))
        if supplies:
            said.append(f"{sum(watts for _, watts in supplies):g} W {word} the power supplies")
    return powers, said


def _of_metrics(path: Path, data: dict[str, Any], options: ReadOptions) -> tuple[list[PowerReading], list[str]]:
    kind = str(data.get("@odata.type", ""))
    boundary: Boundary = "rack_pdu" if kind.startswith(("#PowerDistributionMetrics", "#Outlet")) else "node_ac"
    watts = _reading(data.get("PowerWatts"), f"{path}: PowerWatts")
    if watts is None:
        return [], []
    return [_power(watts, options.boundary or boundary, f"{path.name}: PowerWatts")], [f"{watts:g} W at the moment"]


READER = Redfish()
