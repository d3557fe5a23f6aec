"""The fab on a workbench: emissions per processed area of a process node, by ACT's tables."""

from __future__ import annotations

from tco.catalog.coefficients import Coefficients, coefficient, coefficients
from tco.embodied.model import EmbodiedError, NotCoveredError
from tco.embodied.workbench import Workbench
from tco.errors import RecordError, did_you_mean
from tco.formulas import silicon
from tco.graph import Node
from tco.records.figure import Figure


def at_node(table: Coefficients, node_nm: float, what: str) -> Figure:
    """What a table by process node says of a node.

    Notes
    -----
    The policy between two rows: the straight line in nm, with the values of the two rows as range. Outside of the
    table there is no value.

    Raises
    ------
    NotCoveredError
        If the node lies outside of the table.
    """
    rows = sorted((float(key), key) for key in table.rows)
    for size, key in rows:
        if size == node_nm:
            return table.figure(key)
    finer = [row for row in rows if row[0] < node_nm]
    coarser = [row for row in rows if row[0] > node_nm]
    if not finer or not coarser:
        raise NotCoveredError(
            f"{what} of a {node_nm:g} nm process is not known: the table reaches from {rows[0][1]} to {rows[-1][1]} nm"
        )
    (x_0, key_0), (x_1, key_1) = finer[-1], coarser[0]
    y_0, y_1 = table.rows[key_0], table.rows[key_1]
    value = y_0 + (y_1 - y_0) * (node_nm - x_0) / (x_1 - x_0)
    low, high = min(y_0, y_1), max(y_0, y_1)
    nearest = table.figure(key_0)
    where = nearest.source.where if nearest.source else ""
    return nearest.model_copy(
        update={
            "value": min(max(value, low), high),
            "low": low,
            "high": high,
            "basis": "estimated",
            "note": f"{node_nm:g} nm: straight line between the rows of {key_0} and {key_1} nm, which are its range",
            "source": nearest.source and nearest.source.model_copy(update={"where": f"{where} and {key_1}"}),
        }
    )


def fab_electricity(name: str | None) -> Figure:
    """Emission factor of the electricity of a fab: a place with its vintage, or a source of electricity.

    Raises
    ------
    EmbodiedError
        If there is no such row; the message names the nearest.
    """
    places, sources = coefficients("fab_grid", "place"), coefficients("fab_grid", "source")
    key = name or places.default or ""
    if key in sources.rows:
        return sources.figure(key)
    if key in places.rows:
        place = key.rpartition("-")[0]
        vintages = [value for row, value in places.rows.items() if row.rpartition("-")[0] == place]
        return places.figure(key, low=min(vintages), high=max(vintages))
    known = [*places.rows, *sources.rows]
    raise EmbodiedError(
        f"the electricity of a fab in '{key}' is not known{did_you_mean(key, known)} (known: {', '.join(known)})"
    )


def fab_intensity(bench: Workbench) -> Node:
    """The electricity of the fab, as an input."""
    figure = fab_electricity(bench.options.fab)
    return bench.coefficient("embodied.fab.intensity", figure, "gCO2e/kWh", "Electricity of the fab")


def carbon_per_area(bench: Workbench, node_nm: float) -> Node:
    """Emissions per processed wafer area of a process node, before any loss."""
    name = f"embodied.fab.{node_nm:g}nm"
    if name in bench.shared:
        return bench.shared[name]

    def _input_of(table: str, unit: str, label: str) -> Node:
        figure = at_node(coefficients("fab", table), node_nm, label)
        return bench.coefficient(f"{name}.{table}", figure, unit, f"{label}, {node_nm:g} nm")

    gases = silicon.between(
        bench.row("embodied.fab.abatement", "fab", "abatement", None, "1", "Share of process gases abated"),
        bench.row("embodied.fab.low_abatement", "fab", "low_abatement", None, "1", "Abatement of the upper table"),
        _input_of("gas_low_abatement", "gCO2e/cm**2", "Process gases at low abatement"),
        bench.row("embodied.fab.high_abatement", "fab", "high_abatement", None, "1", "Abatement of the lower table"),
        _input_of("gas_high_abatement", "gCO2e/cm**2", "Process gases at high abatement"),
    )
    bench.shared[name] = silicon.carbon_per_area(
        fab_intensity(bench),
        _input_of("energy", "kWh/cm**2", "Electricity per area"),
        gases,
        _input_of("material", "gCO2e/cm**2", "Materials per area"),
    )
    return bench.shared[name]


def defect_density(node_nm: float) -> Figure:
    """Defects per area of a process node, with the range of all published tables that have it."""
    figure = at_node(coefficients("fab", "defect_density"), node_nm, "the defect density")
    ends = [figure.value, figure.low or figure.value, figure.high or figure.value]
    for table in ("defect_density_ecochip", "defect_density_actuary", "defect_density_ttm"):
        try:
            other = at_node(coefficients("fab", table), node_nm, "")
        except NotCoveredError:
            continue
        ends.append(other.value)
    return figure.model_copy(update={"low": min(ends), "high": max(ends)})


def technology(file: str, table: str, named: str | None, place: str) -> Figure:
    """The row of a table by technology; where the record names none, its default, with the whole table as range.

    Raises
    ------
    RecordError
        If there is no such row; the message lists those there are.
    """
    rows = coefficients(file, table)
    if named is not None:
        try:
            return coefficient(file, table, named)
        except RecordError as error:
            raise RecordError(f"{place}: technology: {str(error).partition(': ')[2].partition(': ')[2]}") from None
    assert rows.default is not None
    return rows.figure(
        rows.default,
        low=min(rows.rows.values()),
        high=max(rows.rows.values()),
        note=f"The record names no technology: {rows.default} is taken, and the range is that of all rows.",
    )
