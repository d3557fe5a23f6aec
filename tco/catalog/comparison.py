"""Records side by side: columns as text, the errors that may be ranked in order, and why the others may not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from tco.catalog.comparability import Group, Reason, comparable, groups
from tco.catalog.entries import AnyEntry, Extent, Repository
from tco.catalog.kinds import MetricKind
from tco.catalog.library import KINDS, Library
from tco.catalog.pairs import PairSet
from tco.catalog.validations import Validation
from tco.errors import RecordError, did_you_mean

#: What stands where a source says nothing, and behind what nobody has looked up.
UNKNOWN, FROM_MEMORY = "?", "†"
LEGEND = f"{UNKNOWN} not stated in the sources. {FROM_MEMORY} from memory, not checked in a source."

#: Titles of columns that are not their field's name with a capital.
_TITLES = {
    "title": "Name",
    "arxiv": "arXiv",
    "doi": "DOI",
    "classes": "Method",
    "survey_class": "Survey's class",
    "levels": "Workload level",
    "formats": "Workload files",
    "network_models": "Network model",
    "network": "Network",
    "any_hardware": "Any hardware by file",
    "largest_validated_devices": "Validated devices",
    "public_validation_data": "Public validation data",
    "errors": "Errors as stated",
    "log_ratio": "Log-ratio error from public pairs",
    "technology_node": "Node (nm)",
    "node_architecture": "Server",
    "capex": "CapEx",
    "opex": "OpEx",
    "consumers": "Simulators that read it",
    "runtime_fields": "Run time",
    "power_fields": "Power",
    "published_numbers": "Published numbers",
    "licence": "Licence",
    "code": "Code",
}
DEFAULT_COLUMNS: dict[str, tuple[str, ...]] = {
    "simulators": (
        "title",
        "year",
        "classes",
        "scope",
        "network_models",
        "energy",
        "largest_validated_devices",
        "errors",
    ),
    "models": ("title", "year", "fabrication", "operational", "capex", "opex", "uncertainty", "output"),
    "benchmarks": ("title", "year", "measures", "runtime_fields", "power_fields", "systems"),
    "representations": ("title", "level", "parallelism", "producer", "consumers", "licence"),
}
_RESAMPLES = 1000


class Refusal(NamedTuple):
    """Two rows that are not ranked, and why."""

    a: Validation
    b: Validation
    reasons: tuple[Reason, ...]


class Comparison(NamedTuple):
    """Records side by side.

    Attributes
    ----------
    kind, columns, titles
        What is compared, names of the columns, and their titles.
    rows
        Texts of the cells, one row a record.
    ranked
        Groups of errors that may be ranked, in order.
    refusals
        Pairs of leading rows that may not.
    """

    kind: str
    columns: tuple[str, ...]
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ranked: tuple[Group, ...]
    refusals: tuple[Refusal, ...]


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if value > 9999 else str(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, Extent):
        return str(value)
    return str(value)


def _code(repository: Repository | None) -> str:
    if repository is None:
        return ""
    return repository.url if repository.status == "public" and repository.url else repository.status


def _errors(library: Library, entry: AnyEntry) -> str:
    first, *others = library.rows_of(entry.name) or (None,)
    return "" if first is None else f"{first} (and {len(others)} more)" if others else str(first)


def log_ratio_row(pairs: PairSet) -> Validation:
    """The default metric of a set of pairs, as a validation row."""
    from tco.catalog.metrics import metric

    points = pairs.load()
    value = metric("log_ratio", *points.arrays)
    return Validation(
        id=pairs.id,
        tool=pairs.prediction.tool or pairs.id,
        workload=", ".join(points.values("workload")[:3]) or "as in the pairs",
        modes=pairs.file.modes,
        hardware=", ".join(points.values("hardware")[:3]) or "as in the pairs",
        quantity=pairs.file.quantity,
        measured=", ".join(points.values("quantity")[:2]) or None,
        points=len(points),
        kind=MetricKind.log_ratio,
        value=value,
        places=2,
        claim="recomputed",
        reference=pairs.file.measured,
        reference_is=pairs.file.reference_is,
        data=pairs.file.data,
        evidence=pairs.prediction.evidence,
        tool_version=pairs.prediction.version,
        source=pairs.where,
        pairs=pairs.id,
    )


def _log_ratio(library: Library, entry: AnyEntry) -> str:
    from tco.catalog.metrics import intervals

    texts = []
    for pairs in library.sets_of(entry.name):
        if pairs.prediction.same_as is None:
            row, points = log_ratio_row(pairs), pairs.load()
            spread = intervals(*points.arrays, ("log_ratio",), resamples=_RESAMPLES)["log_ratio"]
            shown = f" [{spread.low:.1f} to {spread.high:.1f}]" if spread else ""
            texts.append(
                f"{row.value:.1f} %{shown}, {row.points:,} points, {row.evidence or 'evidence not stated'}: {pairs.id}"
            )
    return "; ".join(texts)


def _consumers(library: Library, entry: AnyEntry) -> str:
    names = [library.entries[name].title for name in getattr(entry, "consumers", ()) if name in library.entries]
    other = getattr(entry, "other_consumers", None)
    return ", ".join(names + ([other] if other else [])) or "none"


_MADE: dict[str, Callable[[Library, AnyEntry], str]] = {
    "errors": _errors,
    "log_ratio": _log_ratio,
    "consumers": _consumers,
    "code": lambda _, entry: _code(entry.repository),
    "licence": lambda _, entry: (
        getattr(entry, "licence", None) or (entry.repository.licence if entry.repository else None) or ""
    ),
}


def columns_of(kind: str) -> tuple[str, ...]:
    """Names of the columns that a kind of record has."""
    hidden = {"name", "sources", "from_memory", "memory_note", "unknown", "conflicts", "repository", "other_consumers"}
    own = tuple(name for name in KINDS[kind].model_fields if name not in hidden)
    made = {"simulators": ("errors", "log_ratio"), "models": ("errors",)}.get(kind, ())
    first = (name for name in own if name != "note")
    return tuple(dict.fromkeys(("name", *first, "code", "licence", *made, "note")))


def text_of(library: Library, entry: AnyEntry, column: str) -> str:
    """One cell: the text, marked where it is unknown or from memory."""
    if column in _MADE:
        text = _MADE[column](library, entry)
        memory = column in entry.from_memory or (column in ("code", "licence") and "repository" in entry.from_memory)
    else:
        text, memory = _plain(getattr(entry, column)), column in entry.from_memory
    if not text:
        if column in ("errors", "log_ratio"):
            return "none"
        fact = "repository" if column in ("code", "licence") and column not in entry.fact_names() else column
        return UNKNOWN if fact in entry.unknown else ""
    return f"{text} {FROM_MEMORY}" if memory else text


def title_of(column: str) -> str:
    """Title of a column."""
    return _TITLES.get(column, column.replace("_", " ").capitalize())


def _chosen(library: Library, kind: str, names: Sequence[str]) -> tuple[AnyEntry, ...]:
    if not names:
        return library.of_kind(kind)
    entries = tuple(dict.fromkeys(library.entry(name).name for name in names))
    for name in entries:
        if type(library.entries[name]) is not KINDS[kind]:
            raise RecordError(
                f"'{name}' is a {library.entries[name].family}; compare it with: --kind {_kind_of(library, name)}"
            )
    return tuple(library.entries[name] for name in entries)


def _kind_of(library: Library, name: str) -> str:
    return next(kind for kind, model in KINDS.items() if type(library.entries[name]) is model)


def refusals(rows: Iterable[Validation]) -> tuple[Refusal, ...]:
    """Every pair of rows that may not be ranked, with the reasons."""
    found = ((a, b, comparable(a, b)) for a, b in combinations(rows, 2))
    return tuple(Refusal(a, b, verdict.reasons) for a, b, verdict in found if not verdict)


class Cause(NamedTuple):
    """Why pairs are not ranked: what they share, how many they are, and one of them in a sentence."""

    text: str
    pairs: int
    example: str


#: What rows are and what they had seen is said before where they were measured.
_WEIGHTY = ("kind", "evidence")


def sentences(found: Sequence[Refusal]) -> tuple[str, ...]:
    """One sentence for each pair and each weighty cause; the first of the others where there is no such."""
    texts = (
        reason.text
        for refusal in found
        for reason in ([r for r in refusal.reasons if r.code in _WEIGHTY] or refusal.reasons[:1])
    )
    return tuple(dict.fromkeys(texts))


def causes(found: Sequence[Refusal]) -> tuple[Cause, ...]:
    """The causes that keep pairs apart, those of the most pairs first; a pair may have several."""
    gathered: dict[str, list[str]] = {}
    for refusal in found:
        for cause, text in {reason.cause: reason.text for reason in refusal.reasons}.items():
            gathered.setdefault(cause, []).append(text)
    ordered = sorted(gathered.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Cause(cause, len(texts), texts[0]) for cause, texts in ordered)


def compare(
    library: Library,
    kind: str = "simulators",
    names: Sequence[str] = (),
    columns: Sequence[str] = (),
    *,
    pairs: bool = False,
) -> Comparison:
    """Records of one kind side by side.

    Parameters
    ----------
    names
        Ids or titles; all of the kind where none is given.
    columns
        Names of columns; a short selection where none is given.
    pairs
        Whether log-ratio errors are computed from stored pairs too, and ranked where they may be.
    """
    if kind not in KINDS:
        raise RecordError(f"kind '{kind}' is not known{did_you_mean(kind, KINDS)} Kinds: {', '.join(KINDS)}")
    chosen = tuple(columns) or DEFAULT_COLUMNS[kind]
    known = columns_of(kind)
    for column in chosen:
        if column not in known:
            raise RecordError(
                f"column '{column}' is not known for {kind}{did_you_mean(column, known)} Columns: {', '.join(known)}"
            )
    entries = _chosen(library, kind, names)
    all_rows = [row for entry in entries for row in library.rows_of(entry.name)]
    leading = [rows[0] for entry in entries if (rows := library.rows_of(entry.name))]
    if pairs:
        sets = [s for entry in entries for s in library.sets_of(entry.name) if s.prediction.same_as is None]
        all_rows += [log_ratio_row(pair_set) for pair_set in sets]
    several = tuple(group for group in groups(all_rows) if len({placed.row.tool for placed in group.rows}) > 1)
    return Comparison(
        kind,
        chosen,
        tuple(title_of(column) for column in chosen),
        tuple(tuple(text_of(library, entry, column) for column in chosen) for entry in entries),
        several,
        refusals(leading),
    )
