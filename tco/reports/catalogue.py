"""Tables and pages of the catalogue of systems: lists, comparisons, advice, scores, claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tco.catalog.claims import Claim, Survey
from tco.catalog.comparability import Group, groups
from tco.catalog.comparison import (
    FROM_MEMORY,
    LEGEND,
    UNKNOWN,
    Comparison,
    causes,
    columns_of,
    compare,
    log_ratio_row,
    sentences,
    text_of,
    title_of,
)
from tco.catalog.entries import AnyEntry, Conflict, CostModel, Reading, Unlisted
from tco.catalog.kinds import KINDS as METRIC_KINDS
from tco.catalog.kinds import MetricKind
from tco.catalog.library import KINDS, Library
from tco.catalog.pairs import PairSet
from tco.catalog.recommendation import Advice
from tco.catalog.validations import EVIDENCE, Validation
from tco.reports.tables import Cell, Table, to_markdown

if TYPE_CHECKING:
    from tco.catalog.checks import Finding
    from tco.catalog.scoring import Score

#: Up to so many records, every pair that is not ranked gets its sentences; above, causes with their number of pairs.
FEW = 6
_NO_RANK = "No order is given across these errors."


def of_list(library: Library, kinds: Sequence[str]) -> list[Table]:
    """Ids and names of records, of sets of pairs, and of systems without a record."""
    tables = []
    for kind in kinds:
        if kind == "pairs":
            tables.append(_listed_sets(library))
        elif kind == "unlisted":
            tables.append(_unlisted(library.unlisted.values()))
        else:
            rows = tuple(
                (e.name, e.title, e.year, len(library.rows_of(e.name)), len(library.sets_of(e.name)))
                for e in library.of_kind(kind)
            )
            tables.append(Table(kind, kind.capitalize(), ("Id", "Name", "Year", "Errors", "Sets of pairs"), rows))
    return tables


def _listed_sets(library: Library) -> Table:
    rows = tuple(
        (s.id, s.prediction.predictor, s.file.data, s.file.rows, s.file.unit, s.prediction.evidence or UNKNOWN)
        for s in library.pair_sets.values()
    )
    return Table("pairs", "Sets of pairs", ("Id", "Predictor", "Measurements", "Points", "Unit", "Evidence"), rows)


def _unlisted(systems: Iterable[Unlisted]) -> Table:
    rows = tuple(
        (
            system.title + (f" {FROM_MEMORY}" if "title" in system.from_memory else ""),
            system.kind or UNKNOWN,
            system.named_in,
            system.why,
            system.elsewhere or "",
            system.use or "none",
        )
        for system in systems
    )
    columns = ("System", "Kind", "Named in", "Why it has no record", "Where else it stands", "Use for an estimate")
    return Table("unlisted", "Systems without a record", columns, rows)


def of_entry(library: Library, entry: AnyEntry) -> list[Table]:
    """One record: its fields with where each was read, its errors, its pairs and its conflicts."""
    rows: list[tuple[Cell, ...]] = []
    for column in columns_of_entry(entry):
        text = text_of(library, entry, column)
        if text:
            fact = "repository" if column in ("code", "licence") and column not in entry.fact_names() else column
            readings = entry.reading_of(fact) if fact in entry.fact_names() else ()
            source = ", ".join(str(1 + entry.sources.index(reading)) for reading in readings)
            rows.append((title_of(column), text, "from memory" if fact in entry.from_memory else source))
    notes = [f"Source {at}: {_reading(reading)}" for at, reading in enumerate(entry.sources, 1)]
    notes += [note for note in (entry.memory_note, entry.note) if note]
    if _marked(rows):
        notes.append(LEGEND)
    tables = [Table(entry.name, entry.title, ("Field", "Value", "Source"), tuple(rows), notes=tuple(notes))]
    errors = library.rows_of(entry.name)
    if errors:
        texts = tuple(
            (row.id, str(row), f"{row.workload}; {row.hardware}", row.reference, row.source) for row in errors
        )
        columns = ("Id", "Error", "Of what, on what", "Measured by", "Read in")
        tables.append(Table("errors", "Errors", columns, texts))
    sets = [pair_set for pair_set in library.sets_of(entry.name) if pair_set.prediction.same_as is None]
    if sets:
        tables.append(of_sets("pairs", "Pairs", sets, brief=True))
    if entry.conflicts:
        tables.append(_of_conflicts(entry.conflicts))
    about = tuple(_claim_row(survey, claim) for survey, claim in library.claims() if entry.name in claim.about)
    if about:
        tables.append(Table("claims", "What the survey says", _CLAIM_COLUMNS, about))
    return tables


def _reading(reading: Reading) -> str:
    return f"{reading.title}, {reading.url}" if reading.url else reading.title


def _of_conflicts(conflicts: Iterable[Conflict]) -> Table:
    rows = tuple((c.about, c.status, "; ".join(f"{s.who}: {s.what}" for s in c.says), c.note or "") for c in conflicts)
    return Table("conflicts", "Conflicts", ("About", "Status", "Who says what", "Note"), rows)


def of_row(row: Validation) -> list[Table]:
    """One validation row in full."""
    rows = tuple(
        (title_of(field), str(value))
        for field in type(row).model_fields
        if field != "conflicts" and (value := _shown(getattr(row, field)))
    )
    table = Table(row.id, f"{row.id}: {row}", ("Field", "Value"), rows)
    return [table, _of_conflicts(row.conflicts)] if row.conflicts else [table]


def of_set(pair_set: PairSet) -> list[Table]:
    """One set of pairs: where its numbers come from, and its metrics."""
    parts = ((pair_set.prediction, ("column", "set")), (pair_set.file, ("predictions", "constants")))
    rows = tuple(
        (title_of(field), str(value))
        for record, hidden in parts
        for field in type(record).model_fields
        if field not in hidden and (value := _shown(getattr(record, field)))
    )
    constants = tuple((title_of(key), value) for key, value in pair_set.file.constants.items())
    table = Table(pair_set.id, pair_set.id, ("Field", "Value"), rows + constants)
    return [table, of_sets("metrics", "Metrics", [pair_set], brief=True)]


def _shown(value: object) -> object:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "yes" if value is True else value


def columns_of_entry(entry: AnyEntry) -> tuple[str, ...]:
    """Columns that say something of one record."""
    kind = next(kind for kind, model in KINDS.items() if type(entry) is model)
    return tuple(name for name in columns_of(kind) if name not in ("name", "title", "errors", "log_ratio", "note"))


def of_rows(name: str, title: str, rows: Iterable[Validation]) -> Table:
    """Validation rows with all that must stand beside a number."""
    cells = tuple(
        (
            row.id,
            row.number + (f" {FROM_MEMORY}" if row.from_memory else ""),
            row.kind_text,
            row.measured or row.quantity or UNKNOWN,
            ", ".join(row.modes),
            row.hardware,
            str(row.devices) if row.devices else UNKNOWN,
            str(row.nodes) if row.nodes else UNKNOWN,
            row.points,
            row.evidence or UNKNOWN,
            row.claim,
            row.reference + (f" ({row.data})" if row.data else ""),
            row.source,
        )
        for row in rows
    )
    columns = (
        "Id",
        "Value",
        "Metric",
        "Quantity",
        "Mode",
        "Hardware",
        "Devices",
        "Nodes",
        "Points",
        "Evidence",
        "Claim",
        "Measured by",
        "Source",
    )
    return Table(name, title, columns, cells, notes=(LEGEND,) if _marked(cells) else ())


def _marked(rows: Iterable[Sequence[Cell]]) -> bool:
    return any(isinstance(cell, str) and (cell == UNKNOWN or FROM_MEMORY in cell) for row in rows for cell in row)


_SET_METRICS = {
    "log_ratio": "Log-ratio %",
    "mape": "Mean %",
    "median_ape": "Median %",
    "max_ape": "Max %",
    "mean_signed": "Bias %",
    "wape": "Weighted %",
    "pearson_r": "Pearson r",
    "kendall_tau_b": "Kendall tau",
}
_BRIEF = ("log_ratio", "mape", "median_ape", "max_ape", "mean_signed")


def of_sets(name: str, title: str, sets: Iterable[PairSet], *, brief: bool = False) -> Table:
    """Sets of pairs with their metrics; a few of them where `brief`."""
    from tco.catalog.metrics import metric

    wanted = _BRIEF if brief else tuple(_SET_METRICS)
    rows = []
    for pair_set in sets:
        points = pair_set.load()
        values = {key: metric(key, *points.arrays) for key in wanted}
        rows.append(
            (
                pair_set.id,
                *(() if brief else (pair_set.prediction.predictor,)),
                pair_set.file.data,
                len(points),
                pair_set.prediction.evidence or UNKNOWN,
                *(
                    None if v is None else round(v, 2 if _SET_METRICS[key].endswith("%") else 4)
                    for key, v in values.items()
                ),
            )
        )
    head = ("Set", *(() if brief else ("Predictor",)), "Measurements", "Points", "Evidence")
    return Table(name, title, (*head, *(_SET_METRICS[key] for key in wanted)), tuple(rows))


def of_ranking(ranked: Sequence[Group], title: str = "Errors that may be ranked") -> Table:
    """Groups of comparable errors in order."""
    rows = tuple(
        (group.title, placed.place, placed.row.id, placed.row.number) for group in ranked for placed in group.rows
    )
    notes = () if rows else ("None: no two of these tools have errors of one kind on the same points.",)
    return Table("ranked", title, ("Compared", "Place", "Error", "Value") if rows else (), rows, notes=notes)


def of_comparison(found: Comparison) -> list[Table]:
    """A comparison: the table, what may be ranked, and why the rest may not."""
    notes = (LEGEND,) if _marked(found.rows) else ()
    main = Table(found.kind, found.kind.capitalize(), found.titles, found.rows, notes=notes, keys=found.columns)
    if not found.refusals and not found.ranked:
        return [main]
    tables = [main, of_ranking(found.ranked)]
    if found.refusals and len({row.tool for r in found.refusals for row in (r.a, r.b)}) <= FEW:
        tables.append(Table("not-ranked", "Not ranked", (), (), (_NO_RANK,), sentences(found.refusals)))
    elif found.refusals:
        count = len(found.refusals)
        intro = f"{_NO_RANK} {count} pairs of the tools' first errors are kept apart, most for several causes."
        rows = tuple((cause.pairs, cause.text, cause.example) for cause in causes(found.refusals))
        tables.append(Table("not-ranked", "Not ranked", ("Pairs", "Because", "For instance"), rows, (intro,)))
    return tables


_MARKS = {"in": "+", "unclear": "?", "out": "-"}


def _reasons(advice: Advice) -> str:
    """The reasons, those that decide first, each with a mark."""
    ordered = sorted(advice.reasons, key=lambda reason: "+?-".index(_MARKS[reason.answer]), reverse=True)
    return " ".join(f"({_MARKS[reason.answer]}) {reason.criterion}: {reason.text}" for reason in ordered)


def of_advice(advice: Sequence[Advice]) -> list[Table]:
    """Every simulator, in or out, with its reasons."""
    rows = tuple((a.answer, a.name, a.title, _reasons(a)) for a in advice)
    counts = ", ".join(f"{sum(a.answer == answer for a in advice)} {answer}" for answer in ("in", "unclear", "out"))
    notes = (
        f"{counts}. Alphabetical, not by error: errors are in order only where they may be (tco catalog compare).",
        "(+) for it, (-) against it, (?) no source says yes or no. One (-) puts it out, one (?) leaves it unclear.",
    )
    return [Table("advice", "Simulators for this job", ("Suits", "Id", "Name", "Why"), rows, notes=notes)]


_METRIC_TITLES = {
    "p90_ape": "90th percentile of the absolute percentage errors",
    "p95_ape": "95th percentile of the absolute percentage errors",
    "pearson_r_log": "Pearson correlation of logarithms",
    "rmse": "root mean square error",
    "mean_signed": "mean signed error, negative = predicted too small",
}


def of_score(scored: Score) -> list[Table]:
    """All metrics of a set of pairs."""
    rows = []
    for metric in scored.metrics.values():
        spread = metric.interval
        title = _METRIC_TITLES.get(metric.name) or METRIC_KINDS[MetricKind(metric.kind)].title
        rows.append(
            (
                metric.name,
                None if metric.value is None else round(metric.value, 4),
                None if spread is None else round(spread.low, 4),
                None if spread is None else round(spread.high, 4),
                metric.unit,
                title,
            )
        )
    pairs = scored.pairs
    intro = [f"{pairs.where}: {len(pairs)} points" + (f" in {pairs.unit}" if pairs.unit else "")]
    if pairs.skipped:
        intro[0] += f"; {pairs.skipped} more have no prediction and are not scored"
    notes = ["log_ratio is the default: the only one that is the same for a time and the throughput made of it."]
    if scored.resamples:
        notes.append(
            f"Low and high: 95 % of {scored.resamples:,} bootstrap resamples of the points (seed {scored.seed}); "
            "none for a maximum, for which the bootstrap does not hold."
        )
    columns = ("Metric", "Value", "Low", "High", "Unit", "What it is")
    keys = ("metric", "value", "low", "high", "unit", "title")
    return [Table("score", "Error metrics", columns, tuple(rows), tuple(intro), tuple(notes), keys)]


_CLAIM_COLUMNS = ("Id", "About", "Where", "It says", "The primary data say", "Matters", "What the catalogue does")


def _claim_row(survey: Survey, claim: Claim) -> tuple[Cell, ...]:
    return (
        claim.id,
        ", ".join(claim.about) or "the survey",
        claim.where,
        claim.says,
        claim.primary,
        claim.severity,
        claim.action,
    )


def of_claims(library: Library, about: str | None = None, severity: str | None = None) -> list[Table]:
    """What surveys and papers say against what the primary data say."""
    tables = []
    for survey in library.surveys.values():
        rows = tuple(
            _claim_row(survey, claim)
            for claim in survey.claims
            if (about is None or about in claim.about) and (severity is None or claim.severity == severity)
        )
        if rows:
            tables.append(Table(survey.name, str(survey.source), _CLAIM_COLUMNS, rows))
    if severity is None:
        disputed = tuple(
            (
                row.id,
                str(row),
                conflict.status,
                "; ".join(f"{s.who}: {s.what}" for s in conflict.says),
                conflict.note or "",
            )
            for row in library.validations.values()
            for conflict in row.conflicts
            if about in (None, row.tool)
        )
        if disputed:
            columns = ("Id", "The row", "Status", "Against it", "Note")
            tables.append(Table("rows", "Errors that sources state differently", columns, disputed))
    return tables


def of_findings(findings: Sequence[Finding]) -> list[Table]:
    """What a check found."""
    rows = tuple((finding.level, finding.where, finding.text) for finding in findings)
    return [Table("findings", "Findings", ("Level", "Where", "What"), rows)]


def of_search(library: Library, hits: Iterable[tuple[str, str, str, str]]) -> list[Table]:
    """Where a text was found."""
    return [Table("hits", "Found", ("Id", "Name", "Field", "Text"), tuple(hits))]


# Pages -------------------------------------------------------------------------------------------------------------

_MADE_BY = "Made from the records by: tco catalog pages docs"


def _page(*tables: Table, title: str, intro: Sequence[str]) -> str:
    first = Table("intro", title, (), (), (*intro, _MADE_BY + "."))
    return to_markdown(title, (first, *tables))


def _facts(library: Library, kind: str, title: str, *columns: str) -> Table:
    return of_comparison(compare(library, kind, columns=("title", *columns)))[0]._replace(title=title)


def _simulators(library: Library) -> str:
    errors = compare(library, "simulators", columns=("title", "errors", "log_ratio"), pairs=True)
    table, ranked, refused = of_comparison(errors)
    return _page(
        _facts(
            library,
            "simulators",
            "How they work",
            *("year", "venue", "classes", "class_note", "survey_class", "levels", "workload", "formats", "parallelism"),
        ),
        _facts(
            library,
            "simulators",
            "What they model",
            *("scope", "network", "network_models", "hardware", "energy", "cost", "carbon"),
        ),
        _facts(
            library,
            "simulators",
            "What one can run and check",
            *("code", "licence", "largest_validated_devices", "public_validation_data", "note"),
        ),
        table._replace(title="Their errors, each as what it is"),
        ranked,
        refused,
        title="Simulators of distributed training and inference",
        intro=(
            "The survey's class stands beside the one that the tool's own sources give. Errors are of different kinds, "
            "quantities and points; no column of them can be sorted.",
        ),
    )


def _models(library: Library) -> str:
    parts = tuple(name for name, field in CostModel.model_fields.items() if "Extent" in str(field.annotation))
    errors = tuple(row for entry in library.of_kind("models") for row in library.rows_of(entry.name))
    return _page(
        _facts(library, "models", "What they cover", *parts),
        _facts(
            library,
            "models",
            "What they give",
            "year",
            "venue",
            "output",
            "published_numbers",
            "code",
            "licence",
            "note",
        ),
        of_rows("errors", "Their errors, each as what it is", errors),
        title="Models of cost and emissions",
        intro=("A part that a model covers says how far; what its sources do not say is not taken for no.",),
    )


def _plain(kind: str, title: str, intro: str) -> Callable[[Library], str]:
    hidden = ("name", "title", "doi", "arxiv", "year", "venue", "versions_of")

    def _made(library: Library) -> str:
        columns = (name for name in columns_of(kind) if name not in hidden)
        return _page(_facts(library, kind, "Records", *columns), title=title, intro=(intro,))

    return _made


def _validations(library: Library) -> str:
    kinds = tuple(
        (kind.value, d.title, d.family, d.formula, d.unit, "yes" if d.inverts else "no", d.ranking)
        for kind, d in METRIC_KINDS.items()
    )
    columns = ("Kind", "What it is", "Family", "Formula", "Unit", "Same for time and throughput", "May be ranked")
    evidence = tuple((name.value, text) for name, text in EVIDENCE.items())
    return _page(
        of_rows("errors", "All errors", library.validations.values()),
        Table("kinds", "Kinds of error metric", columns, kinds),
        Table("evidence", "Evidence classes", ("Class", "What it means"), evidence),
        title="Published and recomputed errors",
        intro=("p predicted, m measured. A number marked with < is an upper bound, not a value.",),
    )


def _pairs(library: Library) -> str:
    sets = tuple(library.pair_sets.values())
    ranked = groups(log_ratio_row(s) for s in sets if s.prediction.same_as is None)
    return _page(
        of_sets("sets", "All sets", sets),
        of_ranking(ranked, "Log-ratio errors on the same points, in order"),
        title="Predicted and measured pairs",
        intro=("Every metric of every set comes from one definition. Show all metrics of one: tco catalog score SET.",),
    )


def _claims(library: Library) -> str:
    return _page(
        *of_claims(library),
        title="What a survey and papers say, and what the primary data say",
        intro=("Statements that were held against their primary sources; not a judgement of the rest.",),
    )


def _without(library: Library) -> str:
    return _page(
        _unlisted(library.unlisted.values()),
        title="Systems named elsewhere that have no record",
        intro=("What the survey, CARAML or MLPerf Power papers name is in the catalogue or in this list.",),
    )


PAGES: dict[str, Callable[[Library], str]] = {
    "catalog-simulators.md": _simulators,
    "catalog-models.md": _models,
    "catalog-benchmarks.md": _plain(
        "benchmarks", "Benchmarks and measurements", "What each measures, and what of time and power it records."
    ),
    "catalog-representations.md": _plain(
        "representations",
        "Representations of workloads",
        "How a workload is written down, and which simulators read it.",
    ),
    "catalog-errors.md": _validations,
    "catalog-pairs.md": _pairs,
    "catalog-claims.md": _claims,
    "catalog-not-listed.md": _without,
}


def pages(library: Library) -> dict[PurePosixPath, str]:
    """All pages of the catalogue, by their file names."""
    return {PurePosixPath(name): make(library) for name, make in PAGES.items()}
