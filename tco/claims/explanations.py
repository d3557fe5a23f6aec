"""The usual explanations of a result that does not follow from its inputs, each a small change of the claim.

A change turns a claim into another claim: it states an input otherwise, or reads the printed number otherwise. Whether
it explains anything is decided by recomputing the changed claim like any other. Changes compose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tco.catalog import find_accelerator, systems_with
from tco.catalog import system as system_record
from tco.catalog.conventions import conventions
from tco.claims.recipe import BECOMES
from tco.claims.recompute import value_of
from tco.claims.record import ROWS, SUM, Claim, OtherRow
from tco.claims.stated import Stated
from tco.claims.vocabulary import CARRIERS
from tco.errors import TcoError
from tco.records.figure import Figure
from tco.units import Q, parse_unit


class Change(NamedTuple):
    """One change of a claim.

    Attributes
    ----------
    code
        Kind of change, for programs.
    words
        What would be so, for people.
    claim
        The changed claim.
    """

    code: str
    words: str
    claim: Claim


Explanation = Callable[[Claim, str], Iterator[Change]]

# ---- units ----------------------------------------------------------------------------------------------------------

#: Units that stand for each other by a slip.
_FAMILIES = (
    ("Wh", "kWh", "MWh", "GWh"),
    ("gCO2e", "kgCO2e", "tCO2e", "lbCO2e", "klbCO2e"),
    ("g", "kg", "t", "lb", "klb"),
    ("W", "kW", "MW"),
    ("mL", "L", "kL"),
    ("s", "min", "h"),
    ("GB", "GiB"),
    ("FLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"),
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_CO2 = re.compile(r"\b(g|kg|t|lb)\s?CO2(?:e|eq)?\b")
_INTENSITIES = ("g/kWh", "kg/kWh", "lb/MWh", "lb/kWh", "g/MWh")


def _other_units(unit: str) -> Iterator[str]:
    """The unit with one part of it taken for another of its family."""
    plain = _CO2.sub(r"\1CO2e", unit)
    for match in _WORD.finditer(plain):
        for family in _FAMILIES:
            if match.group() in family:
                yield from (plain[: match.start()] + o + plain[match.end() :] for o in family if o != match.group())


def unit_of_the_result(claim: Claim, result: str) -> Iterator[Change]:
    """Another unit of the printed result: kWh against MWh, kg against t, pounds against kilograms."""
    stated = claim.results[result]
    for unit in _other_units(stated.unit):
        changed = stated.model_copy(update={"unit": unit})
        yield Change("unit", f"the result is in {unit}, not in {stated.unit}", claim.with_result(result, changed))


def unit_of_an_input(claim: Claim, result: str) -> Iterator[Change]:
    """The same in an input."""
    for name, stated in claim.inputs.items():
        if not isinstance(stated, Stated):
            continue
        known = _same_dimension(stated.unit, _INTENSITIES) if name == "intensity" else _other_units(stated.unit)
        for unit in known:
            words = f"'{name}' is in {unit}, not in {stated.unit}"
            yield Change("unit-of-input", words, claim.with_inputs(**{name: stated.model_copy(update={"unit": unit})}))


def _same_dimension(unit: str, others: tuple[str, ...]) -> Iterator[str]:
    own = float(Q(1, parse_unit(unit.replace("CO2eq", "").replace("CO2e", ""))).to_base_units().magnitude)
    for other in others:
        if abs(float(Q(1, other).to_base_units().magnitude) / own - 1) > 1e-9:
            yield other


# ---- power usage effectiveness --------------------------------------------------------------------------------------

_PUE_WORDS = {
    (1, 0): "the PUE of {pue} is not in the result: the energy holds it already, or it was left out",
    (1, 2): "the PUE of {pue} was applied twice",
    (1, -1): "the PUE of {pue} was divided by instead of multiplied with",
    (0, 1): "the PUE of {pue} is in the result and not in what it is said to follow from",
    (0, -1): "the energy holds the PUE of {pue} already, and the result is without it",
    (0, 2): "the energy was divided by the PUE of {pue} where the result was multiplied with it",
}


def pue(claim: Claim, result: str) -> Iterator[Change]:
    """PUE left out, applied twice, divided by; or there although the calculation does not state it."""
    own = claim.one("pue")
    for applied, stated in ((1, own), *((0, beside) for beside in claim.beside("pue") if own is None)):
        if stated is None or stated.value == 1:
            continue
        for (at, power), words in _PUE_WORDS.items():
            if at == applied:
                yield Change("pue", words.format(pue=stated.text), _times(claim, result, stated.value ** (power - at)))


def _times(claim: Claim, result: str, factor: float) -> Claim:
    """The claim with its energies and powers times a factor; the result over it where it states none."""
    carriers = {name: stated.scaled(factor) for name in CARRIERS if (stated := claim.one(name)) is not None}
    if carriers and not claim.steps:
        return claim.with_inputs(**carriers)
    return claim.with_result(result, claim.results[result].scaled(1 / factor))


# ---- devices, nodes, power ------------------------------------------------------------------------------------------


def _per_node(claim: Claim) -> set[float]:
    found = {stated.value for stated in claim.several("devices_per_node")}
    if claim.device is not None:
        for name in systems_with(claim.device):
            count = system_record(name).devices_per_node
            if count is not None:
                found.add(count)
    return found - {1.0}


def device_or_node(claim: Claim, result: str) -> Iterator[Change]:
    """Per device taken for per node, and the other way round."""
    for count in sorted(_per_node(claim)):
        stated = claim.results[result]
        yield Change(
            "device-node",
            f"the result is for one device, not for a node of {count:g}",
            claim.with_result(result, stated.scaled(count)),
        )
        yield Change(
            "device-node",
            f"the result is for a node of {count:g}, not for one device",
            claim.with_result(result, stated.scaled(1 / count)),
        )
        for name in ("device_power", "node_power", "device_embodied", "node_embodied", "device_price", "node_price"):
            one = claim.one(name)
            if one is None:
                continue
            for factor, words in ((count, "one device, not a node"), (1 / count, "a node, not one device")):
                changed = claim.with_inputs(**{name: one.scaled(factor)})
                yield Change("device-node-input", f"'{name}' is that of {words} ({count:g} devices a node)", changed)


def idle(claim: Claim, result: str) -> Iterator[Change]:
    """Idle energy left out, or counted although it is said not to be."""
    own, energy = claim.one("idle_energy"), claim.one("energy")
    if own is not None:
        yield Change("idle", f"the idle energy ({own.text}) is not in the result", claim.with_inputs(idle_energy=None))
    elif energy is not None:
        for beside in claim.beside("idle_energy"):
            changed = claim.with_inputs(idle_energy=beside)
            yield Change("idle", f"the idle energy ({beside.text}) is in the result", changed)


def rating(claim: Claim, result: str) -> Iterator[Change]:
    """Rated power taken for measured power, and the other way round."""
    name = next((name for name in ("device_power", "rated_power") if claim.one(name) is not None), None)
    if name is None:
        return
    power = claim.one(name)
    assert power is not None
    watts = float(power.quantity("W").magnitude)
    for rated in _ratings(claim):
        if abs(float(rated.quantity("W").magnitude) - watts) > rated.half() + power.half():
            words = f"the power is the rated one ({rated.text}), not the measured ({power.text})"
            yield Change("rated-power", words, claim.with_inputs(**{name: rated}))
    for other in ("device_power", "measured_power"):
        for measured in claim.beside(other):
            words = f"the power is the measured one ({measured.text}), not {power.text}"
            yield Change("rated-power", words, claim.with_inputs(**{name: measured, "power_share": None}))
    share = claim.one("power_share")
    if share is not None:
        words = f"the rated power was taken whole, not {share.text} of it"
        yield Change("rated-power", words, claim.with_inputs(power_share=None))


def rated_power(claim: Claim) -> Stated | None:
    """Rated power of the device of a claim, as the catalogue has it."""
    if claim.device is None:
        return None
    record = find_accelerator(claim.device)
    tdp = None if record is None else record.tdp
    return None if tdp is None else Stated(number=f"{tdp.value:g}", unit=tdp.unit, exact=True)


def _ratings(claim: Claim) -> tuple[Stated, ...]:
    known = rated_power(claim)
    return (*claim.beside("rated_power"), *(() if known is None else (known,)))


# ---- totals ---------------------------------------------------------------------------------------------------------


def rows(claim: Claim, result: str) -> Iterator[Change]:
    """A row missing from a table, left out of its total, or counted twice."""
    stated = claim.inputs.get(ROWS)
    if not isinstance(stated, tuple):
        return
    for other in claim.other_rows:
        row = _other_row(other, stated[0].unit)
        if row is not None:
            number = other.value.text if other.value is not None else f"{row.value:.4f} {row.unit}"
            words = f"the total holds a row that the table does not show: {other.name}, {number}"
            yield Change("missing-row", words, claim.with_inputs(**{ROWS: (*stated, row)}))
    if len(stated) > 1:
        for at, row in enumerate(stated):
            rest = stated[:at] + stated[at + 1 :]
            yield Change(
                "missing-row", f"row {at + 1} ({row.text}) is not in the total", claim.with_inputs(**{ROWS: rest})
            )
            words = f"row {at + 1} ({row.text}) is in the total twice"
            yield Change("row-twice", words, claim.with_inputs(**{ROWS: (*stated, row)}))


def _other_row(other: OtherRow, unit: str) -> Stated | None:
    if other.value is not None:
        return other.value
    assert other.line is not None
    own = Claim(id="row", inputs=other.inputs, results={other.line: Stated(unit=unit)})
    value = value_of(own, other.line)
    return None if value is None else Stated(number=repr(value), unit=unit)


# ---- conventions ----------------------------------------------------------------------------------------------------


def convention(claim: Claim, result: str) -> Iterator[Change]:
    """Another lifetime, utilisation, or number of hours in a year."""
    for name, words in (
        ("lifetime", "a lifetime of {}, not {}"),
        ("utilisation", "a utilisation of {}, not {}"),
        ("hours_per_year", "{} in a year, not {}"),
    ):
        own = claim.one(name)
        if own is None and name == "hours_per_year" and claim.one("lifetime") is not None and not claim.steps:
            own = Stated(number=repr(float(Q(1, "year").m_as(parse_unit("h")))), unit="h")
        if own is None:
            continue
        figures: tuple[Figure, ...] = getattr(conventions(), name)
        usual = tuple(Stated(number=f"{one.value:g}", unit=one.unit, exact=True) for one in figures)
        for other in (*claim.beside(name), *usual):
            try:
                size = float(other.quantity(own.unit).magnitude)
            except TcoError:
                continue
            if abs(size - own.value) > 1e-9 * abs(own.value):
                said = (text.replace(" year", " years") for text in (other.text, own.text))
                yield Change(name, words.format(*said), claim.with_inputs(**{name: other}))


def grid_factor(claim: Claim, result: str) -> Iterator[Change]:
    """A lifecycle factor taken for a direct one, or another factor that the source states."""
    own = claim.one("intensity")
    if own is None:
        return
    for other in claim.beside("intensity"):
        words = f"the other grid factor of the source, {other.text}, not {own.text}"
        yield Change("grid-factor", words, claim.with_inputs(intensity=other))
    if claim.region is None:
        return
    from tco.grid_intensity import factor, resolve
    from tco.grid_intensity.sets import names, shipped

    place = resolve(claim.region)
    for name in names():
        if shipped(name).monthly:
            continue
        try:
            found = factor(place, claim.year, name)
        except TcoError:
            continue
        number = Stated.model_validate({"value": found.value, "unit": found.unit})
        words = (
            f"the {found.basis} factor of {found.region_name} for {found.data_year} ({found.value:g} {found.unit}, "
            f"{found.dataset}), not {own.text}"
        )
        yield Change("grid-factor", words, claim.with_inputs(intensity=number))


def price_index(claim: Claim, result: str) -> Iterator[Change]:
    """The price index left out, turned round, or of another vintage that the source states."""
    then, now = claim.one("index_then"), claim.one("index_now")
    if then is None or now is None:
        return
    yield Change("price-index", "prices were not moved by the price index", claim.with_inputs(index_then=now))
    turned = claim.with_inputs(index_then=now, index_now=then)
    yield Change("price-index", "the price index was divided the wrong way round", turned)
    for name, own in (("index_then", then), ("index_now", now)):
        for other in claim.beside(name):
            words = f"another vintage of the price index: '{name}' is {other.text}, not {own.text}"
            yield Change("index-vintage", words, claim.with_inputs(**{name: other}))


#: What leaves a result as it is where it stands for an input, and what it then is that was left out.
_NEUTRAL = {
    "node_overhead": ("1", "what a node draws beside its boards"),
    "edge": ("0", "the edge of the wafer that carries no dies"),
    "die_yield": ("1", "the yield"),
    "network_share": ("0", "the network"),
    "sequence_length": ("1", "how many tokens a sequence has: these are sequences, not tokens"),
}


def left_out(claim: Claim, result: str) -> Iterator[Change]:
    """Something that the calculation states and the result leaves out."""
    for name, (number, words) in _NEUTRAL.items():
        own = claim.one(name)
        if own is not None:
            changed = claim.with_inputs(**{name: own.model_copy(update={"number": number, "factor": 1.0})})
            yield Change("left-out", f"the result leaves out {words}", changed)


# ---- how the number was printed -------------------------------------------------------------------------------------


def printing(claim: Claim, result: str) -> Iterator[Change]:
    """Digits cut off instead of rounded, or two digits swapped."""
    stated = claim.results[result]
    assert stated.number is not None
    whole = 2 * stated.half(result=True)
    ends = sorted((stated.value, stated.value + (whole if stated.value >= 0 else -whole)))
    cut = stated.model_copy(update={"ends": (ends[0], ends[1])})
    yield Change("truncated", "the digits were cut off, not rounded", claim.with_result(result, cut))
    number = stated.number
    for at in range(len(number) - 1):
        a, b = number[at], number[at + 1]
        if a.isdigit() and b.isdigit() and a != b:
            swapped = number[:at] + b + a + number[at + 2 :]
            changed = stated.model_copy(update={"number": swapped})
            words = f"two digits are swapped: {swapped}, not {number}"
            yield Change("digits-swapped", words, claim.with_result(result, changed))


#: In the order in which they are shown where they need as many changes.
EXPLANATIONS: tuple[Explanation, ...] = (
    pue,
    unit_of_the_result,
    device_or_node,
    idle,
    rating,
    rows,
    convention,
    grid_factor,
    price_index,
    left_out,
    printing,
    unit_of_an_input,
)
#: Those that a second change may go with; the others explain too much together.
COMPOSED: tuple[Explanation, ...] = (
    pue,
    unit_of_the_result,
    device_or_node,
    idle,
    rating,
    rows,
    convention,
    grid_factor,
    price_index,
    left_out,
)


def inputs_that_matter(claim: Claim) -> tuple[str, ...]:
    """Inputs that are one number and that another value of could explain a result."""
    names = tuple(name for name, stated in claim.inputs.items() if isinstance(stated, Stated))
    return names if claim.steps else tuple(name for name in names if name in BECOMES or not _is_count(name))


def _is_count(name: str) -> bool:
    return name in ("devices", "nodes", "devices_per_node", "hours_per_year", SUM)
