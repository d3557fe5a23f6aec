"""How good a simulator is: stored pairs (predicted, measured) near a run, their ratios, and a correction from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tco.catalog.library import library
from tco.catalog.pairs import PairSet
from tco.catalog.validations import TIMES, EvidenceClass
from tco.errors import did_you_mean
from tco.records.run import TimeRatio
from tco.simulators.base import SimulatorError

#: Pairs within this factor of the number of devices are near.
_NEAR = 2.0
#: Of so few, the nearest are taken however far they are.
_FEWEST = 8
_ENDS = (5.0, 95.0)


class Point(NamedTuple):
    """One pair.

    Attributes
    ----------
    data, group
        Id of the measurements, and what the pair shares with others: the model that was trained.
    devices
        None where it is not stated.
    """

    data: str
    group: str
    hardware: str
    devices: float | None
    predicted_s: float
    measured_s: float

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.measured_s / self.predicted_s


def _sets(predictor: str) -> list[PairSet]:
    """Sets of a predictor: its columns in tables of several, else the sets of the tool; each measurement once."""
    sets = [known for known in library().pair_sets.values() if known.file.quantity in TIMES]
    columns = [known for known in sets if known.prediction.column == predictor]
    if columns:
        return columns
    return [known for known in sets if known.prediction.tool == predictor and known.prediction.column == "predicted"]


@lru_cache(maxsize=32)
def points_of(predictor: str, mode: str = "training") -> tuple[Point, ...]:
    """All pairs of a predictor in a mode, but those that it was fitted on."""
    points = []
    for known in _sets(predictor):
        fitted = known.prediction.evidence is EvidenceClass.fitted
        if fitted or mode not in known.file.modes or known.file.reference_is != "hardware":
            continue
        pairs = known.load()
        for predicted, measured, row in zip(pairs.predicted, pairs.measured, pairs.columns, strict=True):
            if row.get("mode", mode) != mode:
                continue
            devices = row.get("devices", "")
            points.append(
                Point(
                    known.file.data,
                    row.get("workload", ""),
                    row.get("hardware", ""),
                    float(devices) if devices else None,
                    predicted,
                    measured,
                )
            )
    return tuple(points)


def near(points: Sequence[Point], devices: float | None) -> list[Point]:
    """The points within a factor of two of a number of devices; of too few, the nearest."""
    if devices is None:
        return list(points)
    placed = [point for point in points if point.devices]
    if len(placed) < len(points):
        return list(points)

    def _distance(point: Point) -> float:
        return abs(math.log2((point.devices or 1.0) / devices))

    ordered = sorted(placed, key=_distance)
    within = [point for point in ordered if _distance(point) <= math.log2(_NEAR) + 1e-9]
    if len(within) >= _FEWEST or len(ordered) <= _FEWEST:
        return within if len(within) >= _FEWEST else ordered
    reach = _distance(ordered[_FEWEST - 1])
    return [point for point in ordered if _distance(point) <= reach + 1e-9]


def _span(points: Sequence[Point]) -> str:
    counts = sorted({point.devices for point in points if point.devices})
    if not counts:
        return ""
    return f" on {counts[0]:g}" + (f" to {counts[-1]:g}" if len(counts) > 1 else "") + " devices"


def time_ratio(
    predictor: str | None, *, devices: float | None, mode: str = "training", factor: float = 1.0
) -> TimeRatio | None:
    """Measured over predicted time of the stored pairs nearest to a run; None where there are none.

    Parameters
    ----------
    predictor
        As the run's prediction names it.
    devices
        Of the run.
    mode
        What is simulated.
    factor
        What the predictions of the pairs are multiplied by to be those of this setting.

    Returns
    -------
    TimeRatio
        1, since nothing is corrected unasked, with the 5th to 95th percentile of the ratios as its range.
    """
    import numpy as np

    points = near(points_of(predictor, mode), devices) if predictor is not None else []
    if not points:
        return None
    ratios = np.array([point.ratio / factor for point in points])
    low, high = (float(end) for end in np.percentile(ratios, _ENDS))
    sets = ", ".join(dict.fromkeys(point.data for point in points))
    hardware = ", ".join(dict.fromkeys(point.hardware for point in points if point.hardware))
    return TimeRatio(
        value=1.0,
        low=min(1.0, low),
        high=max(1.0, high),
        samples=tuple(float(ratio) for ratio in ratios),
        note=(
            f"{len(points)} pairs{_span(points)} ({hardware or 'hardware not stated'}; {sets}): median "
            f"{float(np.median(ratios)):.3g}, range from the 5th to the 95th percentile; the prediction itself is not "
            "corrected"
        ),
    )


class Held(NamedTuple):
    """A group that was left out: what the others predict for it."""

    name: str
    points: int
    factor: float
    before_pct: float
    after_pct: float


class Calibration(NamedTuple):
    """A correction of a predictor from measured pairs.

    Attributes
    ----------
    factor
        Geometric mean of measured over predicted: what predictions are multiplied by.
    held
        Each group left out in turn, corrected by the others.
    before_pct, after_pct
        Mean absolute error over all points: as predicted, and each corrected by the other groups.
    """

    predictor: str
    sets: tuple[str, ...]
    points: int
    factor: float
    held: tuple[Held, ...]
    before_pct: float
    after_pct: float | None
    ratio: TimeRatio


def calibrate(predictor: str, sets: Sequence[str], *, mode: str = "training", factor: float = 1.0) -> Calibration:
    """Fit one multiplier to stored pairs, and say what it is worth on pairs that it has not seen.

    Parameters
    ----------
    predictor
        As the run's prediction names it.
    sets
        Ids of measurements, such as ``sc21-table-1``. Of several, each is left out in turn; of one, each model in it.
    mode, factor
        As for `time_ratio`.

    Raises
    ------
    SimulatorError
        If there are no such pairs.
    """
    import numpy as np

    points = points_of(predictor, mode)
    known = list(dict.fromkeys(point.data for point in points))
    for name in sets:
        if name not in known:
            fitted = any(s.file.data == name for s in _sets(predictor))
            why = " (they are what it was fitted on)" if fitted else ""
            raise SimulatorError(
                f"'{predictor}' has no pairs on '{name}'{why}{did_you_mean(name, known)} (sets: "
                f"{', '.join(known) or 'none'})"
            )
    chosen = [point for point in points if point.data in sets]
    logs = np.log([point.ratio / factor for point in chosen])
    groups = np.array([point.data if len(sets) > 1 else point.group for point in chosen])
    fitted_factor = float(np.exp(logs.mean()))

    def _error(ratios: object) -> float:
        return float(100 * np.abs(1 / np.asarray(ratios) - 1).mean())

    held, rests = [], []
    names = list(dict.fromkeys(groups.tolist()))
    for name in names if len(names) > 1 else []:
        inside = groups == name
        others = float(np.exp(logs[~inside].mean()))
        left = np.exp(logs[inside]) / others
        rests.append(left)
        held.append(Held(name, int(inside.sum()), others, _error(np.exp(logs[inside])), _error(left)))
    rest = np.concatenate(rests) if rests else np.exp(logs) / fitted_factor
    low, high = (float(end) * fitted_factor for end in np.percentile(rest, _ENDS))
    after = _error(rest) if rests else None
    by = f"; left-out groups are off by {after:.3g} %" if after is not None else ""
    ratio = TimeRatio(
        value=fitted_factor,
        low=min(low, fitted_factor),
        high=max(high, fitted_factor),
        samples=tuple(float(value) * fitted_factor for value in rest),
        note=f"calibrated on {len(chosen)} pairs{_span(chosen)} ({', '.join(sets)}), as asked{by}",
    )
    return Calibration(
        predictor, tuple(sets), len(chosen), fitted_factor, tuple(held), _error(np.exp(logs)), after, ratio
    )
