"""Records of systems: simulators, cost and carbon models, benchmarks, representations of workloads.

A field is stated with its source, marked as from memory, or listed as unknown; nothing is filled in by guessing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from tco.records.base import Record

Method = Literal["analytical", "profiling-based", "execution-driven", "trace replay", "learned", "packet-level"]
Level = Literal["configuration", "layer", "operator", "kernel", "machine", "trace"]
NetworkModel = Literal["none", "analytical", "profiled", "flow-level", "packet-level", "cycle-level", "load-store"]
Scope = Literal["training", "inference", "inference serving", "HPC", "storage"]
Answer = Literal["yes", "partly", "no"]
Family = Literal["simulator", "model", "benchmark", "representation"]


class Reading(Record):
    """A place where fields of a record were read.

    Attributes
    ----------
    title, url
        What was read, and where it can be looked up.
    fields
        The fields that it gives; all that no other reading names where left out.
    """

    title: str
    url: str | None = None
    fields: tuple[str, ...] = ()


class Statement(Record):
    """Who says what, in a conflict."""

    who: str
    what: str


class Conflict(Record):
    """Sources that disagree about a field; the record keeps all of them.

    Attributes
    ----------
    about
        The field, or what is in dispute.
    status
        Whether a primary source settles it.
    note
        How it was settled, or what would settle it.
    """

    about: str
    says: tuple[Statement, ...]
    status: Literal["resolved", "unresolved"]
    note: str | None = None


class Extent(Record):
    """Whether a thing is modelled, and how far; ``"yes"`` is short for ``{answer = "yes"}``."""

    answer: Answer
    note: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, data: Any) -> Any:
        return {"answer": data} if isinstance(data, str) else data

    def __str__(self) -> str:
        if self.note is None:
            return self.answer
        return self.note if self.answer == "yes" else f"{self.answer}: {self.note}"


class Repository(Record):
    """Where the code is.

    Attributes
    ----------
    status
        ``public``: code at `url`; ``announced``: a repository without the code; ``none found``, ``closed``.
    licence, last_commit
        Terms as stated, and the date of the newest commit seen.
    """

    status: Literal["public", "announced", "none found", "closed"]
    url: str | None = None
    licence: str | None = None
    last_commit: str | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _public_has_an_address(self) -> Repository:
        if self.status in ("public", "announced") and not self.url:
            raise ValueError(f"a repository that is {self.status} has a url")
        return self


class Entry(Record):
    """What all records of systems share.

    Attributes
    ----------
    name, title
        Id (the name of the file), and what people call it.
    versions_of
        Id of the tool where it has one record a version, because it changed class.
    sources
        Where the fields were read.
    from_memory
        Fields that nobody has looked up: leads, to be checked before use.
    unknown
        Fields for which the sources say nothing.
    """

    name: str
    title: str
    year: int | None = None
    venue: str | None = None
    arxiv: tuple[str, ...] = ()
    doi: str | None = None
    repository: Repository | None = None
    versions_of: str | None = None
    sources: tuple[Reading, ...] = Field(min_length=1)
    from_memory: tuple[str, ...] = ()
    memory_note: str | None = None
    unknown: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    note: str | None = None

    family: ClassVar[Family]
    _NO_FACTS: ClassVar[frozenset[str]] = frozenset(
        {
            "name",
            "title",
            "versions_of",
            "sources",
            "from_memory",
            "memory_note",
            "unknown",
            "conflicts",
            "note",
        }
    )
    #: Facts that a record may leave out without a word: a system without one has none.
    _OPTIONAL: ClassVar[frozenset[str]] = frozenset({"arxiv", "doi", "class_note"})

    @classmethod
    def fact_names(cls) -> tuple[str, ...]:
        """Fields that say something about the system, and so need a source."""
        return tuple(name for name in cls.model_fields if name not in cls._NO_FACTS)

    def stated(self, field: str) -> bool:
        """Whether the record gives this field."""
        return getattr(self, field) not in (None, (), "")

    def reading_of(self, field: str) -> tuple[Reading, ...]:
        """Where a field was read; empty for one from memory or unknown."""
        if field in self.from_memory or not self.stated(field):
            return ()
        named = tuple(reading for reading in self.sources if field in reading.fields)
        return named or tuple(reading for reading in self.sources if not reading.fields)

    @model_validator(mode="after")
    def _every_fact_has_a_standing(self) -> Entry:
        facts = self.fact_names()
        for what, names in (
            ("from_memory", self.from_memory),
            ("unknown", self.unknown),
            ("sources", tuple(name for reading in self.sources for name in reading.fields)),
        ):
            for name in names:
                if name not in facts:
                    raise ValueError(f"{what} names '{name}', which is no field here (fields: {', '.join(facts)})")
        for name in facts:
            if self.stated(name) and name in self.unknown:
                raise ValueError(f"'{name}' is given and listed as unknown")
            if not self.stated(name) and name in self.from_memory:
                raise ValueError(f"'{name}' is listed in from_memory but not given")
            if not self.stated(name) and name not in self.unknown and name not in self._OPTIONAL:
                raise ValueError(f"'{name}' is neither given nor listed in unknown")
            if self.stated(name) and name not in self.from_memory and not self.reading_of(name):
                raise ValueError(f"'{name}' has no source: name it in the fields of one, or in from_memory")
        return self

    def words(self) -> Iterator[tuple[str, str]]:
        """Field and text of all that the record says, for a search."""
        for field in type(self).model_fields:
            value = getattr(self, field)
            if value in (None, (), ""):
                continue
            if isinstance(value, tuple):
                text = "; ".join(item if isinstance(item, str) else _text_of(item) for item in value)
            else:
                text = value if isinstance(value, str) else _text_of(value)
            yield field, text


def _text_of(value: object) -> str:
    if isinstance(value, Record):
        return ", ".join(str(part) for part in value.model_dump(mode="json", exclude_none=True).values())
    return str(value)


class Simulator(Entry):
    """A tool that predicts how long a distributed job takes.

    Attributes
    ----------
    classes
        Methodology; several where the tool has several back ends.
    survey_class
        The class that the survey puts it in, kept beside ours.
    levels, workload, formats
        Level at which the workload is described, in the sources' words, and the files that hold it.
    network, network_models
        How communication is modelled, in words and by kind.
    hardware, any_hardware
        Devices that the sources name, and whether others can be described by a file.
    largest_validated_devices
        Devices, not nodes, of the largest run with a stated error.
    """

    family: ClassVar[Family] = "simulator"

    classes: tuple[Method, ...] = ()
    class_note: str | None = None
    survey_class: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    workload: str | None = None
    formats: str | None = None
    parallelism: tuple[str, ...] = ()
    network: str | None = None
    network_models: tuple[NetworkModel, ...] = ()
    scope: tuple[Scope, ...] = ()
    hardware: str | None = None
    any_hardware: bool | None = None
    energy: Extent | None = None
    cost: Extent | None = None
    carbon: Extent | None = None
    largest_validated_devices: int | None = Field(default=None, gt=0)
    public_validation_data: Extent | None = None

    _OPTIONAL: ClassVar[frozenset[str]] = Entry._OPTIONAL | {"any_hardware"}


class CostModel(Entry):
    """A model of cost or emissions: what it covers, each part with how far."""

    family: ClassVar[Family] = "model"

    fabrication: Extent | None = None
    technology_node: Extent | None = None
    packaging: Extent | None = None
    memory: Extent | None = None
    storage: Extent | None = None
    network: Extent | None = None
    node_architecture: Extent | None = None
    datacentre: Extent | None = None
    workload: Extent | None = None
    operational: Extent | None = None
    capex: Extent | None = None
    opex: Extent | None = None
    uncertainty: Extent | None = None
    output: str | None = None
    published_numbers: str | None = None


class Benchmark(Entry):
    """A benchmark or a set of measurements: what it measures, and what of time and power it records."""

    family: ClassVar[Family] = "benchmark"

    measures: str | None = None
    runtime_fields: str | None = None
    power_fields: str | None = None
    systems: str | None = None
    measurements: str | None = None


class Representation(Entry):
    """A way to write a workload down.

    Attributes
    ----------
    consumers
        Ids of simulators with a record that read it.
    other_consumers
        Other readers, in words.
    """

    family: ClassVar[Family] = "representation"

    level: str | None = None
    portability: str | None = None
    parallelism: str | None = None
    producer: str | None = None
    consumers: tuple[str, ...] = ()
    other_consumers: str | None = None
    licence: str | None = None

    _OPTIONAL: ClassVar[frozenset[str]] = Entry._OPTIONAL | {
        "year",
        "venue",
        "repository",
        "consumers",
        "other_consumers",
    }


class Unlisted(Record):
    """A system that others name and that has no record here, with the reason."""

    name: str
    title: str
    year: int | None = None
    venue: str | None = None
    reference: str | None = None
    kind: str | None = None
    named_in: str
    elsewhere: str | None = None
    why: str
    use: str | None = None
    url: str | None = None
    licence: str | None = None
    evidence: str | None = None
    from_memory: tuple[str, ...] = ()
    note: str | None = None


AnyEntry = Simulator | CostModel | Benchmark | Representation
