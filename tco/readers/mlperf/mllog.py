"""Lines that begin with ``:::MLLOG``, as LoadGen and the training benchmarks write them."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tco.errors import ReadError
from tco.readers.rows import lines

MARK = ":::MLLOG"
_LATEST_MS = 1e15
#: Older logs: ``:::MLPv0.5.0 resnet 1541632600.12 (file.py:1) run_start``.
OLD_MARK = ":::MLPv"


class Event(NamedTuple):
    """One line of a log.

    Attributes
    ----------
    time_ms
        Milliseconds: since 1970 in training logs, since the start in those of LoadGen.
    where
        File and line.
    """

    key: str
    value: Any
    time_ms: float
    metadata: dict[str, Any]
    where: str

    def number(self) -> float:
        """The value as a number.

        Raises
        ------
        ReadError
            If it is none.
        """
        if isinstance(self.value, bool) or not isinstance(self.value, int | float | str):
            raise ReadError(f"{self.where}: the value of '{self.key}', {self.value!r}, is not a number")
        try:
            number = float(self.value)
        except (ValueError, OverflowError):
            raise ReadError(f"{self.where}: the value of '{self.key}', {self.value!r}, is not a number") from None
        if not math.isfinite(number):
            raise ReadError(f"{self.where}: the value of '{self.key}' is not a number")
        return number


def events(path: Path, keys: Collection[str] | None = None) -> Iterator[Event]:
    """The events of a log, in the order of the file.

    Parameters
    ----------
    path
        The log. What stands before the mark in a line (a rank) and lines without it are skipped.
    keys
        Which events are wanted; None is all. Others are not looked into.

    Raises
    ------
    ReadError
        If a wanted line is not what the mark says.
    """
    for number, text in lines(path):
        at = text.find(MARK)
        if at < 0:
            if text.lstrip().startswith(OLD_MARK):
                raise ReadError(
                    f"{path}:{number}: is a log of MLPerf v0.5, which is not read; ':::MLLOG {{...}}' is expected"
                )
            continue
        body = text[at + len(MARK) :]
        if keys is not None and not any(f'"{key}"' in body for key in keys):
            continue
        event = _event(body, f"{path}:{number}")
        if keys is None or event.key in keys:
            yield event


def _event(body: str, where: str) -> Event:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise ReadError(f"{where}: what follows '{MARK}' is not JSON; the line was cut off or is damaged") from None
    if not isinstance(data, dict) or not isinstance(data.get("key"), str):
        raise ReadError(f"{where}: has no 'key'; '{MARK} {{\"key\": ..., \"time_ms\": ...}}' is expected")
    time = data.get("time_ms")
    if isinstance(time, bool) or not isinstance(time, int | float) or not -_LATEST_MS < time < _LATEST_MS:
        raise ReadError(f"{where}: 'time_ms' of '{data['key']}' is {time!r}, a number of milliseconds is expected")
    metadata = data.get("metadata")
    return Event(data["key"], data.get("value"), float(time), metadata if isinstance(metadata, dict) else {}, where)
