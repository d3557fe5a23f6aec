"""Generation by type of the ENTSO-E Transparency Platform: documents of type A75 as XML."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from tco.errors import ReadError
from tco.grid_intensity.formats.generation import fuel_of, series_of
from tco.grid_intensity.formats.options import Reading
from tco.grid_intensity.fuels import STORAGE
from tco.grid_intensity.series import Floats, Series, SeriesAbout
from tco.grid_intensity.stamps import instants

_RESOLUTION = re.compile(r"PT(\d+)([MH])")


def read_document(raw: bytes, about: SeriesAbout, reading: Reading) -> Series:
    """A series from an A75 document.

    In curves of type A03 a point that repeats the one before it is left out; in A01 a missing point is missing.
    Series with an out-domain are consumption of storage: they count as negative storage and emit nothing.

    Raises
    ------
    ReadError
        If it is not such a document; the message says what was found.
    """
    where = about.file
    reading.known_labels("start", where)
    root = _parsed(raw, where)
    kind = root.findtext("type")
    if kind != "A75":
        raise ReadError(f"{where}: is a document of type {kind or 'unknown'}; needed is A75, generation by type")
    found: dict[tuple[str, bool], dict[float, float]] = {}
    lengths: set[float] = set()
    domains: set[str] = set()
    for number, entry in enumerate(root.findall("TimeSeries")):
        place = f"{where}: TimeSeries {entry.findtext('mRID') or number + 1}"
        if entry.findtext("quantity_Measure_Unit.name") != "MAW":
            raise ReadError(f"{place}: the unit is '{entry.findtext('quantity_Measure_Unit.name')}', expected MAW (MW)")
        code = entry.findtext("MktPSRType/psrType") or ""
        consumes = entry.find("outBiddingZone_Domain.mRID") is not None
        domains.add(entry.findtext("outBiddingZone_Domain.mRID" if consumes else "inBiddingZone_Domain.mRID") or "")
        fuel = fuel_of("entsoe", code, place)
        values = found.setdefault((fuel if not consumes else STORAGE, consumes), {})
        of_series: dict[float, float] = {}
        for period in entry.findall("Period"):
            length = _points(period, entry.findtext("curveType") or "A01", of_series, place)
            lengths.add(length)
        for moment, value in of_series.items():
            values[moment] = values.get(moment, 0.0) + value
    if not found:
        raise ReadError(f"{where}: holds no TimeSeries")
    if len(lengths) > 1:
        raise ReadError(f"{where}: holds steps of {len(lengths)} lengths; ask for one resolution at a time")
    if len(domains) > 1:
        raise ReadError(f"{where}: holds {len(domains)} bidding zones; ask for one")
    starts = np.array(sorted({moment for values in found.values() for moment in values}))
    mix: dict[str, Floats] = {}
    for (fuel, consumes), values in found.items():
        column = np.array([values.get(moment, np.nan) for moment in starts.tolist()])
        if fuel == STORAGE:
            column = np.nan_to_num(-column if consumes else column)
        mix[fuel] = mix[fuel] + column if fuel in mix else column
    described = replace(
        about,
        title="ENTSO-E Transparency Platform, actual generation per type (A75)",
        licence="terms of the ENTSO-E Transparency Platform",
        region=domains.pop(),
    )
    return series_of(mix, starts, starts + lengths.pop(), described, reading)


def _parsed(raw: bytes, where: str) -> ElementTree.Element:
    if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise ReadError(f"{where}: declares entities, which no document of ENTSO-E does; it is not read")
    try:
        root = ElementTree.fromstring(raw)
    except ElementTree.ParseError as error:
        raise ReadError(f"{where}: not valid XML: {error}") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag == "Acknowledgement_MarketDocument":
        raise ReadError(f"{where}: is a refusal of the platform: {root.findtext('Reason/text') or 'no reason given'}")
    return root


def _points(period: ElementTree.Element, curve: str, values: dict[float, float], place: str) -> float:
    """Add the points of a period to `values` by their start; returns the length of a step in s."""
    match = _RESOLUTION.fullmatch(period.findtext("resolution") or "")
    if match is None:
        raise ReadError(f"{place}: resolution '{period.findtext('resolution')}' is not known; expected such as PT15M")
    length = float(match[1]) * (60.0 if match[2] == "M" else 3600.0)
    ends = [period.findtext("timeInterval/start") or "", period.findtext("timeInterval/end") or ""]
    begin, finish = instants(ends, [0, 0], place, "UTC").tolist()
    count = round((finish - begin) / length)
    points: dict[int, float] = {}
    for point in period.findall("Point"):
        position, quantity = point.findtext("position") or "", point.findtext("quantity") or ""
        try:
            number, value = int(position), float(quantity)
        except ValueError:
            raise ReadError(f"{place}: point '{position}' with quantity '{quantity}' is not a number") from None
        if not 1 <= number <= count or number in points:
            raise ReadError(f"{place}: position {number} is outside 1 to {count}, or stands twice")
        points[number] = value
    last: float | None = None
    for number in range(1, count + 1):
        if number in points:
            last = points[number]
        elif curve != "A03":
            continue
        moment = begin + (number - 1) * length
        if last is None:
            continue
        if moment in values:
            raise ReadError(f"{place}: two periods hold one time")
        values[moment] = last
    return length
