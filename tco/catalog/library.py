"""All records of systems, their validation rows, pairs and claims: those that ship, and a user's own beside them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from tco.catalog.claims import Claim, Survey
from tco.catalog.entries import AnyEntry, Benchmark, CostModel, Entry, Representation, Simulator, Unlisted
from tco.catalog.pairs import PairFile, PairSet
from tco.catalog.validations import Validation, Validations
from tco.errors import RecordError, did_you_mean
from tco.knowledge import folder
from tco.records.base import Record, validate

R = TypeVar("R", bound=Record)
#: Folder of each kind of system.
KINDS: dict[str, type[AnyEntry]] = {
    "simulators": Simulator,
    "models": CostModel,
    "benchmarks": Benchmark,
    "representations": Representation,
}
#: Folders of the catalogue that no estimate reads.
FOLDERS = (*KINDS, "validations", "pairs", "claims", "unlisted")
#: Claims that are recomputed from their own inputs are another matter, in folders of their own.
_SURVEYS = "survey-"


class _Unlisted(Record):
    """The systems without a record, as a file holds them."""

    systems: tuple[Unlisted, ...]


@dataclass(frozen=True)
class Library:
    """What is known of systems.

    Attributes
    ----------
    entries
        Records by id, simulators first.
    validations, pair_sets, surveys, unlisted
        Validation rows by id, sets of pairs by id, checked surveys, and systems without a record.
    places
        File of each record, row and set, for messages.
    faults
        Files that could not be read; empty unless they were asked for.
    """

    entries: dict[str, AnyEntry] = field(default_factory=dict)
    validations: dict[str, Validation] = field(default_factory=dict)
    pair_sets: dict[str, PairSet] = field(default_factory=dict)
    surveys: dict[str, Survey] = field(default_factory=dict)
    unlisted: dict[str, Unlisted] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def of_kind(self, kind: str) -> tuple[AnyEntry, ...]:
        """All records of a kind: simulators, models, benchmarks, representations."""
        if kind not in KINDS:
            raise RecordError(f"kind '{kind}' is not known{did_you_mean(kind, KINDS)} Kinds: {', '.join(KINDS)}")
        return tuple(entry for entry in self.entries.values() if type(entry) is KINDS[kind])

    def entry(self, name: str) -> AnyEntry:
        """The record with this id or title; case does not matter.

        Raises
        ------
        RecordError
            If there is none; the message says why not, or what is near.
        """
        if name in self.entries:
            return self.entries[name]
        folded = name.casefold()
        found = [
            e for e in self.entries.values() if folded in (e.name, e.title.casefold(), (e.versions_of or "").casefold())
        ]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(f"'{entry.name}'" for entry in found)
            raise RecordError(f"'{name}' has several records: {names}")
        without = self.without_record(name)
        if without is not None:
            raise RecordError(f"'{name}' ({without.title}) has no record: {without.why}")
        known = [*(entry.title for entry in self.entries.values()), *self.entries]
        raise RecordError(f"'{name}' is not in the catalogue{did_you_mean(name, known)} List: tco catalog list")

    def without_record(self, name: str) -> Unlisted | None:
        """The entry among the systems without a record, by id or title."""
        folded = name.casefold()
        return next((u for u in self.unlisted.values() if folded in (u.name.casefold(), u.title.casefold())), None)

    def rows_of(self, tool: str) -> tuple[Validation, ...]:
        """Validation rows of a tool, in the order of its file."""
        return tuple(row for row in self.validations.values() if row.tool == tool)

    def sets_of(self, tool: str) -> tuple[PairSet, ...]:
        """Sets of pairs of a tool."""
        return tuple(pairs for pairs in self.pair_sets.values() if pairs.prediction.tool == tool)

    def pair_set(self, name: str) -> PairSet:
        """The set of pairs with this id."""
        if name not in self.pair_sets:
            hint = did_you_mean(name, self.pair_sets)
            raise RecordError(f"set of pairs '{name}' is not known{hint} List: tco catalog list --kind pairs")
        return self.pair_sets[name]

    def claims(self) -> tuple[tuple[Survey, Claim], ...]:
        """All claims that were checked, with the survey each is of."""
        return tuple((survey, claim) for survey in self.surveys.values() for claim in survey.claims)


class _Reading:
    """Fills a library from folders; the first fault stops it unless faults are collected."""

    def __init__(self, collect: bool) -> None:
        self.library, self.collect = Library(), collect

    def fault(self, message: str) -> None:
        """Stop, or note the fault."""
        if not self.collect:
            raise RecordError(message)
        self.library.faults.append(message)

    def record(self, model: type[R], file: Traversable, where: str) -> R | None:
        """The record in a file, or None where it is at fault."""
        try:
            return validate(model, tomllib.loads(file.read_text(encoding="utf-8")), where)
        except tomllib.TOMLDecodeError as error:
            self.fault(f"{where}: not valid TOML: {error}")
        except UnicodeDecodeError as error:
            self.fault(f"{where}: is not UTF-8 text (byte {error.start})")
        except RecordError as error:
            self.fault(str(error))
        return None

    def files(self, root: Traversable, name: str, shown: str) -> Iterator[tuple[str, Traversable, str]]:
        """TOML files of a subfolder: stem, file, name for messages."""
        place = root / name
        if not place.is_dir():
            return
        for file in sorted(place.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".toml"):
                yield file.name.removesuffix(".toml"), file, f"{shown}/{name}/{file.name}"

    def once(self, what: str, name: str, where: str) -> bool:
        """Whether an id is new; it is a fault where not."""
        key = f"{what} '{name}'"
        if key in self.library.places:
            self.fault(f"{where}: {key} stands in {self.library.places[key]} too; ids are unique")
            return False
        self.library.places[key] = where
        return True

    def folder(self, root: Traversable, shown: str) -> None:
        """All records of a folder."""
        library = self.library
        for kind, model in KINDS.items():
            for stem, file, where in self.files(root, kind, shown):
                entry = self.record(model, file, where)
                if entry is None:
                    continue
                if entry.name != stem:
                    self.fault(f"{where}: name: '{entry.name}' is not the name of the file; write name = \"{stem}\"")
                if self.once("record", entry.name, where):
                    library.entries[entry.name] = entry
        for _, file, where in self.files(root, "validations", shown):
            rows = self.record(Validations, file, where)
            for row in rows.validations if rows else ():
                if self.once("validation", row.id, where):
                    library.validations[row.id] = row
        for _, file, where in self.files(root, "pairs", shown):
            pairs = self.record(PairFile, file, where)
            for prediction in pairs.predictions if pairs else ():
                if pairs and self.once("set", prediction.set, where):
                    library.pair_sets[prediction.set] = PairSet(
                        prediction.set, pairs, prediction, root / "pairs", where
                    )
        for stem, file, where in self.files(root, "claims", shown):
            if stem.startswith(_SURVEYS):
                survey = self.record(Survey, file, where)
                if survey and self.once("survey", survey.name, where):
                    library.surveys[survey.name] = survey
        for _, file, where in self.files(root, "unlisted", shown):
            listed = self.record(_Unlisted, file, where)
            for system in listed.systems if listed else ():
                if self.once("system without a record", system.name, where):
                    library.unlisted[system.name] = system


def read_library(own: Iterable[Path] = (), *, collect: bool = False) -> Library:
    """The records that ship with the package, and those in folders of the user's own.

    Parameters
    ----------
    own
        Folders with any of the subfolders ``simulators``, ``models``, ``benchmarks``, ``representations``,
        ``validations`` and ``pairs``.
    collect
        Gather faults in the library instead of stopping at the first.

    Raises
    ------
    RecordError
        File, field, what was found and what would be right.
    """
    reading = _Reading(collect)
    reading.folder(folder("catalog"), "catalog")
    for path in own:
        if not path.is_dir():
            raise RecordError(f"{path}: is no folder; --catalog takes one with subfolders {', '.join(FOLDERS[:6])}")
        known = [entry.name for entry in path.iterdir() if entry.is_dir()]
        if not set(known) & set(FOLDERS):
            hint = "".join(did_you_mean(name, FOLDERS) for name in known[:1])
            raise RecordError(f"{path}: has none of the subfolders {', '.join(FOLDERS[:6])}{hint}")
        for name in sorted(set(known) - set(FOLDERS)):
            hint = did_you_mean(name, FOLDERS)
            if hint:
                reading.fault(f"{path / name}: is no folder of a catalogue{hint}")
        reading.folder(path, str(path))
    return reading.library


@lru_cache(maxsize=1)
def library() -> Library:
    """The records that ship with the package; read once."""
    return read_library()


__all__ = ["FOLDERS", "KINDS", "Entry", "Library", "library", "read_library"]
