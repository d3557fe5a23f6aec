"""Whether a claim follows from its own inputs, and if not, what would make it follow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from tco.catalog import plausible
from tco.claims.explanations import (
    COMPOSED,
    EXPLANATIONS,
    Change,
    Explanation,
    inputs_that_matter,
    rated_power,
)
from tco.claims.recipe import BECOMES
from tco.claims.recompute import Recomputed, UndecidableError, recompute, value_of
from tco.claims.record import ROWS, Claim
from tco.claims.stated import Stated
from tco.provenance import Source

Verdict = Literal["consistent", "not consistent", "not decidable"]
SCHEMA = "tco.check/1"
#: How close a search for the value of an input comes, and how often it tries.
_CLOSE, _TRIES = 1e-12, 40


class Explained(NamedTuple):
    """Changes that together reproduce the printed number within its rounding.

    Attributes
    ----------
    codes, words
        Kind of each change, and what would be so.
    value
        The result with them, in the unit that the claim then has.
    unit
        That unit.
    """

    codes: tuple[str, ...]
    words: tuple[str, ...]
    value: float
    unit: str

    @property
    def changes(self) -> int:
        """How many changes it takes."""
        return len(self.codes)

    @property
    def text(self) -> str:
        """All changes in words."""
        return "; and ".join(self.words)


class Needed(NamedTuple):
    """What one input would have to be for the printed number.

    Attributes
    ----------
    name, value, unit, stated
        The input, the value it would have to have, its unit, and the value as stated.
    fault
        Why it cannot have it, where the catalogue knows bounds.
    """

    name: str
    value: float
    unit: str
    stated: float
    fault: str | None


class Note(NamedTuple):
    """Something to know of a claim whatever its verdict."""

    code: str
    text: str


class Checked(NamedTuple):
    """One result of a claim, checked.

    Attributes
    ----------
    claim, result
        The claim, and the name of the result.
    verdict, reason
        What came out; why it could not be decided.
    recomputed
        The result as it follows from the inputs; None where it does not.
    explanations
        What would make it follow, fewest changes first.
    needed
        What each input would have to be instead.
    notes
        What is to know of it: circular validation, tolerance.
    """

    claim: Claim
    result: str
    verdict: Verdict
    reason: str | None = None
    recomputed: Recomputed | None = None
    explanations: tuple[Explained, ...] = ()
    needed: tuple[Needed, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def printed(self) -> Stated:
        """The number as printed."""
        return self.claim.results[self.result]

    @property
    def ratio(self) -> float | None:
        """Printed over recomputed."""
        if self.recomputed is None or self.printed.number is None or not self.recomputed.value:
            return None
        return self.printed.value / self.recomputed.value

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        found, source = self.recomputed, self.claim.source
        return {
            "claim": self.claim.id,
            "about": self.claim.about,
            "result": self.result,
            "verdict": self.verdict,
            "printed": {
                "value": None if self.printed.number is None else self.printed.value,
                "unit": self.printed.unit,
            },
            "recomputed": None
            if found is None
            else {"value": found.value, "low": found.low, "high": found.high, "unit": self.printed.unit},
            "ratio": self.ratio,
            "reason": self.reason,
            "explanations": [
                {"changes": e.changes, "codes": list(e.codes), "text": e.text, "value": e.value, "unit": e.unit}
                for e in self.explanations
            ],
            "needed": [
                {"input": n.name, "value": n.value, "stated": n.stated, "unit": n.unit, "fault": n.fault}
                for n in self.needed
            ],
            "notes": [note._asdict() for note in self.notes],
            "source": source.model_dump(exclude_none=True) if isinstance(source, Source) else None,
            "note": self.claim.note,
        }


def check(claim: Claim) -> tuple[Checked, ...]:
    """Recompute every result of a claim, and explain those that do not follow.

    Returns
    -------
    tuple of Checked
        One for each result, in their order.
    """
    found = [_check_one(claim, result) for result in claim.results]
    wrong = [checked for checked in found if checked.verdict == "not consistent"]
    together = list(_one_input_for_all(claim, wrong)) if len(wrong) > 1 else []
    for at, checked in enumerate(found):
        if checked.verdict != "not consistent":
            continue
        checked = _with(checked, [shared[checked.result] for shared in together])
        if not checked.explanations and checked.recomputed is not None:
            off = _off(checked.printed, checked.recomputed)
            if 0 < off < math.inf:
                checked = checked._replace(explanations=_ranked(_pairs(claim, checked.result, off)))
        found[at] = checked
    return tuple(found)


def _with(checked: Checked, together: list[Explained]) -> Checked:
    """A result with the explanations that it shares with others; those of any input only where it has no other."""
    more = [e for e in together if e.codes == ("index-vintage",) or not checked.explanations]
    return checked._replace(explanations=_ranked((*checked.explanations, *more)))


def _check_one(claim: Claim, result: str) -> Checked:
    printed = claim.results[result]
    notes = tuple(_notes(claim, result))
    try:
        found = recompute(claim, result)
    except UndecidableError as error:
        return Checked(claim, result, "not decidable", reason=str(error), notes=notes)
    if printed.number is None:
        reason = "no number is printed to compare with"
        return Checked(claim, result, "not decidable", reason=reason, recomputed=found, notes=notes)
    if fits(printed, found):
        return Checked(claim, result, "consistent", recomputed=found, notes=notes)
    return Checked(
        claim,
        result,
        "not consistent",
        recomputed=found,
        explanations=_ranked(_singles(claim, result, _off(printed, found))),
        needed=tuple(_needed(claim, result, found)),
        notes=notes,
    )


def _off(printed: Stated, found: Recomputed) -> float:
    """Recomputed over printed; 0 where the one is nothing, infinite where the other is."""
    return found.value / printed.value if printed.value else math.inf


def fits(printed: Stated, found: Recomputed) -> bool:
    """Whether there are inputs that round to those stated and give a result that rounds to the one printed."""
    low, high = printed.interval()
    if found.low <= high and found.high >= low:
        return True
    return printed.tolerance is not None and abs(found.value - printed.value) <= printed.tolerance * abs(printed.value)


# ---- explanations ---------------------------------------------------------------------------------------------------


class _Tried(NamedTuple):
    """A change, and how it moves the ratio of recomputed to printed; None where nothing can be recomputed with it."""

    change: Change
    effect: float | None


def _tried(claim: Claim, result: str, explanations: tuple[Explanation, ...], off: float) -> list[_Tried]:
    """All single changes with their effects; `off` is the ratio of recomputed to printed without any."""
    found = []
    for explanation in explanations:
        for change in explanation(claim, result):
            value, printed = value_of(change.claim, result), change.claim.results[result].value
            effect = value / printed / off if value and printed else None
            found.append(_Tried(change, effect if effect is not None and effect > 0 else None))
    return found


def _singles(claim: Claim, result: str, off: float) -> Iterator[Explained]:
    for explanation in EXPLANATIONS:
        for change in explanation(claim, result):
            explained = _explained((change,), result, far_off=_is_far(off))
            if explained is not None:
                yield explained


def _pairs(claim: Claim, result: str, off: float) -> Iterator[Explained]:
    """Pairs of changes that fit; only those are recomputed whose single effects together come near."""
    tried = _tried(claim, result, COMPOSED, off)
    for first in tried:
        seconds = [
            (second.change.code, second.change.words)
            for second in tried
            if first.effect is not None
            and second.effect is not None
            and _rank(second.change.code) > _rank(first.change.code)
            and abs(math.log(off * first.effect * second.effect)) < _NEAR
        ]
        if not seconds:
            continue
        for explanation in COMPOSED:
            for second in explanation(first.change.claim, result):
                if (second.code, second.words) in seconds:
                    explained = _explained((first.change, second), result, far_off=_is_far(off))
                    if explained is not None:
                        yield explained


def _is_far(off: float) -> bool:
    return not 1 / _FAR < off < _FAR


_CODES = (
    *("pue", "unit", "device-node", "idle", "rated-power", "missing-row", "row-twice", "lifetime", "utilisation"),
    *("hours_per_year", "grid-factor", "price-index", "index-vintage", "left-out", "truncated", "digits-swapped"),
)


#: How near, as a logarithm, two changes must come by their single effects to be tried together.
_NEAR = 0.25
#: A number that is off by this factor is off by more than rounding ever is.
_FAR = 10.0
#: A slip in an input, and the one in the result that mostly has the same effect.
_OF_RESULT = {"unit-of-input": "unit", "device-node-input": "device-node"}


def _rank(code: str) -> int:
    return _CODES.index(code) if code in _CODES else len(_CODES)


def _explained(changes: tuple[Change, ...], result: str, *, far_off: bool) -> Explained | None:
    """The changes as an explanation, if the number follows with them.

    It must lie within the rounding of the printed number. What the rounding of the inputs leaves open counts only
    where the number is off by far more, such as a factor of 1,000: else it would let too many through.
    """
    changed = changes[-1].claim
    value = value_of(changed, result)
    if value is None:
        return None
    printed = changed.results[result]
    low, high = printed.interval()
    if low <= value <= high:
        return Explained(tuple(c.code for c in changes), tuple(c.words for c in changes), value, printed.unit)
    if far_off and fits(printed.model_copy(update={"tolerance": None}), recompute(changed, result)):
        return Explained(tuple(c.code for c in changes), tuple(c.words for c in changes), value, printed.unit)
    return None


def _ranked(explanations: Iterator[Explained] | tuple[Explained, ...]) -> tuple[Explained, ...]:
    """Fewest changes first; a slip in an input only where none in the result does the same."""
    found = tuple(explanations)
    singles = {one.codes[0] for one in found if one.changes == 1}
    kept = [one for one in found if not any(_OF_RESULT.get(code) in singles for code in one.codes)]
    return tuple(sorted(kept, key=lambda e: (e.changes, min(map(_rank, e.codes), default=0))))


def _one_input_for_all(claim: Claim, wrong: list[Checked]) -> Iterator[dict[str, Explained]]:
    """Another value of one input that several results imply alike: found from the first, tested on the others."""
    for needed in wrong[0].needed:
        stated = claim.one(needed.name)
        assert stated is not None
        changed = claim.with_inputs(**{needed.name: stated.scaled(needed.value / needed.stated)})
        code = "index-vintage" if needed.name.startswith("index") else "other-value"
        what = "another vintage of the price index: " if code == "index-vintage" else ""
        words = f"{what}'{needed.name}' is {needed.value:.6g}, not {stated.text}: all {len(wrong)} results follow"
        explained = {c.result: _explained((Change(code, words, changed),), c.result, far_off=False) for c in wrong}
        fitting = {result: one for result, one in explained.items() if one is not None}
        if len(fitting) == len(wrong):
            yield fitting


def _solve(claim: Claim, result: str, name: str) -> float | None:
    """What an input must be multiplied with for a result to be as printed; None where nothing does it."""
    stated, target = claim.one(name), claim.results[result].value
    if stated is None or target <= 0 or not stated.value:
        return None

    def at(factor: float) -> float | None:
        return value_of(claim.with_inputs(**{name: stated.scaled(factor)}), result)

    here = at(1.0)
    if here is None or here <= 0:
        return None
    factor, value, step = 1.0, here, 1.0
    for _ in range(_TRIES):
        off = math.log(target / value)
        if abs(off) <= _CLOSE:
            return factor
        near = at(factor * (1 + 1e-4))
        if near is None or near <= 0 or near == value:
            return None
        step = math.log(near / value) / math.log1p(1e-4)
        if abs(step) < 1e-6 or abs(off / step) > 50:
            return None
        factor *= math.exp(off / step)
        new = at(factor)
        if new is None or new <= 0:  # out of bounds: of what goes in proportion the value is known all the same
            return factor if math.isclose(abs(step), 1, rel_tol=1e-6) else None
        value = new
    return factor if math.isclose(value, target, rel_tol=1e-9) else None


# ---- what else there is to say --------------------------------------------------------------------------------------


def _needed(claim: Claim, result: str, found: Recomputed) -> Iterator[Needed]:
    for name in inputs_that_matter(claim):
        stated = claim.one(name)
        factor = _solve(claim, result, name)
        if stated is None or factor is None:
            continue
        value = stated.value * factor
        fault = None
        for target in BECOMES.get(name, ()):
            bounds = plausible(target)
            if bounds is not None and target in found.graph.named:
                fault = fault or bounds.fault(stated.scaled(factor).quantity(found.graph[target].unit))
        yield Needed(name, value, stated.unit, stated.value, fault)


def _notes(claim: Claim, result: str) -> Iterator[Note]:
    if claim.circular is not None:
        yield Note("circular", claim.circular)
    rated = rated_power(claim)
    if rated is None:
        if claim.device is not None:
            yield Note("device-unknown", f"the catalogue knows no rating of '{claim.device}'; see tco hardware list")
        return
    watts = float(rated.quantity("W").magnitude)
    power = claim.one("device_power")
    if power is not None and abs(float(power.quantity("W").magnitude) - watts) <= float(
        Stated(number=repr(power.half()), unit=power.unit).quantity("W").magnitude
    ):
        text = f"{power.text} is the rated power of the device ({claim.device}): the energy is rating x hours"
        yield Note("circular", f"{text}, no measurement; it can confirm no power or energy")
    elif claim.one("rated_power") is not None and result.startswith(("energy", "carbon")):
        yield Note("circular", "the energy is a share of the rating x hours, no measurement")
    energy, hours = claim.one("energy"), claim.one("device_hours")
    if energy is not None and hours is not None and power is None and hours.value:
        mean = float((energy.quantity("kWh") / hours.quantity("h")).m_as("W"))
        slack = mean * (energy.half() / energy.value + hours.half() / hours.value)
        if abs(mean - watts) <= max(slack, 0.5):
            text = f"{energy.text} over {hours.text} is {mean:.4g} W, the rated power of the device ({claim.device})"
            yield Note("circular", f"{text}: rating x hours, no measurement")


def rows_missing(checked: Checked) -> float | None:
    """How much a total exceeds the sum of its rows; None for what is no total."""
    if ROWS not in checked.claim.inputs or checked.recomputed is None or checked.printed.number is None:
        return None
    return checked.printed.value - checked.recomputed.value
