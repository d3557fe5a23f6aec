"""The claim: what a source states, and what it says follows from that (schema ``tco.claim/1``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from tco.claims.arithmetic import ARITHMETIC
from tco.claims.stated import Stated
from tco.claims.vocabulary import VOCABULARY
from tco.errors import did_you_mean
from tco.provenance import Source
from tco.records.base import Record
from tco.records.fields import refusal
from tco.records.system import Part


def _is_list(value: Any) -> str:
    return "list" if isinstance(value, list | tuple) else "value"


_OneOrMore = Annotated[
    Annotated[Stated, Tag("value")] | Annotated[tuple[Stated, ...], Tag("list")], Discriminator(_is_list)
]
Inputs = Mapping[str, _OneOrMore]
#: Inputs that hold several numbers: the rows of a table that a total is the sum of.
ROWS = "rows"
#: Result that is the sum of `ROWS`.
SUM = "sum"


class Step(Record):
    """One step of a calculation that is none of an estimate.

    Attributes
    ----------
    by
        A public formula of the package, such as ``silicon.dies_classic``, or plain arithmetic: ``sum``, ``product``,
        ``quotient``, ``difference``, ``complement`` (one minus it), ``same``.
    of
        What it is of: names of inputs and earlier steps, by parameter for a formula, in order for arithmetic.
    unit
        Unit to show.
    """

    by: str
    of: Mapping[str, str] | tuple[str, ...]
    unit: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_is_a_list(cls, data: Any) -> Any:
        return {**data, "of": (data["of"],)} if isinstance(data, Mapping) and isinstance(data.get("of"), str) else data

    @model_validator(mode="after")
    def _order_or_names(self) -> Step:
        if (self.by in ARITHMETIC) != (not isinstance(self.of, Mapping)):
            how = "a list of names" if self.by in ARITHMETIC else "a table: parameter = name"
            raise refusal(f"'{self.by}': 'of' is {how}")
        return self

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of what it is of."""
        return tuple(self.of.values()) if isinstance(self.of, Mapping) else self.of


class OtherRow(Record):
    """A row that a total may hold although the table does not show it.

    Attributes
    ----------
    name
        Which.
    value
        Its number, in the unit of the total.
    inputs, line
        Instead of the number: what the number follows from, as in a claim, and the line that it is.
    """

    name: str
    value: Stated | None = None
    inputs: Inputs = Field(default_factory=dict)
    line: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> OtherRow:
        if (self.value is None) == (self.line is None):
            raise refusal(f"row '{self.name}' needs either 'value', or 'inputs' with 'line'")
        return self


class Claim(Record):
    """What a source states, and the results that it says follow.

    Attributes
    ----------
    id, title, about
        Name for the command line; in words; what it is about (training, embodied ...).
    inputs
        What the source states, by the names of `tco.claims.vocabulary`, or by names of your own with `steps`; a dotted
        name is that of an input of the estimate.
    results
        What the source says follows, by line of an estimate, ``sum`` of the rows, or name of a step.
    steps
        Calculation, where it is none of an estimate.
    also
        What the source states beside the calculation, such as a PUE: explanations try it.
    other_rows
        Rows that a total may hold although the table does not show them.
    device, region, year
        Device, place and year, for what the catalogue knows of them; explanations try it.
    parts, system, site
        Bill of materials, and further fields of the hardware and site records.
    circular
        Why the result cannot differ from what it is compared with, where whoever read the source found that.
    undecidable
        Why the inputs do not let it be recomputed.
    note
        What a reader should know.
    """

    also_known_as: ClassVar[Mapping[str, str]] = {"outputs": "results", "stated": "inputs", "context": "also"}

    id: str = Field(default="claim", pattern=r"^[A-Za-z0-9][\w.-]*$")
    title: str | None = None
    about: str | None = None
    source: Source | None = None
    inputs: Inputs = Field(default_factory=dict)
    results: Mapping[str, Stated]
    steps: Mapping[str, Step] = Field(default_factory=dict)
    also: Inputs = Field(default_factory=dict)
    other_rows: tuple[OtherRow, ...] = ()
    device: str | None = None
    region: str | None = None
    year: int | None = None
    parts: tuple[Part, ...] = ()
    system: Mapping[str, Any] = Field(default_factory=dict)
    site: Mapping[str, Any] = Field(default_factory=dict)
    circular: str | None = None
    undecidable: str | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _names_are_known(self) -> Claim:
        if not self.results:
            raise refusal('a claim has at least one result, for instance "carbon.operational" = "12.9 t"')
        if self.steps:
            self._check_steps()
            return self
        for field, names in (("inputs", self.inputs), ("also", self.also)):
            for name in names:
                if name not in VOCABULARY and name != ROWS and "." not in name:
                    raise refusal(
                        f"{field}: '{name}' is not known{did_you_mean(name, VOCABULARY)} "
                        f"(known: {', '.join(VOCABULARY)}, {ROWS}; or the dotted name of an input of an estimate)"
                    )
        return self

    @model_validator(mode="after")
    def _inputs_have_numbers(self) -> Claim:
        for name, stated in (*self.inputs.items(), *self.also.items()):
            several = isinstance(stated, tuple)
            if any(one.number is None for one in (stated if isinstance(stated, tuple) else (stated,))):
                raise refusal(f"'{name}' has no number; leave it out where the source does not state it")
            if name == ROWS and not several:
                raise refusal(f"'{ROWS}' is a list of numbers, the rows of a total")
            if several and name != ROWS and not self.steps and name in self.inputs:
                raise refusal(f"'{name}' is one number, not a list; a list is '{ROWS}', the rows of a total")
        return self

    def _check_steps(self) -> None:
        known = [*self.inputs]
        for name, step in self.steps.items():
            if name in known:
                raise refusal(f"steps: '{name}' is there already as an input or a step")
            for operand in step.operands:
                if operand not in known:
                    hint = did_you_mean(operand, known)
                    raise refusal(f"steps: '{name}' needs '{operand}', which is no input and no earlier step{hint}")
            known.append(name)
        for result in self.results:
            if result not in known:
                hint = did_you_mean(result, self.steps)
                raise refusal(f"results: '{result}' is none of the steps{hint} (steps: {', '.join(self.steps)})")

    def one(self, name: str) -> Stated | None:
        """The input of this name that is one number."""
        stated = self.inputs.get(name)
        return stated if isinstance(stated, Stated) else None

    def several(self, name: str) -> tuple[Stated, ...]:
        """All numbers that the source states for a name, in the calculation or beside it."""
        found: list[Stated] = []
        for stated in (self.inputs.get(name), self.also.get(name)):
            found += stated if isinstance(stated, tuple) else [] if stated is None else [stated]
        return tuple(found)

    def beside(self, name: str) -> tuple[Stated, ...]:
        """The numbers that the source states for a name beside the calculation."""
        stated = self.also.get(name, ())
        return stated if isinstance(stated, tuple) else (stated,)

    def with_inputs(self, **changed: Stated | tuple[Stated, ...] | None) -> Claim:
        """The claim with other inputs; None takes one away."""
        inputs = {name: stated for name, stated in {**self.inputs, **changed}.items() if stated is not None}
        return self.model_copy(update={"inputs": inputs})

    def with_result(self, name: str, stated: Stated) -> Claim:
        """The claim with another number for a result."""
        return self.model_copy(update={"results": {**self.results, name: stated}})


class ClaimFile(Record):
    """Claims of one source.

    Attributes
    ----------
    name, title, source, note
        Id, in words, where they stand, what a reader should know of them all.
    claims
        The claims; those without a source of their own have that of the file.
    """

    schema_: Literal["tco.claim/1"] = Field(default="tco.claim/1", alias="schema")
    name: str | None = None
    title: str | None = None
    source: Source | None = None
    note: str | None = None
    claims: tuple[Claim, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_differ(self) -> ClaimFile:
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise refusal(f"two claims have the id '{claim.id}'; each needs one of its own")
            seen.add(claim.id)
        return self

    def all(self) -> tuple[Claim, ...]:
        """The claims, each with its source."""
        if self.source is None:
            return self.claims
        return tuple(
            claim if claim.source else claim.model_copy(update={"source": self.source}) for claim in self.claims
        )
