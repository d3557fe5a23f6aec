"""Results of InferenceX (InferenceMAX): rates, and GPU energy with a verdict on its measurement.

``power_valid`` is 1 or 0, and absent in results from before it was checked. Since schema version 2 the unprefixed
energies are those of the whole deployment; before, of a deployment in parts, those of one part.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tco.readers.base import ReadOptions
    from tco.records.run import Run, Warning_

_SCHEMA, _VALID = "power_metric_schema_version", "power_valid"
_WHOLE_DEPLOYMENT = 2
_ENERGY, _POWER, _EACH = "total_gpu_energy_j", "avg_total_gpu_power_w", "avg_power_w"
_RATES = ("tput_per_gpu", "output_tput_per_gpu", "input_tput_per_gpu")
_PER = (
    ("joules_per_input_token", "tokens", "input"),
    ("joules_per_output_token", "tokens", "output"),
    ("joules_per_total_token", "tokens", "total"),
    ("joules_per_successful_query", "requests", None),
)
_FIGURES = (
    *((name, "J") for name, _, _ in _PER),
    ("prefill_gpu_energy_j", "J"),
    ("decode_gpu_energy_j", "J"),
    ("prefill_avg_power_w", "W"),
    ("decode_avg_power_w", "W"),
    ("prefill_joules_per_input_token", "J"),
    ("decode_joules_per_output_token", "J"),
    *((name, "token/s") for name in _RATES),
    (_EACH, "W"),
)
_MODEL = re.compile(r"[a-z]+\d+[a-z]*", re.IGNORECASE)
#: The sums of parts agree with their whole but for rounding.
_ROUNDING = 0.01
_MOST_GPUS = 1e7


class InferenceX:
    """Reads ``agg_*.json``, or a list of such results."""

    name = "inferencex"
    title = "result JSON of InferenceX (InferenceMAX)"
    boundary = "GPU boards of the whole deployment"

    def sniff(self, path: Path) -> float:
        """Whether it has the rates that InferenceX writes."""
        from tco.readers.rows import head_document

        data = head_document(path)
        first = data[0] if isinstance(data, list) and data else data
        if not isinstance(first, dict):
            return 0.0
        fields = _flat(first)
        return (
            1.0
            if any(name in fields for name in (_VALID, *_RATES)) and ("hw" in fields or "hardware" in fields)
            else 0.0
        )

    def read(self, path: Path, options: ReadOptions) -> list[Run]:
        """One run for each result."""
        from tco.errors import ReadError
        from tco.readers.rows import document

        data = document(path)
        found = data if isinstance(data, list) else [data]
        if not found:
            raise ReadError(f"{path}: has no results")
        runs = []
        for index, one in enumerate(found):
            where = f"{path}[{index}]" if isinstance(data, list) else str(path)
            if not isinstance(one, dict):
                raise ReadError(f"{where}: is not a result of InferenceX, which is a table of fields")
            runs.append(_run(path, _flat(one), where, options))
        return runs


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a result; the API puts the figures into a table of their own."""
    metrics = data.get("metrics")
    return {**data, **metrics} if isinstance(metrics, dict) else dict(data)


def _run(path: Path, data: dict[str, Any], where: str, options: ReadOptions) -> Run:
    from tco.readers.making import evidence, make_run, seconds
    from tco.readers.rows import json_number
    from tco.records.run import Tool

    warnings: list[Warning_] = []
    valid = _verdict(data, where, warnings)
    schema = json_number(data, _SCHEMA, where)
    energy = _energy(data, valid, schema, where, warnings)
    power = json_number(data, _POWER, where, at_least=0)
    duration = _ratio(energy, power)
    gpus = _gpus(data, where)
    hardware = str(data.get("hw") or data.get("hardware") or "") or None
    results = [
        {"name": name, "value": value, "unit": unit}
        for name, unit in _FIGURES
        if (value := json_number(data, name, where)) is not None and (valid is not False or unit not in ("J", "W"))
    ]
    if schema is not None:
        results.append({"name": _SCHEMA, "value": schema, "unit": "1"})
    model = _MODEL.match(hardware) if hardware else None
    return make_run(
        where,
        name=" ".join(
            str(data[key])
            for key in ("model", "hw", "hardware", "framework", "precision", "conc")
            if isinstance(data.get(key), str | int)
        )
        or path.stem,
        tool=Tool(name="inferencex"),
        duration=seconds(duration),
        devices=[{"kind": "gpu", "model": model[0].upper() if model else hardware, "count": gpus}] if gpus else [],
        work=_work(data, energy, gpus, where),
        energy=[
            {
                "boundary": options.boundary or "gpu_board",
                "value": energy,
                "unit": "J",
                "rule": "trapezoid",
                "method": "sensor",
                "source": path.name,
            }
        ]
        if energy is not None
        else [],
        results=results,
        validity=None if valid is None else ("valid" if valid else "invalid"),
        provenance=evidence(path),
        warnings=warnings,
    )


def _verdict(data: dict[str, Any], where: str, warnings: list[Warning_]) -> bool | None:
    """What InferenceX says of its own measurement; None where it says nothing."""
    from tco.errors import ReadError
    from tco.records.run import Warning_

    value = data.get(_VALID)
    if value is None:
        if _ENERGY in data or _EACH in data:
            text = f"there is no '{_VALID}': the result is from before InferenceX checked its power measurements"
            warnings.append(Warning_(code="not-validated", message=text, where=where))
        return None
    if value not in (0, 1):
        raise ReadError(f"{where}: '{_VALID}' is {value!r}; 1, 0 or nothing is expected")
    if not value:
        reasons = data.get("power_invalid_reasons")
        why = f" ({', '.join(map(str, reasons[:8]))})" if isinstance(reasons, list) and reasons else ""
        warnings.append(
            Warning_(
                code="invalid-result",
                message=f"InferenceX calls its power measurement invalid{why}; its energy is not read",
                where=where,
            )
        )
    return bool(value)


def _energy(
    data: dict[str, Any], valid: bool | None, schema: float | None, where: str, warnings: list[Warning_]
) -> float | None:
    """The energy of the whole deployment in J; None where it is invalid, or it is not plain whose it is."""
    from tco.readers.rows import json_number
    from tco.records.run import Warning_

    energy = json_number(data, _ENERGY, where, at_least=0)
    if valid is False or energy is None:
        return None
    parts = bool(data.get("is_multinode") or data.get("disagg"))
    if (schema is None or schema < _WHOLE_DEPLOYMENT) and parts:
        what = "has none" if schema is None else f"is {schema:g}"
        warnings.append(
            Warning_(
                code="schema-version",
                message=f"'{_SCHEMA}' {what}: before {_WHOLE_DEPLOYMENT}, energies of a deployment in parts were those "
                "of one part; they are not read",
                where=where,
            )
        )
        return None
    if schema is not None and schema > _WHOLE_DEPLOYMENT:
        warnings.append(
            Warning_(
                code="schema-version",
                message=f"'{_SCHEMA}' is {schema:g}, {_WHOLE_DEPLOYMENT} at most is known; its energy is not read",
                where=where,
            )
        )
        return None
    roles = [json_number(data, f"{role}_gpu_energy_j", where, at_least=0) for role in ("prefill", "decode")]
    known = [value for value in roles if value is not None]
    if len(known) == 2 and abs(sum(known) - energy) > _ROUNDING * energy:
        text = f"prefill and decode together are {sum(known):.6g} J, the total {energy:.6g} J"
        warnings.append(Warning_(code="parts-differ", message=text, where=where))
    return energy


def _gpus(data: dict[str, Any], where: str) -> int | None:
    """How many GPUs: as the powers say, else as the deployment is laid out."""
    from tco.readers.rows import json_number

    total, each = json_number(data, _POWER, where, at_least=0), json_number(data, _EACH, where, at_least=0)
    ratio = _ratio(total, each)
    if ratio is not None and ratio < _MOST_GPUS and abs(ratio - round(ratio)) < _ROUNDING:
        return round(ratio) or None
    if data.get("is_multinode"):
        parts = [json_number(data, f"num_{role}_gpu", where, at_least=0) for role in ("prefill", "decode")]
        whole = sum(part or 0 for part in parts)
        return int(whole) or None if whole < _MOST_GPUS else None
    width = json_number(data, "tp", where, at_least=0)
    if not width:
        return None
    for name in ("pp", "pcp_size"):
        width *= json_number(data, name, where, at_least=0) or 1
    return int(width) or None if width < _MOST_GPUS else None


def _ratio(above: float | None, below: float | None) -> float | None:
    """One number over another; None where one is not known, or zero."""
    ratio = above / below if above and below else math.nan
    return ratio if math.isfinite(ratio) else None


def _work(data: dict[str, Any], energy: float | None, gpus: int | None, where: str) -> list[dict[str, Any]]:
    """Work done: the energy over that of one unit; else the rates."""
    from tco.readers.rows import json_number

    work: list[dict[str, Any]] = []
    if energy:
        for name, quantity, basis in _PER:
            each = json_number(data, name, where, at_least=0)
            amount = _ratio(energy, each)
            if amount is not None:
                work.append({"quantity": quantity, "basis": basis, "value": amount})
    if work or not gpus:
        return work
    for name, basis, count in (
        ("tput_per_gpu", "total", gpus),
        ("output_tput_per_gpu", "output", json_number(data, "num_decode_gpu", where, at_least=0) or gpus),
        ("input_tput_per_gpu", "input", json_number(data, "num_prefill_gpu", where, at_least=0) or gpus),
    ):
        rate = json_number(data, name, where, at_least=0)
        if rate is not None:
            work.append({"quantity": "tokens", "basis": basis, "rate": {"value": rate * count, "unit": "1/s"}})
    return work


READER = InferenceX()
