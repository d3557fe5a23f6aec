"""Many runs at once: a table of runs of one kind, evaluated by one compiled graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tco import catalog
from tco.analysis.columns import heading, split_heading
from tco.analysis.extras import parquet
from tco.analysis.family import Family
from tco.analysis.recipe import Recipe
from tco.analysis.tables import writing
from tco.compiled import Array
from tco.errors import EstimateError, ReadError, UnitError, did_you_mean
from tco.records.run import Run
from tco.units import Q, convert_given, parse_unit

if TYPE_CHECKING:
    import pandas as pd

#: Columns of text that choose the estimate; rows of one choice are evaluated together.
CHOICES = ("region", "system", "site")
_CHUNK = 1_000_000


def estimate_many(
    runs: pd.DataFrame | str | Path,
    like: Run | str | Path,
    *,
    lines: Sequence[str] | None = None,
    output: str | Path | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Estimate every row of a table.

    Parameters
    ----------
    runs
        A DataFrame, or a Parquet file: one row a run. Columns are inputs by dotted name, their unit in brackets where
        it is not the one that the input is shown in (``run.duration [s]``); columns ``region``, ``system`` and ``site``
        hold text as for `tco.estimate`. Other columns are refused, never ignored.
    like
        A run of the kind, or its file: what its rows do not say is as in this one.
    lines
        Names of the lines wanted; where None all.
    output
        A ``.csv`` or ``.parquet`` file to write to, chunk by chunk, in place of keeping the results.
    options
        What else `tco.estimate` takes, the same for all rows.

    Returns
    -------
    pandas.DataFrame
        A column for each line, its unit in brackets, with the index of `runs`; nan where a run has no such line. With
        `output` its last chunk only.

    Raises
    ------
    TcoError
        Naming the column and the row.
    """
    import pandas as pd

    recipe = Recipe(like, options).settled()
    frames = _frames(runs)
    answers: list[pd.DataFrame] = []
    if output is None:
        answers.extend(_answer(frame, recipe, lines) for frame in frames)
        return pd.concat(answers) if len(answers) > 1 else answers[0]
    first = next(frames)
    answer = _answer(first, recipe, lines)
    columns = {name: split_heading(str(name))[1] or "1" for name in answer.columns}
    plain = {split_heading(str(name))[0]: unit for name, unit in columns.items()}
    with writing(Path(output), plain) as table:
        while True:
            values = dict(zip(plain, (answer[name].to_numpy() for name in columns), strict=True))
            table.write(values)
            later = next(frames, None)
            if later is None:
                return answer
            answer = _answer(later, recipe, lines)
            if list(answer.columns) != list(columns):
                raise EstimateError(
                    f"{output}: later rows have other lines ({', '.join(map(str, answer.columns))}); name --lines"
                )


def _frames(runs: pd.DataFrame | str | Path) -> Iterator[pd.DataFrame]:
    if not isinstance(runs, str | Path):
        yield runs
        return
    path = Path(runs)
    if path.suffix.lower() != ".parquet":
        raise ReadError(f"{path}: a table of runs is a .parquet file, or a DataFrame")
    engine = parquet()
    try:
        file = engine.ParquetFile(path)
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: cannot be read as Parquet: {error}") from None
    start = 0
    for batch in file.iter_batches(batch_size=_CHUNK):
        frame = batch.to_pandas()
        frame.index = range(start, start + len(frame))
        start += len(frame)
        yield frame
    if not start:
        raise ReadError(f"{path}: holds no rows")


def _answer(frame: pd.DataFrame, recipe: Recipe, lines: Sequence[str] | None) -> pd.DataFrame:
    import pandas as pd

    if not len(frame):
        raise EstimateError("the table holds no rows")
    names = [str(column) for column in frame.columns]
    chosen = [name for name in names if name in CHOICES]
    numbers = _numbers(frame, [name for name in names if name not in CHOICES], recipe)
    groups: dict[tuple[Any, ...], Any] = {(): np.arange(len(frame))}
    if chosen:
        for name in chosen:
            if frame[name].isna().any():
                row = frame.index[int(np.argmax(frame[name].isna().to_numpy()))]
                raise EstimateError(f"column '{name}': row {row} is empty")
        by = frame.groupby(chosen, sort=False, observed=True).indices
        groups = {key if isinstance(key, tuple) else (key,): rows for key, rows in by.items()}
    results: dict[str, Array] = {}
    units: dict[str, str] = {}
    for key, rows in groups.items():
        own = recipe.with_options(**dict(zip(chosen, map(str, key), strict=True)))
        values = {name: array[rows] for name, (array, _) in numbers.items()}
        family = Family(own, values, {name: unit for name, (_, unit) in numbers.items()}, lines)
        for name, array in family(values).items():
            if units.setdefault(name, family.units[name]) != family.units[name]:
                raise EstimateError(
                    f"{name} is in {units[name]} for some rows and in {family.units[name]} for others; choose one with "
                    "currency="
                )
            if len(rows) == len(frame):
                results[name] = array if len(array) == len(frame) else np.full(len(frame), array[0])
            else:
                results.setdefault(name, np.full(len(frame), np.nan))[rows] = array
    order = [name for name in (lines or results) if name in results]
    columns = {heading(name, units[name]): results[name] for name in order}
    return pd.DataFrame(columns, index=frame.index, copy=False)


def _numbers(frame: pd.DataFrame, columns: Sequence[str], recipe: Recipe) -> dict[str, tuple[Array, str]]:
    """Values and unit of each input column, checked."""
    example = recipe.estimate()
    inputs = example.inputs
    found: dict[str, tuple[Array, str]] = {}
    for column in columns:
        name, unit = split_heading(column)
        if name in found:
            raise EstimateError(f"column '{column}': {name} stands in two columns")
        if name not in inputs and catalog.plausible(name) is None and unit is None:
            known = [*inputs, *CHOICES]
            raise EstimateError(
                f"column '{column}' is no input of this estimate{did_you_mean(name, known)} Inputs: {', '.join(known)}"
            )
        try:
            values = frame[column].to_numpy(dtype=np.float64)
        except (TypeError, ValueError):
            raise EstimateError(f"column '{column}': holds text; numbers in one unit are needed") from None
        bad = ~np.isfinite(values)
        if bad.any():
            row = frame.index[int(np.argmax(bad))]
            raise EstimateError(
                f"column '{column}': row {row} is empty or not a finite number; what is missing is never 0"
            )
        shown = inputs[name].unit if name in inputs else unit or "1"
        if unit is not None:
            try:
                values = _converted(values, unit, shown)
            except UnitError as error:
                raise UnitError(f"column '{column}': {error}") from None
            shown = shown if parse_unit(unit).dimensionality == parse_unit(shown).dimensionality else unit
        found[name] = (values, shown)
    return found


def _converted(values: Array, unit: str, shown: str) -> Array:
    """Values of one unit in another; money of another currency stays as it is, for the estimate to judge."""
    own = parse_unit(unit)
    if own == parse_unit(shown):
        return values
    if own.dimensionality != parse_unit(shown).dimensionality:
        money = {str(key) for unit_ in (own, parse_unit(shown)) for key in unit_.dimensionality if "money" in str(key)}
        if money:
            return values
    convert_given(Q(float(values[0]), own), shown)  # a message with one of the values
    return values * float(convert_given(Q(1.0, own), shown).magnitude)
