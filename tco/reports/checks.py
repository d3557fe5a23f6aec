"""Checked claims and runs as tables and text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from tco.claims.checking import SCHEMA, Checked, Needed
from tco.claims.record import Claim
from tco.claims.runs import CheckedRun
from tco.claims.stated import Stated
from tco.reports.numbers import digits
from tco.reports.tables import Table
from tco.units import parse_unit

#: How many explanations and needed values a table shows; JSON has all.
_SHOWN = 4
#: Fewest and most significant digits that are shown of a recomputed number, and the length of a number shown as it is.
_DIGITS, _LONG = (4, 9), 14


def _number(value: float, unit: str, shown: int = 4) -> str:
    return digits(value, shown) if unit == "1" else f"{digits(value, shown)} {unit}"


def _printed(stated: Stated) -> str:
    if stated.number is None:
        return "none"
    plain = stated.number.strip()
    whole, dot, rest = plain.partition(".")
    text = f"{int(whole):,}{dot}{rest}" if whole.isdigit() and (rest.isdigit() or not dot) else plain
    if len(plain) > _LONG or "e" in plain.lower():
        text = digits(float(plain), _DIGITS[1])
    return text if stated.unit == "1" else f"{text} {stated.unit}"


def _words(checked: Checked) -> str:
    """What a reader needs of a result in one cell."""
    if checked.reason is not None:
        return checked.reason.removeprefix(f"{checked.claim.id}: ")
    parts = [one.text for one in checked.explanations[:_SHOWN]]
    return " OR ".join(parts)


def of_checked(checked: Sequence[Checked], *, title: str = "Claims") -> Table:
    """One row for each result."""
    rows = tuple(
        (
            one.claim.id,
            one.result,
            _printed(one.printed),
            None
            if one.recomputed is None
            else _number(one.recomputed.value, one.printed.unit, _digits_of(one.printed)),
            None if one.ratio is None else digits(one.ratio),
            one.verdict,
            _words(one),
            str(one.claim.source) if one.claim.source else "",
        )
        for one in checked
    )
    columns = ("Claim", "Result", "Printed", "From its inputs", "Ratio", "Verdict", "Why", "Source")
    keys = ("claim", "result", "printed", "recomputed", "ratio", "verdict", "why", "source")
    return Table("claims", title, columns, rows, notes=(summary(checked),), keys=keys)


def of_numbers(checked: Sequence[Checked]) -> Table:
    """One row for each result, numbers in full, for programs."""
    rows = []
    for one in checked:
        found, printed = one.recomputed, one.printed
        changes = one.explanations[0].changes if one.explanations else None
        numbers = (None, None, None) if found is None else (found.value, found.low, found.high)
        value = None if printed.number is None else printed.value
        rows.append(
            (one.claim.id, one.result, value, printed.unit, *numbers, one.ratio, one.verdict, changes, _words(one))
        )
    keys = ("claim", "result", "printed", "unit", "recomputed", "low", "high", "ratio", "verdict", "changes", "why")
    return Table("claims", "Claims", keys, tuple(rows), keys=keys)


def brief(checked: Sequence[Checked]) -> Table:
    """The same for a terminal: fewer, wider columns."""
    rows = []
    for claim, result, printed, found, ratio, verdict, why, _ in of_checked(checked).rows:
        rows.append((f"{claim} {result}", printed, found, ratio, f"{verdict}: {why}" if why else verdict))
    columns = ("Claim and result", "Printed", "From its inputs", "Ratio", "Verdict")
    return Table("claims", "", columns, tuple(rows), notes=(summary(checked),))


def summary(checked: Sequence[Checked]) -> str:
    """How many of each verdict."""
    counts: dict[str, int] = {"consistent": 0, "not consistent": 0, "not decidable": 0}
    for one in checked:
        counts[one.verdict] += 1
    explained = sum(bool(one.explanations) for one in checked)
    parts = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    results = "1 result" if len(checked) == 1 else f"{len(checked)} results"
    return f"{results}: {parts}" + (f" ({explained} explained)." if explained else ".")


def to_text(checked: Sequence[Checked]) -> str:
    """The claims one after the other: their results, with explanations, implied inputs and notes."""
    lines: list[str] = []
    for at, one in enumerate(checked):
        claim = one.claim
        if at == 0 or checked[at - 1].claim is not claim:
            lines += [""] if at else []
            lines.append(f"{claim.id}: {claim.title}" if claim.title else claim.id)
            lines += [f"  source    {claim.source}"] if claim.source else []
            lines += [f"  note      {claim.note}"] if claim.note else []
        lines += _one(one, several=len(claim.results) > 1)
    if len(checked) > 1:
        lines += ["", summary(checked)]
    return "\n".join(lines) + "\n"


def _one(checked: Checked, *, several: bool) -> list[str]:
    found, verdict = checked.recomputed, checked.verdict
    lines = [f"  result    {checked.result}"]
    lines.append(f"  printed   {_printed(checked.printed)}")
    if found is not None:
        spread, shown = "", _digits_of(checked.printed)
        if found.high > found.low and found.low < found.value < found.high:
            spread = f"  [{digits(found.low, shown)} to {digits(found.high, shown)} by the rounding of the inputs]"
        lines.append(f"  follows   {_number(found.value, checked.printed.unit, shown)}{spread}")
    if checked.ratio is not None and verdict == "not consistent":
        verdict_text = f"{verdict}: printed is {digits(checked.ratio)} times what follows"
    else:
        verdict_text = verdict
    lines.append(f"  verdict   {verdict_text}")
    if checked.reason is not None:
        lines.append(f"  because   {checked.reason.removeprefix(f'{checked.claim.id}: ')}")
    for place, explained in enumerate(checked.explanations, start=1):
        changes = "1 change" if explained.changes == 1 else f"{explained.changes} changes"
        value = _number(explained.value, explained.unit, _digits_of(checked.printed))
        lines.append(f"  explains  {place}. {explained.text} ({changes}: {value})")
    if verdict == "not consistent" and not checked.explanations:
        lines.append("  explains  none of the usual explanations gives the printed number")
        lines += [f"  implies   {_implied(needed)}" for needed in checked.needed[:_SHOWN]]
    lines += [f"  note      [{note.code}] {note.text}" for note in checked.notes]
    return [*lines[:1], *("  " + line if several else line for line in lines[1:])]


def _implied(needed: Needed) -> str:
    unit = "" if needed.unit == "1" else f" {needed.unit}"
    fault = f"; but {needed.fault}" if needed.fault else ""
    return f"{needed.name} of {digits(needed.value)}{unit}, not {digits(needed.stated)}{unit}{fault}"


def _digits_of(printed: Stated) -> int:
    """Significant digits to show of what is held against a printed number: one more than it has, within reason."""
    if printed.number is None:
        return _DIGITS[0]
    mantissa = printed.number.lower().partition("e")[0]
    count = len(mantissa.strip("+-").replace(".", "").strip("0"))
    return min(max(count + 1, _DIGITS[0]), _DIGITS[1])


def to_json(checked: Iterable[Checked] = (), runs: Iterable[CheckedRun] = ()) -> str:
    """Schema ``tco.check/1``, numbers in full."""
    from tco import __version__

    data = {
        "schema": SCHEMA,
        "claims": [one.to_dict() for one in checked],
        "runs": [run.to_dict() for run in runs],
        "tool": {"name": "tco", "version": __version__},
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def of_run(checked: CheckedRun) -> list[Table]:
    """What a run implies, and its findings."""
    name = checked.run.name or checked.where
    implied = tuple(
        (
            one.name,
            _number(float(one.quantity.m_as(parse_unit(one.unit))), one.unit),
            one.against,
            None if one.ratio is None else digits(one.ratio),
        )
        for one in checked.implied
    )
    findings = tuple((f.severity, f.code, f.message, f.where or "") for f in checked.findings)
    verdict = "consistent" if checked.consistent else "not consistent: not all of its figures can be right"
    tables = [
        Table(
            "implied",
            f"{name}: {verdict}",
            ("What the run implies", "Value", "Against", "Ratio") if implied else (),
            implied,
            keys=("name", "value", "against", "ratio"),
        )
    ]
    if findings:
        columns, keys = ("Weight", "Code", "What", "Where"), ("severity", "code", "message", "where")
        tables.append(Table("findings", "Findings", columns, findings, keys=keys))
    return tables


def of_published(claims: Mapping[str, Claim]) -> Table:
    """The published claims that ship with the package, a row for each."""
    rows = tuple(
        (
            claim.id,
            claim.about or "",
            ", ".join(f"{name}: {_printed(stated)}" for name, stated in claim.results.items()),
            str(claim.source) if claim.source else "",
        )
        for claim in claims.values()
    )
    notes = (f"{len(rows)} claims. Recompute one: tco check ID; all: tco check --all.",)
    return Table(
        "published", "Published claims, recomputed from their own inputs", ("Id", "About", "Says", "Source"), rows,
        notes=notes, keys=("id", "about", "says", "source"),
    )  # fmt: skip
