"""Which simulators suit a job: every one is in, out or unclear, each with its reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from tco.catalog.entries import Extent, Simulator
from tco.catalog.library import Library
from tco.catalog.validations import EvidenceClass
from tco.errors import RecordError, did_you_mean

Answer = Literal["in", "out", "unclear"]
_ORDER: tuple[Answer, ...] = ("in", "unclear", "out")
_ANSWERS: dict[str, Answer] = {"yes": "in", "partly": "unclear", "no": "out"}


class Reason(NamedTuple):
    """One criterion: its answer, and a sentence."""

    criterion: str
    answer: Answer
    text: str


class Advice(NamedTuple):
    """A simulator, whether it suits, and why."""

    name: str
    title: str
    answer: Answer
    reasons: tuple[Reason, ...]


def _scale(library: Library, tool: Simulator, devices: int) -> Reason:
    found: list[tuple[int, str]] = []
    for row in library.rows_of(tool.name):
        open_conflict = any(c.status == "unresolved" and c.about == "devices" for c in row.conflicts)
        replayed = row.evidence is EvidenceClass.replay
        if row.devices and row.devices.max and not (row.from_memory or open_conflict or replayed):
            found.append((row.devices.max, f"{row.id}: {row.number} ({row.kind_text}), {row.claim}"))
    disputed = {c.about for c in tool.conflicts if c.status == "unresolved"}
    if tool.largest_validated_devices and "largest_validated_devices" not in disputed | set(tool.from_memory):
        found.append((tool.largest_validated_devices, "as its sources state"))
    if not found:
        if "largest_validated_devices" in disputed:
            return Reason("scale", "unclear", "Its largest validated scale is in dispute.")
        return Reason("scale", "unclear", "No source states how many devices it was validated on.")
    largest, where = max(found, key=lambda item: item[0])
    answer: Answer = "in" if largest >= devices else "out"
    only = "" if answer == "in" else "only "
    return Reason("scale", answer, f"Validated on {only}up to {largest:,} devices ({where}).")


def _hardware(library: Library, tool: Simulator, device: str) -> Reason:
    wanted = re.compile(rf"(?<![a-z0-9]){re.escape(device.casefold())}(?![a-z0-9])")
    for row in library.rows_of(tool.name):
        if wanted.search(row.hardware.casefold()) and not row.from_memory:
            return Reason("hardware", "in", f"Held against measurements on {row.hardware} ({row.id}).")
    if tool.hardware is None:
        return Reason("hardware", "unclear", "Its sources name no hardware.")
    if wanted.search(tool.hardware.casefold()):
        if "hardware" in tool.from_memory:
            return Reason("hardware", "unclear", f"Names {tool.hardware}, but from memory alone.")
        return Reason("hardware", "in", f"Names {tool.hardware}.")
    if tool.any_hardware:
        return Reason("hardware", "in", f"Takes hardware from a file (names {tool.hardware}).")
    if "hardware" in tool.from_memory or not re.search(r"\d", tool.hardware):
        return Reason("hardware", "unclear", f"Says '{tool.hardware}', no such model.")
    return Reason("hardware", "out", f"Names {tool.hardware} only.")


def _mode(tool: Simulator, mode: str) -> Reason:
    if not tool.scope:
        return Reason("mode", "unclear", "Its sources do not say what it predicts.")
    fits = mode in tool.scope or (mode == "inference" and "inference serving" in tool.scope)
    return Reason("mode", "in" if fits else "out", f"Predicts {' and '.join(tool.scope)}.")


def _modelled(field: str, what: str) -> Callable[[Simulator], Reason]:
    def _need(tool: Simulator) -> Reason:
        extent: Extent | None = getattr(tool, field)
        if extent is None:
            return Reason(field, "unclear", f"Its sources do not say whether it models {what}.")
        if field in tool.from_memory and extent.answer != "no":
            return Reason(field, "unclear", f"Models {what} ({extent}), but from memory alone.")
        answer = _ANSWERS[extent.answer]
        text = {"yes": f"Models {what}", "partly": f"Models part of {what}", "no": f"Does not model {what}"}[
            extent.answer
        ]
        return Reason(field, answer, text + (f" ({extent.note})." if extent.note else "."))

    return _need


def _network(*kinds: str) -> Callable[[Simulator], Reason]:
    def _need(tool: Simulator) -> Reason:
        if not tool.network_models:
            return Reason("network", "unclear", "Its sources do not say how it models the network.")
        has = tool.network_models != ("none",) if not kinds else bool(set(kinds) & set(tool.network_models))
        return Reason("network", "in" if has else "out", f"Network: {', '.join(tool.network_models)}.")

    return _need


def _code(tool: Simulator) -> Reason:
    if tool.repository is None:
        return Reason("code", "unclear", "Its sources do not say where its code is.")
    status = tool.repository.status
    licence = tool.repository.licence or "licence not stated"
    if status == "public":
        return Reason("code", "in", f"Code at {tool.repository.url} ({licence}).")
    return Reason("code", "out", {"announced": "Code announced, not published."}.get(status, "No public code found."))


def _data(tool: Simulator) -> Reason:
    extent = tool.public_validation_data
    if extent is None:
        return Reason("data", "unclear", "Its sources do not say whether its validation data are public.")
    answer = _ANSWERS[extent.answer]
    return Reason("data", answer, f"Public validation data: {extent}.")


NEEDS: dict[str, Callable[[Simulator], Reason]] = {
    "energy": _modelled("energy", "energy"),
    "cost": _modelled("cost", "cost"),
    "carbon": _modelled("carbon", "carbon"),
    "network": _network(),
    "packet-level": _network("packet-level"),
    "code": _code,
    "data": _data,
}
MODES = ("training", "inference", "inference serving", "HPC", "storage")


def recommend(
    library: Library,
    *,
    scale: int | None = None,
    hardware: str | None = None,
    mode: str | None = None,
    needs: Sequence[str] = (),
) -> tuple[Advice, ...]:
    """All simulators, those that suit first; no order among them, for their errors are seldom comparable.

    Parameters
    ----------
    scale
        Devices, not nodes, that the job uses.
    hardware
        Word that names the device, such as ``h100``.
    mode
        One of ``MODES``.
    needs
        Keys of ``NEEDS``.
    """
    if scale is not None and scale < 1:
        raise RecordError(f"scale {scale}: write the number of devices, at least 1")
    if mode is not None and mode not in MODES:
        raise RecordError(f"mode '{mode}' is not known{did_you_mean(mode, MODES)} Modes: {', '.join(MODES)}")
    for need in needs:
        if need not in NEEDS:
            raise RecordError(f"need '{need}' is not known{did_you_mean(need, NEEDS)} Needs: {', '.join(NEEDS)}")
    if scale is None and not hardware and mode is None and not needs:
        raise RecordError("say what the job needs: --scale 1024, --hardware h100, --mode training or --needs energy")

    def _reasons(tool: Simulator) -> Iterable[Reason]:
        if mode is not None:
            yield _mode(tool, mode)
        if scale is not None:
            yield _scale(library, tool, scale)
        if hardware:
            yield _hardware(library, tool, hardware)
        for need in dict.fromkeys(needs):
            yield NEEDS[need](tool)

    advice = []
    for tool in library.of_kind("simulators"):
        if isinstance(tool, Simulator):
            found = tuple(_reasons(tool))
            advice.append(
                Advice(tool.name, tool.title, _ORDER[max(_ORDER.index(reason.answer) for reason in found)], found)
            )
    return tuple(sorted(advice, key=lambda a: (_ORDER.index(a.answer), a.title.casefold())))
