"""Whether records hold together: schema, sources, links, hashes, numbers that pairs give again, open conflicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from tco.catalog.entries import Conflict, Representation
from tco.catalog.kinds import KINDS
from tco.catalog.library import Library, read_library
from tco.catalog.metrics import METRICS, metric
from tco.catalog.pairs import Pairs, as_throughput, select
from tco.catalog.validations import Validation
from tco.errors import TcoError, did_you_mean

#: What a ready row leaves for a person to say.
TO_FILL = "FILL IN"
_LEVELS = ("error", "note")


class Finding(NamedTuple):
    """What is wrong (``error``) or open (``note``), and where."""

    level: Literal["error", "note"]
    where: str
    text: str


def _points(library: Library, name: str, where: Sequence[str], throughput: bool) -> Pairs:
    pairs = select(library.pair_set(name).load(), where)
    return as_throughput(pairs) if throughput else pairs


def _metric_of(row: Validation) -> str | None:
    """Column of the metrics that a row's kind is."""
    wanted = f"p{row.percentile:g}_ape" if row.percentile is not None else None
    return next((name for name, (kind, *_) in METRICS.items() if kind == row.kind and wanted in (None, name)), None)


def _row_numbers(library: Library, row: Validation) -> Iterator[str]:
    name = _metric_of(row)
    if row.pairs is None or row.value is None or name is None or row.bound:
        return
    points = _points(library, row.pairs, row.pairs_where, row.pairs_as == "throughput")
    if row.points is not None and len(points) != row.points:
        yield f"points: {row.points}, but the set '{row.pairs}' has {len(points)}"
    half = 0.5 * 10.0 ** -(row.places or 0) * (1 + 1e-6)
    checked = [("value", row.value, metric(name, *points.arrays), half)]
    if row.bias is not None:
        checked.append(("bias", row.bias, metric("mean_signed", *points.arrays), half))
    for what, stated, found, tolerance in checked:
        if found is None or abs(found - stated) > tolerance:
            shown = "nothing" if found is None else f"{found:.4f}"
            yield f"{what}: {stated:g}, but the pairs of '{row.pairs}' give {shown}"


def _conflicts(where: str, conflicts: Iterable[Conflict]) -> Iterator[Finding]:
    for conflict in conflicts:
        if conflict.status == "unresolved":
            said = "; ".join(f"{statement.who}: {statement.what}" for statement in conflict.says)
            yield Finding("note", where, f"unresolved conflict about {conflict.about}: {said}")


def _links(library: Library) -> Iterator[Finding]:
    tools, rows, sets = library.entries, library.validations, library.pair_sets

    def _missing(where: str, field: str, name: str, known: Iterable[str]) -> Finding:
        return Finding("error", where, f"{field}: '{name}' has no record{did_you_mean(name, known) or '.'}")

    for row in rows.values():
        where = f"{library.places[f'validation {row.id!r}']}: {row.id}"
        if row.tool not in tools:
            yield _missing(where, "tool", row.tool, tools)
        if row.pairs is not None and row.pairs not in sets:
            yield _missing(where, "pairs", row.pairs, sets)
    for pairs in sets.values():
        tool, same = pairs.prediction.tool, pairs.prediction.same_as
        if tool is not None and tool not in tools:
            yield _missing(f"{pairs.where}: {pairs.id}", "tool", tool, tools)
        if same is not None and same not in sets:
            yield _missing(f"{pairs.where}: {pairs.id}", "same_as", same, sets)
    for entry in tools.values():
        for consumer in entry.consumers if isinstance(entry, Representation) else ():
            if consumer not in tools:
                yield _missing(library.places[f"record {entry.name!r}"], "consumers", consumer, tools)
    for survey, claim in library.claims():
        where = f"{library.places[f'survey {survey.name!r}']}: {claim.id}"
        for field, names, known in (
            ("about", claim.about, tools),
            ("rows", claim.rows, rows),
            ("recomputed", [item.set for item in claim.recomputed], sets),
        ):
            for name in names:
                if name not in known:
                    yield _missing(where, field, name, known)
    for name in library.unlisted:
        if name in tools:
            place = library.places[f"system without a record {name!r}"]
            yield Finding("error", place, f"'{name}' is listed as without a record, but has one")


def _numbers(library: Library) -> Iterator[Finding]:
    for pairs in library.pair_sets.values():
        try:
            pairs.load()
        except TcoError as error:
            yield Finding("error", pairs.where, str(error).removeprefix(f"{pairs.where}: "))
    for row in library.validations.values():
        where = f"{library.places[f'validation {row.id!r}']}: {row.id}"
        try:
            for text in _row_numbers(library, row):
                yield Finding("error", where, text)
        except TcoError as error:
            yield Finding("error", where, f"pairs: {error}")
    for survey, claim in library.claims():
        where = f"{library.places[f'survey {survey.name!r}']}: {claim.id}"
        for item in claim.recomputed:
            try:
                found = metric(item.metric, *_points(library, item.set, item.where, item.throughput).arrays)
            except (TcoError, KeyError) as error:
                yield Finding("error", where, f"recomputed: {error}")
                continue
            if found is None or abs(found - item.value) > 0.5 * 10.0**-item.places * (1 + 1e-6):
                shown = "nothing" if found is None else f"{found:.4f}"
                yield Finding(
                    "error", where, f"recomputed: {item.metric} {item.value:g}, but '{item.set}' gives {shown}"
                )


def _unfilled(library: Library) -> Iterator[Finding]:
    for row in library.validations.values():
        where = f"{library.places[f'validation {row.id!r}']}: {row.id}"
        for field, value in row.model_dump(mode="json", exclude_none=True).items():
            if TO_FILL in str(value):
                yield Finding("error", where, f"{field}: '{TO_FILL}' is still there")
        if row.evidence is None and row.claim != "author":
            yield Finding("note", where, "evidence: the class is not stated, so the row stands in no order")
        if row.from_memory:
            yield Finding("note", where, f"{row.number} is from memory; look it up")
        if KINDS[row.kind].family == "relative error" and row.quantity is None:
            yield Finding("note", where, "quantity: not stated, so the row stands in no order")


def check(library: Library) -> tuple[Finding, ...]:
    """All that is wrong or open in a library, errors first.

    Parameters
    ----------
    library
        Read with ``collect=True``, so that faults of the schema are among the findings.
    """
    found = [Finding("error", *_split(text)) for fault in library.faults for text in fault.splitlines()]
    found += [*_links(library), *_numbers(library), *_unfilled(library)]
    for entry in library.entries.values():
        found += _conflicts(library.places[f"record {entry.name!r}"], entry.conflicts)
    for row in library.validations.values():
        found += _conflicts(f"{library.places[f'validation {row.id!r}']}: {row.id}", row.conflicts)
    return tuple(sorted(found, key=lambda finding: _LEVELS.index(finding.level)))


def _split(fault: str) -> tuple[str, str]:
    where, _, text = fault.partition(": ")
    return (where, text) if text else ("", fault)


def check_catalog(own: Iterable[Path] = ()) -> tuple[Library, tuple[Finding, ...]]:
    """Read the catalogue with a user's own folders, and check it."""
    library = read_library(own, collect=True)
    return library, check(library)
