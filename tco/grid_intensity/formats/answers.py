"""Answers of web services as JSON: Electricity Maps, GB Carbon Intensity (NESO), WattTime, EIA, eco2mix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tco.errors import ReadError
from tco.grid_intensity.formats.generation import fuel_of, series_of
from tco.grid_intensity.formats.options import Reading
from tco.grid_intensity.series import Floats, Series, SeriesAbout
from tco.grid_intensity.stamps import instants, steps
from tco.units import Q, convert_given

#: Steps that Electricity Maps names, in s.
_GRANULARITY = {"5_minutes": 300.0, "15_minutes": 900.0, "hourly": 3600.0, "daily": 86400.0}
_SIGNALS = {"co2_moer": "short_run_marginal", "co2_aoer": "average"}


def read_answer(data: Any, about: SeriesAbout, reading: Reading) -> Series:
    """A series from the JSON answer of a service that is told by its shape.

    Raises
    ------
    ReadError
        If the shape is that of no known service, or what it holds cannot be an intensity.
    """
    where = about.file
    if isinstance(data, Mapping) and (data.get("status") == "error" or "error" in data):
        raise ReadError(f"{where}: is an error of the service: {data.get('message') or data.get('error')}")
    entries: Any = data
    if isinstance(data, Mapping):
        if isinstance(data.get("response"), Mapping):
            return _eia(data["response"], about, reading)
        entries = (
            data.get("history") or data.get("data") or data.get("results") or ([data] if "datetime" in data else [])
        )
    first: Any = entries[0] if isinstance(entries, list) and entries and isinstance(entries[0], Mapping) else {}
    if "carbonIntensity" in first:
        return _electricity_maps(entries, data, about, reading)
    if "from" in first and isinstance(first.get("intensity"), Mapping):
        return _neso(entries, about, reading)
    if "point_time" in first:
        return _watttime(entries, data, about, reading)
    if "taux_co2" in first:
        return _eco2mix(entries, about, reading)
    raise ReadError(
        f"{where}: is JSON of no known form; known are answers of Electricity Maps, NESO, WattTime, EIA v2 and "
        "eco2mix; or give a CSV table with 'start_utc' and 'gco2e_per_kwh'"
    )


def _numbers(entries: list[Any], key: str, where: str) -> Floats:
    """The values of a key as numbers; null is missing, text that is a number is one."""
    found = []
    for index, entry in enumerate(entries):
        value = entry.get(key)
        try:
            found.append(float("nan") if value is None or isinstance(value, bool) else float(value))
        except (TypeError, ValueError):
            raise ReadError(f"{where}: entry {index}: {key} {value!r} is not a number") from None
    return np.array(found)


def _texts(entries: list[Any], key: str, where: str) -> list[str]:
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or not isinstance(entry.get(key), str):
            raise ReadError(f"{where}: entry {index} has no '{key}'")
    return [entry[key] for entry in entries]


def _instants(entries: list[Any], key: str, where: str, zone: str | None) -> Floats:
    return instants(_texts(entries, key, where), list(range(len(entries))), where, zone)


def _electricity_maps(entries: list[Any], data: Any, about: SeriesAbout, reading: Reading) -> Series:
    where = about.file
    reading.known_labels("start", where)
    begin = _instants(entries, "datetime", where, "UTC")
    granularity = data.get("temporalGranularity") if isinstance(data, Mapping) else None
    granularity = granularity or entries[0].get("temporalGranularity")
    if granularity in _GRANULARITY:
        start, end = begin, begin + _GRANULARITY[granularity]
    else:
        start, end = steps(begin, where)
    bases = {entry.get("emissionFactorType") for entry in entries}
    if len(bases) > 1:
        raise ReadError(f"{where}: holds both direct and lifecycle values; keep one of them")
    estimated = sum(bool(entry.get("isEstimated")) for entry in entries)
    notes = (f"{estimated} of {len(entries)} values are estimates of the source",) if estimated else ()
    return Series(
        start,
        end,
        _numbers(entries, "carbonIntensity", where),
        replace(
            about,
            title="Electricity Maps",
            licence="terms of Electricity Maps; published downloads ODbL 1.0",
            region=entries[0].get("zone") or (data.get("zone") if isinstance(data, Mapping) else None),
            basis=bases.pop() or reading.basis,
            scope="consumption",
            notes=(*about.notes, *notes),
        ),
    )


def _neso(entries: list[Any], about: SeriesAbout, reading: Reading) -> Series:
    where = about.file
    inside = [entry["intensity"] for entry in entries]
    value, forecast = _numbers(inside, "actual", where), _numbers(inside, "forecast", where)
    missing = int(np.isnan(value).sum())
    notes: tuple[str, ...] = ()
    if missing and reading.forecast:
        value = np.where(np.isnan(value), forecast, value)
        notes = (f"{missing} of {len(entries)} values are forecasts",)
    return Series(
        _instants(entries, "from", where, "UTC"),
        _instants(entries, "to", where, "UTC"),
        value,
        replace(
            about,
            title="GB Carbon Intensity API, National Energy System Operator",
            licence="CC BY 4.0",
            region="GB",
            basis="direct",
            scope="consumption",
            gas="CO2",
            notes=(*about.notes, *notes),
        ),
    )


def _watttime(entries: list[Any], data: Any, about: SeriesAbout, reading: Reading) -> Series:
    where = about.file
    meta = data.get("meta") if isinstance(data, Mapping) else None
    if not isinstance(meta, Mapping):
        raise ReadError(f"{where}: has no 'meta', so neither its unit nor its signal is known")
    signal, unit = meta.get("signal_type"), meta.get("units")
    if signal not in _SIGNALS:
        raise ReadError(f"{where}: the signal '{signal}' is no carbon intensity; known are {', '.join(_SIGNALS)}")
    if unit != "lbs_co2_per_mwh":
        raise ReadError(f"{where}: the unit '{unit}' is not known; expected 'lbs_co2_per_mwh'")
    start = _instants(entries, "point_time", where, "UTC")
    step = meta.get("data_point_period_seconds")
    end = start + float(step) if isinstance(step, int | float) and step > 0 else steps(start, where)[1]
    return Series(
        start,
        end,
        _numbers(entries, "value", where) * float(convert_given(Q(1.0, "lb/MWh"), "gCO2e/kWh").magnitude),
        replace(
            about,
            title="WattTime v3",
            release=f"model of {(meta.get('model') or {}).get('date', 'unknown date')}",
            licence="terms of WattTime",
            region=meta.get("region"),
            basis="direct",
            scope="production",
            kind=_SIGNALS[signal],
            gas="CO2",
        ),
    )


def _eia(response: Mapping[str, Any], about: SeriesAbout, reading: Reading) -> Series:
    where = about.file
    entries = response.get("data")
    if not isinstance(entries, list) or not entries:
        raise ReadError(f"{where}: holds no data")
    if response.get("frequency") != "hourly":
        raise ReadError(f"{where}: frequency is '{response.get('frequency')}'; ask for 'hourly', which is in UTC")
    total = int(response.get("total") or 0)
    if total > len(entries):
        raise ReadError(f"{where}: holds {len(entries)} of {total} rows; ask for the other pages and join them")
    reading.known_labels("end", where)
    if "fueltype" not in entries[0]:
        raise ReadError(f"{where}: has no 'fueltype'; ask for fuel-type-data")
    places = {entry.get("respondent") for entry in entries}
    if len(places) > 1:
        raise ReadError(f"{where}: holds {len(places)} balancing areas; keep one of them")
    seconds, values = _instants(entries, "period", where, "UTC"), _numbers(entries, "value", where)
    hours, index = np.unique(seconds, return_inverse=True)
    mix: dict[str, Floats] = {}
    codes = np.array(_texts(entries, "fueltype", where))
    for code in dict.fromkeys(codes.tolist()):
        rows = np.flatnonzero(codes == code)
        if len(np.unique(index[rows])) < len(rows):
            raise ReadError(f"{where}: '{code}' has two values for one hour")
        column = np.full(len(hours), np.nan)  # an hour without a row is as missing as one with null
        column[index[rows]] = values[rows]
        fuel = fuel_of("eia", code, where)
        mix[fuel] = mix[fuel] + column if fuel in mix else column
    start, end = (hours - 3600.0, hours) if len(hours) == 1 else steps(hours, where, "end")
    described = replace(
        about,
        title="EIA-930 hourly generation by fuel",
        licence="US public domain",
        region=entries[0].get("respondent"),
    )
    return series_of(mix, start, end, described, reading)


def _eco2mix(entries: list[Any], about: SeriesAbout, reading: Reading) -> Series:
    where = about.file
    reading.known_labels("start", where)
    start, end = steps(_instants(entries, "date_heure", where, None), where)
    return Series(
        start,
        end,
        _numbers(entries, "taux_co2", where),
        replace(
            about,
            title="eco2mix, RTE",
            licence="terms of RTE open data",
            region="FR",
            basis="direct",
            scope="production",
            gas="CO2",
        ),
    )
