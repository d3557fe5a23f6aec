"""The run: what was measured or simulated (schema ``tco.run/1``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, model_validator

from tco.errors import UnitError
from tco.records.base import Record
from tco.records.fields import Memory, Power, Pue, Rate, Time, refusal
from tco.units import Q, Quantity, read_quantity

#: Where a power or an energy was measured, inside out.
Boundary = Literal[
    "device_counter",
    "gpu_board",
    "module",
    "cpu_package",
    "node_dc",
    "node_ac",
    "system_wall_ac",
    "rack_pdu",
    "facility",
]
#: How a figure came about. ``rating`` and ``all_in`` are provisioned power: never turned into energy.
Method = Literal["counter", "meter", "sensor", "model", "rating", "all_in"]
Rule = Literal["trapezoid", "left_rectangle", "right_rectangle"]
#: Phases that are printed with six digits add up to their whole to so much of it.
_ROUNDING = 1e-5
WORK_UNITS: Mapping[str, str] = {
    "tokens": "token",
    "samples": "sample",
    "images": "image",
    "iterations": "iteration",
    "sequences": "sequence",
    "requests": "request",
    "queries": "query",
    "epochs": "epoch",
    "jobs": "job",
    "FLOP": "FLOP",
}


class Tool(Record):
    """The tool that wrote the measurement."""

    name: str
    version: str | None = None


class Device(Record):
    """Devices of one kind that the run used."""

    also_known_as: ClassVar[Mapping[str, str]] = {"number": "count", "name": "model", "type": "kind"}

    kind: Literal["gpu", "tpu", "ipu", "npu", "cpu", "node", "accelerator"] = Field(description="What the devices are.")
    model: str | None = Field(
        default=None, description="Name as the tool prints it; matched with the hardware catalogue."
    )
    count: float = Field(default=1, gt=0, description="How many the operating system shows.")
    cards: float | None = Field(default=None, gt=0, description="How many cards, where a card holds several devices.")
    ids: tuple[str, ...] | None = None


class Work(Record):
    """Work done: a total, or a rate that held for the whole run."""

    quantity: Literal[
        "tokens", "samples", "images", "iterations", "sequences", "requests", "queries", "epochs", "jobs", "FLOP"
    ]
    basis: Literal["input", "output", "total"] | None = Field(
        default=None, description="Of tokens: which ones are counted."
    )
    value: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    rate: Rate | None = Field(default=None, description="Per second.")

    @model_validator(mode="before")
    @classmethod
    def _rate_in_its_own_unit(cls, data: Any) -> Any:
        """Read ``"20 token/s"`` and ``"20 1/s"`` alike."""
        if not isinstance(data, Mapping) or data.get("rate") is None or data.get("quantity") not in WORK_UNITS:
            return data
        unit = WORK_UNITS[data["quantity"]]
        try:
            rate = read_quantity(data["rate"], f"{unit}/s") / Q(1, unit)
        except UnitError:
            return data
        return {**data, "rate": rate}

    @model_validator(mode="after")
    def _one_of(self) -> Work:
        if (self.value is None) == (self.rate is None):
            raise refusal("give either 'value' (how much in all) or 'rate' (how much per second)")
        return self

    @property
    def unit(self) -> str:
        """The counted unit: ``token``, ``sample`` ..."""
        return WORK_UNITS[self.quantity]


class _Reading(Record):
    boundary: Boundary | None = Field(default=None, description="Where it was measured; assumed node_ac when left out.")
    device: str | None = Field(default=None, description="Id of the one device it belongs to.")
    phase: Literal["active", "idle"] | None = Field(default=None, description="Part of the run; phases add up.")
    method: Method | None = None
    source: str | None = Field(default=None, description="File or place it was read.")


class EnergyReading(_Reading):
    """An energy at a boundary."""

    value: float = Field(ge=0, allow_inf_nan=False)
    unit: str
    rule: str | None = Field(default=None, description="How the tool formed it.")
    coverage: float | None = Field(
        default=None, ge=0, le=1, description="Share of its time that samples cover; the rest is bridged."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        if not isinstance(data, str):
            return data
        try:
            energy = read_quantity(data, "kWh")
        except UnitError as error:
            raise refusal(str(error)) from None
        return {"value": float(energy.magnitude), "unit": "kWh"}

    @model_validator(mode="after")
    def _is_an_energy(self) -> EnergyReading:
        try:
            self.energy  # noqa: B018 - the conversion is the check
        except UnitError as error:
            raise refusal(str(error)) from None
        return self

    @property
    def energy(self) -> Quantity:
        """The energy in kWh."""
        return read_quantity({"value": self.value, "unit": self.unit}, "kWh")


class PowerReading(_Reading):
    """A mean power, or a trace of powers, at a boundary."""

    also_known_as: ClassVar[Mapping[str, str]] = {
        "power": "average_power",
        "mean_power": "average_power",
        "file": "trace",
    }

    scope: Literal["whole_run", "node", "device"] = Field(
        default="whole_run", description="Whose power it is: everything's, that of one node, or that of one device."
    )
    average_power: Power | None = None
    trace: str | None = Field(default=None, description="Power trace, a path relative to the run file.")
    rule: Rule | Literal["mean_in_window", "energy/duration"] | None = Field(
        default=None, description="How the trace is integrated (default: trapezoid), or how the mean was formed."
    )
    sampling: Time | None = Field(default=None, description="Nominal sampling interval.")

    @model_validator(mode="before")
    @classmethod
    def _from_quantity(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"average_power": data}
        if isinstance(data, Mapping) and "value" in data and "unit" in data and "average_power" not in data:
            rest = {key: item for key, item in data.items() if key not in ("value", "unit")}
            return {"average_power": {"value": data["value"], "unit": data["unit"]}, **rest}
        return data

    @model_validator(mode="after")
    def _one_of(self) -> PowerReading:
        if (self.average_power is None) == (self.trace is None):
            raise refusal("give either 'average_power' or 'trace'")
        return self


class Location(Record):
    """Where the run took place."""

    region: str | None = Field(default=None, description="Country, grid zone, cloud region or aggregate.")


class Evidence(Record):
    """A file that the record was made from."""

    file: str
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    path: str | None = Field(default=None, description="Where the file lay when it was read.")


class Result(Record):
    """A figure that the tool itself worked out, such as a score; kept for people, never used in an estimate.

    A rate per query or per token, emissions at the tool's own grid factor, a figure by the rules of a benchmark.
    """

    name: str
    value: float = Field(allow_inf_nan=False)
    unit: str = Field(description="As the tool states it; it need not be a unit of this package.")
    note: str | None = Field(default=None, description="How it was formed, where that is not plain.")


class Bill(Record):
    """What a provider charged for the run: one line for each SKU, unit and currency."""

    kind: Literal["billed", "effective", "contracted", "list"] = Field(
        description="Invoiced; with discounts and prepayments spread over their use; negotiated; or list price."
    )
    value: float = Field(allow_inf_nan=False)
    currency: str | None = Field(
        default=None, description="ISO 4217 code, or the name of a provider's credits; never added across."
    )
    category: str | None = Field(default=None, description="Usage, purchase, tax ... as the provider writes it.")
    quantity: float | None = Field(default=None, allow_inf_nan=False, description="How much was used, such as hours.")
    quantity_unit: str | None = Field(default=None, description="Unit of the quantity as the provider writes it.")
    sku: str | None = Field(default=None, description="The provider's name of what was bought.")
    service: str | None = None
    provider: str | None = None
    region: str | None = Field(default=None, description="The provider's name of the region.")


class RunPhase(Record):
    """A part of the elapsed time, by what the devices do in it; the parts of a run follow each other."""

    name: str
    activity: Literal["busy", "waiting", "idle"] = Field(
        description="busy: computing; waiting: held up by communication, a bubble or the host; idle: no work."
    )
    duration: Time


class Utilisation(Record):
    """How much of the devices the run uses, by one of three kinds that must not be mixed."""

    kind: Literal["MFU", "HFU", "busy"] = Field(
        description="Model FLOP or executed FLOP over the peak, or share of the time in which anything runs."
    )
    value: float = Field(ge=0, le=1, allow_inf_nan=False)
    stated: bool = Field(default=False, description="Whether it went into the tool instead of coming out of it.")


class TimeRatio(Record):
    """Measured over predicted time: a correction of the prediction, and how far it is off in either direction.

    Attributes
    ----------
    value, low, high
        What the prediction is multiplied by (1 corrects nothing), and its range.
    samples
        The ratio of each pair of the same simulator that is near this run.
    note
        Which pairs, and how they were chosen.
    """

    value: float = Field(default=1, gt=0, allow_inf_nan=False)
    low: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    high: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    samples: tuple[float, ...] = ()
    note: str


class Prediction(Record):
    """How a run that did not take place came to be: the simulator, its time of one step, and how many steps.

    Attributes
    ----------
    simulator
        Name of the simulator.
    step_time, steps
        Predicted time of one step (an iteration of training), and how many the run makes.
    mode
        What is simulated, as in the error catalogue: ``training``, ``inference serving`` ...
    pairs
        Predictor whose stored pairs (predicted, measured) say how good it is; None where there are none.
    pairs_factor
        What the predictions of those pairs are multiplied by to be those of this setting: of a model whose time goes
        with one over its utilisation, that of the pairs over that of this run.
    time_ratio
        Measured over predicted time, where it was calibrated or stated.
    """

    simulator: str
    step_time: Time
    steps: float = Field(default=1, gt=0, allow_inf_nan=False)
    mode: str = "training"
    pairs: str | None = None
    pairs_factor: float = Field(default=1, gt=0, allow_inf_nan=False)
    time_ratio: TimeRatio | None = None


#: How power is modelled where none is known: a share of the rating, idle power and a part that follows the
#: utilisation, or by what the devices do.
PowerModel = Literal["rated", "dynamic", "phases"]


class Warning_(Record):  # noqa: N801 - 'Warning' is a Python exception
    """Something a reader of the result should know."""

    code: str
    message: str
    where: str | None = None


class Run(Record):
    """What was measured or simulated.

    Readings keep the boundary where they were taken. Energies at nested boundaries are never added; the widest one
    is used and the others are shown.
    """

    also_known_as: ClassVar[Mapping[str, str]] = {
        "runtime": "duration",
        "elapsed": "duration",
        "region": "location",
        "gpus": "devices",
        "timezone": "time_zone",
    }

    schema_: Literal["tco.run/1"] = Field(default="tco.run/1", alias="schema")
    name: str | None = None
    tool: Tool | None = None
    start: datetime | None = None
    end: datetime | None = None
    time_zone: str | None = Field(default=None, description="IANA zone of stamps without an offset.")
    duration: Time | None = Field(default=None, description="Elapsed time; wins over end minus start.")
    nodes: float | None = Field(default=None, gt=0, description="Nodes that the run held, whole.")
    devices: tuple[Device, ...] = ()
    system: str | None = Field(default=None, description="Hardware record: a name of the catalogue or a file.")
    work: tuple[Work, ...] = ()
    power: tuple[PowerReading, ...] = ()
    energy: tuple[EnergyReading, ...] = ()
    pue_included: bool = Field(default=False, description="Whether the readings already hold the PUE of the site.")
    pue: Pue | None = Field(default=None, description="PUE of the site, or the one the readings hold.")
    location: Location | None = None
    results: tuple[Result, ...] = Field(default=(), description="What the tool itself worked out.")
    validity: Literal["valid", "invalid"] | None = Field(
        default=None, description="The verdict of the tool or benchmark on its own measurement, where it has one."
    )
    bills: tuple[Bill, ...] = Field(default=(), description="What a provider charged.")
    phases: tuple[RunPhase, ...] = Field(default=(), description="Parts of the duration; they add up to it.")
    utilisation: tuple[Utilisation, ...] = ()
    memory: Memory | None = Field(default=None, description="That one device needs.")
    prediction: Prediction | None = Field(default=None, description="Of a run that a simulator predicts.")
    power_model: PowerModel | None = Field(
        default=None, description="How power is modelled where none is known; else by phases, or from the rating."
    )
    unstated: tuple[str, ...] = Field(default=(), description="What the tool does not say of the run.")
    provenance: tuple[Evidence, ...] = ()
    warnings: tuple[Warning_, ...] = ()
    expected: dict[str, float] | None = Field(
        default=None, description="Results its author expects; never used in an estimate."
    )

    @model_validator(mode="before")
    @classmethod
    def _one_is_a_list(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        data = dict(data)
        for name in ("power", "energy", "devices", "work"):
            if name in data and data[name] is not None and not isinstance(data[name], list | tuple):
                data[name] = [data[name]]
        return data

    @model_validator(mode="after")
    def _times_fit(self) -> Run:
        if self.time_zone is not None:
            try:
                ZoneInfo(self.time_zone)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise refusal(f"time_zone '{self.time_zone}' is not an IANA zone such as 'Europe/Berlin'") from None
        begin, finish = self.start_utc, self.end_utc
        if begin is not None and finish is not None and finish < begin:
            raise refusal(f"end {self.end} is before start {self.start}")
        return self

    @model_validator(mode="after")
    def _phases_are_the_duration(self) -> Run:
        if not self.phases:
            return self
        if self.duration is None:
            raise refusal("phases are parts of the duration; state 'duration' too")
        whole = float(self.duration.m_as("s"))
        parts = sum(float(phase.duration.m_as("s")) for phase in self.phases)
        if abs(parts - whole) > _ROUNDING * whole:
            raise refusal(f"the phases add up to {parts:.9g} s, the duration is {whole:.9g} s")
        return self

    def _instant(self, stamp: datetime | None) -> datetime | None:
        if stamp is not None and stamp.tzinfo is None:
            stamp = None if self.time_zone is None else stamp.replace(tzinfo=ZoneInfo(self.time_zone))
        # UTC, because stamps that share a zone are subtracted by their wall clocks
        return None if stamp is None else stamp.astimezone(UTC)

    @property
    def start_utc(self) -> datetime | None:
        """Start as an instant; None when it has neither offset nor zone."""
        return self._instant(self.start)

    @property
    def end_utc(self) -> datetime | None:
        """End as an instant; None when it has neither offset nor zone."""
        return self._instant(self.end)

    @property
    def elapsed(self) -> Quantity | None:
        """Elapsed time in s: as recorded, else from start to end where both are instants."""
        if self.duration is not None:
            return self.duration
        begin, finish = self.start_utc, self.end_utc
        if begin is None or finish is None:
            return None
        return Q((finish - begin).total_seconds(), "s")

    def _repr_html_(self) -> str:
        """The record as a table of its fields, for notebooks."""
        from html import escape

        data = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)
        rows = []
        for key, value in data.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            rows.append(f"<tr><th style='text-align:left'>{escape(key)}</th><td>{escape(shown)}</td></tr>")
        return f"<p><b>Run</b> {escape(self.name or '')}</p><table><tbody>{''.join(rows)}</tbody></table>"

    @property
    def device_count(self) -> float:
        """Devices of all kinds but whole nodes."""
        return sum(device.count for device in self.devices if device.kind != "node")
