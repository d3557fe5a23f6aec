"""Workbooks: live formulas that say what the library says, inputs that may be changed, and nothing that runs."""

from __future__ import annotations

import importlib.util
import io
import os
import re
import time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tco
from tco.operations import OPERATIONS, ceil, exp, log, maximum, minimum, where
from tco.reports.workbook.live import FORMS, Live, number
from tco.reports.workbook.write import to_workbook

_spec = importlib.util.spec_from_file_location("reports_conftest", Path(__file__).with_name("conftest.py"))
assert _spec is not None
assert _spec.loader is not None
helpers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(helpers)

#: How many random changes the two recalculations try; TCO_RECALCULATIONS=200 is the full number.
CHANGES = int(os.environ.get("TCO_RECALCULATIONS", "4"))
#: Functions that Excel and LibreOffice both know, and that no change of version moves.
CLASSIC = {"SUM", "SUMPRODUCT", "NPV", "PMT", "IF", "MIN", "MAX", "ABS", "INT", "EXP", "LN", "COUNTIF"}
HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "\\input{/etc/passwd}",
    "a|b",
    "two\nlines",
    "=1+1",
    "{=1}",
    "'=1",
]
foreign = pytest.mark.filterwarnings("ignore")  # of the `formulas` package, not of ours


@pytest.fixture(scope="module")
def day() -> tuple[tco.Estimate, bytes]:
    os.chdir(helpers.ROOT)
    estimate = helpers.example("8xh100-day")
    return estimate, to_workbook([estimate])


# ---- formulas -------------------------------------------------------------------------------------------------------


def test_every_operation_of_a_graph_has_its_form_in_a_spreadsheet() -> None:
    assert FORMS.keys() == OPERATIONS.keys()


leaf = st.one_of(
    st.integers(1, 40).map(lambda n: number(float(n))),
    st.floats(0.01, 50).map(lambda x: number(round(x, 6))),
    st.floats(-50, -0.01).map(lambda x: number(round(x, 6))),
)


def _branch(inner: st.SearchStrategy[Live]) -> st.SearchStrategy[Live]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: p[0] + p[1]), pair.map(lambda p: p[0] - p[1]), pair.map(lambda p: p[0] * p[1]),
        pair.filter(lambda p: abs(p[1].value) > 1e-3).map(lambda p: p[0] / p[1]), inner.map(lambda x: -x),
        pair.map(lambda p: minimum(*p)), pair.map(lambda p: maximum(*p)), pair.map(lambda p: p[0] < p[1]),
        st.tuples(inner, inner, inner).map(lambda t: where(t[0] <= t[1], t[1], t[2])),
        inner.filter(lambda x: 1e-3 < x.value < 1e3).map(lambda x: x ** -2),
        inner.filter(lambda x: 1e-6 < abs(x.value) < 20).map(exp), inner.filter(lambda x: x.value > 1e-3).map(log),
        inner.filter(lambda x: abs(x.value % 1 - 0.5) < 0.4).map(ceil),
    )  # fmt: skip


@foreign
@settings(max_examples=200)
@given(st.recursive(leaf, _branch, max_leaves=12).filter(lambda live: abs(live.value) < 1e9))
def test_an_expression_means_in_a_spreadsheet_what_its_value_says(live: Live) -> None:
    import formulas

    compiled = formulas.Parser().ast(f"={live.text}")[1].compile()
    got = float(compiled())
    scale = max(1.0, abs(live.value))
    assert abs(got - live.value) <= 1e-6 * scale, (live.text, live.value, got)


def test_rounding_up_goes_up_below_zero_too() -> None:
    assert (ceil(number(-2.5)).text, ceil(number(-2.5)).value) == ("0-INT(0-(-2.5))", -2.0)


# ---- what recalculating gives ---------------------------------------------------------------------------------------


@foreign
@pytest.mark.parametrize("name", ["8xh100-day", "slurm-gh200"])  # LibreOffice does all of them
def test_cached_values_are_recalculated_values(name: str, by_formulas: Any) -> None:
    content = to_workbook([helpers.example(name)])
    cells = helpers.formula_cells(content)
    found = by_formulas(content).calculate()
    wrong = [(key, formula, value, found.get((key[0].upper(), key[1])))
             for key, (formula, value) in cells.items()
             if not helpers.close(found.get((key[0].upper(), key[1])), value)]  # fmt: skip
    assert len(cells) > 400
    assert not wrong, wrong[:5]


def _expected(estimate: tco.Estimate, name: str, changed: dict[str, float]) -> tco.Estimate:
    """The library's own estimate with those inputs."""
    inputs = {node.name: (node.value, node.unit) for node in estimate.graph.inputs()}
    # All are stated: left alone, an input may follow another before the graph begins (devices those of the nodes).
    now = {key: (changed.get(key, value), unit) for key, (value, unit) in inputs.items()}
    stated = {key: value if unit == "1" else f"{value!r} {unit}" for key, (value, unit) in now.items()}
    return helpers.example(name, set=stated)


def _differences(estimate: tco.Estimate, expected: tco.Estimate, value_of: Any) -> list[Any]:
    return [
        (line.name, line.value, value_of(f"out.{line.name}"))
        for line in expected.lines.values()
        if line.name in estimate and not helpers.close(value_of(f"out.{line.name}"), line.value)
    ]


@foreign
def test_changed_inputs_change_every_line_as_the_library_does(by_formulas: Any) -> None:
    for name in ("8xh100-day", "slurm-gh200"):
        estimate = helpers.example(name)
        model = by_formulas(to_workbook([estimate]))
        for seed in range(CHANGES):
            changed = helpers.random_changes(estimate, seed)
            cells = model.calculate({f"in.{key}": value for key, value in changed.items()})

            def value_of(defined: str, cells: Any = cells, model: Any = model) -> Any:
                sheet, cell = model.places[defined.casefold()]
                return cells[(sheet.upper(), cell.replace("$", ""))]

            wrong = _differences(estimate, _expected(estimate, name, changed), value_of)
            assert not wrong, (name, seed, changed, wrong[:3])


@pytest.mark.libreoffice
def test_libreoffice_says_what_the_library_says(libreoffice: Any) -> None:
    """All examples as they are, every cell; and random changes of their inputs, every line."""
    files, asked, unchanged = {}, {}, {}
    for name in helpers.EXAMPLES:
        estimate = helpers.example(name)
        content = to_workbook([estimate])
        unchanged[f"{name}.xlsx"] = helpers.formula_cells(content)
        files[f"{name}.xlsx"] = helpers.with_values(content, {})
        for seed in range(-(-CHANGES // len(helpers.EXAMPLES))):
            changed = helpers.random_changes(estimate, 1000 + seed)
            key = f"{name}-{seed}.xlsx"
            named = openpyxl.load_workbook(io.BytesIO(content)).defined_names
            files[key] = helpers.with_values(content, {f"in.{k}": v for k, v in changed.items() if f"in.{k}" in named})
            asked[key] = (name, estimate, changed)
    said, books = libreoffice(files)
    assert "repair" not in said.casefold()
    for key, cells in unchanged.items():
        wrong = [(cell, value, books[key][cell[0]][cell[1]].value) for cell, (_, value) in cells.items()
                 if not helpers.close(books[key][cell[0]][cell[1]].value, value)]  # fmt: skip
        assert not wrong, (key, wrong[:5])
    for key, (name, estimate, changed) in asked.items():
        book = books[key]

        def value_of(defined: str, book: Any = book) -> Any:
            sheet, cell = next(iter(book.defined_names[defined].destinations))
            return book[sheet][cell.replace("$", "")].value

        wrong = _differences(estimate, _expected(estimate, name, changed), value_of)
        assert not wrong, (key, changed, wrong[:3])


def test_every_formula_cell_shows_a_number_without_recalculating(each_example: tuple[str, tco.Estimate]) -> None:
    cells = helpers.formula_cells(to_workbook([each_example[1]]))
    assert not [key for key, (_, value) in cells.items() if not isinstance(value, int | float)]


def test_cells_of_lines_hold_the_values_of_the_library(day: tuple[tco.Estimate, bytes]) -> None:
    estimate, content = day
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    for line in estimate.lines.values():
        sheet, cell = next(iter(book.defined_names[f"out.{line.name}"].destinations))
        assert book[sheet][cell].value == pytest.approx(line.value, rel=1e-12), line.name
    for name, node in estimate.inputs.items():
        sheet, cell = next(iter(book.defined_names[f"in.{name}"].destinations))
        assert (sheet, book[sheet][cell].value) == ("Assumptions", pytest.approx(node.value, rel=1e-12))


def test_one_cell_for_every_node(day: tuple[tco.Estimate, bytes]) -> None:
    estimate, content = day
    book = openpyxl.load_workbook(io.BytesIO(content))
    inputs = sum(1 for name in book.defined_names if name.startswith("in."))
    lines = sum(1 for name in book.defined_names if name.startswith("out."))
    steps = sum(1 for row in book["Steps"].iter_rows(min_row=5, max_col=3) if row[2].data_type == "f")
    nodes = [node for node in estimate.graph.nodes if node.operation != "constant"]
    assert inputs + lines + steps == len(nodes)


def test_the_present_value_is_that_of_the_library(day: tuple[tco.Estimate, bytes]) -> None:
    estimate, content = day
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Cash flow"]
    values = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Cash flow"]
    rows = {row[0].value: row[0].row for row in sheet.iter_rows(max_col=1)}
    npv = sheet.cell(rows["net present value"], 3).value
    assert re.fullmatch(r"=\$C\$\d+\+NPV\(in\.finance\.rate,\$D\$\d+:\$[A-Z]+\$\d+\)", npv), npv
    assert values.cell(rows["of the run"], 3).value == pytest.approx(estimate["cost.npv.total"].value, rel=1e-12)


def test_the_tornado_is_that_of_the_library(day: tuple[tco.Estimate, bytes]) -> None:
    estimate, content = day
    rows = list(openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Sensitivity"].iter_rows(values_only=True))
    start = next(i for i, row in enumerate(rows) if str(row[0]).startswith("cost.total"))
    shown = {row[0]: row for row in rows[start + 2 : start + 14] if row[0] in estimate.inputs}
    ranged = [i for i in estimate.sensitivity("cost.total").influences if i.distribution is not None and i.swing > 0]
    assert set(shown) == {i.name for i in ranged}
    for each in ranged:
        assert shown[each.name][6] == pytest.approx(each.at_low, rel=1e-9)
        assert shown[each.name][8] == pytest.approx(each.at_high, rel=1e-9)


@foreign
def test_the_tornado_follows_a_change(by_formulas: Any, day: tuple[tco.Estimate, bytes]) -> None:
    _, content = day
    changed = helpers.example("8xh100-day", set={"system.rating": "12 kW"})
    cells = by_formulas(content).calculate({"in.system.rating": 12000.0})
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Sensitivity"]
    rows = {row[0].value: row[0].row for row in sheet.iter_rows(max_col=1, max_row=14)}
    expected = {i.name: i for i in changed.sensitivity("cost.total").influences}
    for name in ("system.price", "site.tariff", "system.lifetime"):
        assert cells[("SENSITIVITY", f"G{rows[name]}")] == pytest.approx(expected[name].at_low, rel=1e-9)
        assert cells[("SENSITIVITY", f"I{rows[name]}")] == pytest.approx(expected[name].at_high, rel=1e-9)


@foreign
def test_checks_notice_what_is_out_of_range_and_what_was_edited(
    by_formulas: Any, day: tuple[tco.Estimate, bytes]
) -> None:
    _, content = day
    model = by_formulas(content)
    sheet, edited = model.places["edited"]
    as_written, changed = model.calculate(), model.calculate({"in.site.pue": 0.9})
    cover = openpyxl.load_workbook(io.BytesIO(content))["Cover"]
    verdict = next(row[1].coordinate for row in cover.iter_rows(max_col=2) if row[0].value == "Checks")
    assert as_written[("COVER", verdict)] == 0
    assert changed[("COVER", verdict)] == 2  # outside of its range, and impossible
    assert as_written[(sheet.upper(), edited.replace("$", ""))] == 0
    assert changed[(sheet.upper(), edited.replace("$", ""))] == 1


# ---- what a reader may do -------------------------------------------------------------------------------------------


def test_the_sheets_that_were_asked_for(day: tuple[tco.Estimate, bytes]) -> None:
    book = openpyxl.load_workbook(io.BytesIO(day[1]))
    wanted = ["Cover", "Assumptions", "Energy", "CapEx", "OpEx", "Cash flow", "Carbon", "TCO summary", "Sensitivity",
              "Reporting", "Sources", "Checks"]  # fmt: skip
    assert [name for name in book.sheetnames if name in wanted] == wanted
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.page_setup.paperSize == 9
        assert sheet.protection.sheet
        assert sheet.protection.password is None
    for name in ("Assumptions", "Energy", "CapEx", "Carbon", "Sources", "Checks"):
        assert book[name].print_title_rows, name


def test_inputs_are_blue_on_yellow_and_unlocked_and_nothing_else_is(day: tuple[tco.Estimate, bytes]) -> None:
    book = openpyxl.load_workbook(io.BytesIO(day[1]))
    for name in book.defined_names:
        if not name.startswith(("in.", "out.")):
            continue
        sheet, cell = next(iter(book.defined_names[name].destinations))
        found = book[sheet][cell]
        assert found.protection.locked is (not name.startswith("in.")), name
        if name.startswith("in."):
            assert (found.font.color.rgb, found.fill.fgColor.rgb) == ("FF0000FF", "FFFFF9C4")
    assert all(c.protection.locked for s in book for row in s.iter_rows() for c in row if c.data_type == "f")


def test_what_may_be_typed_comes_from_the_range(day: tuple[tco.Estimate, bytes]) -> None:
    estimate, content = day
    book = openpyxl.load_workbook(io.BytesIO(content))
    rules = {str(rule.sqref): rule for rule in book["Assumptions"].data_validations.dataValidation}
    for name in estimate.inputs:
        _, cell = next(iter(book.defined_names[f"in.{name}"].destinations))
        rule = rules[cell.replace("$", "")]
        given = estimate.inputs[name].given
        assert rule.type == "decimal"
        if given is not None and given.low is not None and given.high is not None:
            row = cell.rpartition("$")[2]
            assert (rule.formula1, rule.formula2, rule.errorStyle) == (f"$F${row}", f"$G${row}", "warning"), name
        else:
            assert rule.errorStyle in (None, "stop"), name
    status = book["Cover"].data_validations.dataValidation
    assert any(rule.type == "list" and "draft" in rule.formula1 for rule in status)


def test_native_charts(day: tuple[tco.Estimate, bytes]) -> None:
    names = list(helpers.parts_of(day[1]))
    charts = [helpers.parts_of(day[1])[name] for name in names if name.startswith("xl/charts/chart")]
    assert len(charts) >= 5  # cost, present value, carbon twice, two tornados
    assert all("<c:barChart>" in chart for chart in charts)


def test_only_classic_functions_no_macros_no_links_nothing_volatile(each_example: tuple[str, tco.Estimate]) -> None:
    content = to_workbook([each_example[1]])
    used = {
        name for formula, _ in helpers.formula_cells(content).values() for name in re.findall(r"([A-Z]+)\(", formula)
    }
    assert used <= CLASSIC, used - CLASSIC
    parts = helpers.parts_of(content)
    assert not [name for name in parts if "vba" in name.casefold() or "externalLink" in name]
    assert not [name for name, text in parts.items() if name.endswith(".rels") and 'TargetMode="External"' in text]
    assert all("[" not in formula for formula, _ in helpers.formula_cells(content).values())


def test_neutral_properties_and_the_same_bytes_again(day: tuple[tco.Estimate, bytes]) -> None:
    book = openpyxl.load_workbook(io.BytesIO(day[1]))
    assert not book.properties.creator
    assert not book.properties.lastModifiedBy
    assert book.properties.title == "8xH100 day"
    assert book.properties.created.year == 2000
    assert to_workbook([helpers.example("8xh100-day")]) == day[1]


@pytest.mark.parametrize("name", HOSTILE)
def test_text_of_the_user_never_is_a_formula(name: str) -> None:
    run = tco.Run.model_validate({"name": name, "energy": "1 kWh", "duration": "1 h", "nodes": 1})
    content = to_workbook([tco.estimate(run, region="eu", system="hgx-h100")])
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book["Cover"]["A1"].value == name
    assert book["Cover"]["A1"].data_type == "s"
    strings = [c.value for s in book for row in s.iter_rows() for c in row if c.data_type == "f"]
    assert not [text for text in strings if name.lstrip("='") and name in str(text) and len(name) > 2]


def test_cases_side_by_side_share_what_is_one_number() -> None:
    places = [tco.estimate("examples/8xh100-day/run.json", region=region) for region in ("eu", "fr")]
    content = to_workbook(places, ["eu", "fr"])
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    assert "in.site.pue" in book.defined_names
    assert {"in.eu.grid.intensity", "in.fr.grid.intensity"} <= set(book.defined_names)
    for key, estimate in zip(("eu", "fr"), places, strict=True):
        sheet, cell = next(iter(book.defined_names[f"out.{key}.carbon.total"].destinations))
        assert book[sheet][cell].value == pytest.approx(estimate["carbon.total"].value, rel=1e-12)


def test_two_dotted_names_that_differ_in_signs_get_two_cells() -> None:
    from tco.reports.workbook.names import Names

    names = Names()
    assert [names.of("in", "a-b"), names.of("in", "a_b"), names.of("IN", "A_B")] == ["in.a_b", "in.a_b_2", "IN.A_B_3"]


def test_writing_takes_less_than_a_second(each_example: tuple[str, tco.Estimate]) -> None:
    to_workbook([each_example[1]])  # what is loaded on first use
    begin = time.process_time()
    to_workbook([each_example[1]])
    assert time.process_time() - begin < 1.0


#: A site with a contract, a tariff with its parts, staff, water, carbon prices and nominal money: all the graph can do.
SITE = {
    "region": "de", "pue": 1.3, "wue": "0.4 L/kWh", "heat_reuse": 0.2, "grid_losses": 0.05, "residual": "500 gCO2e/kWh",
    "contracts": [{"name": "wind-a", "kind": "ppa", "intensity": "0 gCO2e/kWh", "share": 0.4}],
    "electricity": {
        "name": "t", "time_zone": "Europe/Berlin", "levies": "0.02 EUR/kWh", "levy_share": 0.1,
        "fixed": ["1500 EUR/month"], "demand": [{"name": "peak", "price": "10 EUR/(kW month)"}],
        "periods": [
            {"name": "day", "price": "0.2 EUR/kWh", "hours": [[6, 22]]}, {"name": "night", "price": "12 EURct/kWh"},
        ],
    },
    "staff": "0.6 FTE/MW", "salary": "90000 EUR/(FTE year)", "water_price": "2 EUR/m3", "carbon_price": "70 EUR/tCO2e",
    "share": 0.1, "peak_power": "60 kW", "power_cooling_share": 0.6, "power_cooling_lifetime": "10 year",
    "finance": {"nominal_rate": "0.07 1/year", "inflation": "0.02 1/year", "escalation": {"energy": "0.01 1/year"}},
}  # fmt: skip
PARTS = {
    "system.residual": 0.1, "system.failure_rate": "0.09 1/year", "system.accelerator_price": "30000 USD",
    "system.host_price": "40000 USD", "system.checkpoint_interval": "0.5 h", "system.restart_time": "0.25 h",
    "fx.usd_eur": "0.9 EUR/USD", "system.storage_price": "20000 USD", "system.storage_lifetime": "7 year",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("8xh100-day", {"site": tco.Site.model_validate(SITE)}),
        ("8xh100-day", {"region": "eu", "set": PARTS}),
        ("8xh100-day", {"region": "eu", "set": {**PARTS, "system.accelerator_lifetime": "4 year"}}),
        ("slurm-gh200", {"region": "eu", "set": {"system.residual": 0.1, "finance.rate": "0 1/year"}}),
        ("8xh100-day", {"region": "eu", "embodied_method": "edge-aware"}),
        ("8xh100-day", {"region": "eu", "embodied_method": "component"}),
    ],
    ids=["site", "parts", "lives", "network", "edge-aware", "component"],
)
def test_cells_compute_what_the_graph_computed_whatever_it_holds(name: str, options: dict[str, Any]) -> None:
    """The expression of every node over the values of its operands, conversions between units included."""
    from tco.reports.workbook.cells import expression
    from tco.reports.workbook.names import Names
    from tco.reports.workbook.units import Conversions

    os.chdir(helpers.ROOT)
    estimate = tco.estimate(f"examples/{name}/run.json", cost=helpers.METHODS, **options)
    conversions = Conversions(Names())
    for node in estimate.graph.nodes:
        if node.operands:
            live = expression(node, lambda operand: Live(f"x{operand.index}", operand.value), conversions)
            assert live.value == pytest.approx(node.value, rel=1e-12), (node, live)
    cells = helpers.formula_cells(to_workbook([estimate]))
    checks = [value for (sheet, cell), (_, value) in cells.items() if sheet == "Checks" and cell.startswith("B")]
    assert checks[0] == 0, "a check fails in a book that nobody changed"
