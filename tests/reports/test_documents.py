"""Pages, papers, snippets, FOCUS rows and frames: what they say, and foreign text as text in each."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import tco
from tco.errors import TcoError
from tco.reports.context import context
from tco.reports.files import content, format_of, from_template
from tco.reports.focus import columns, rows, to_focus
from tco.reports.frame import to_frame, to_parquet
from tco.reports.templates import names, render
from tco.reports.workbook.write import to_workbook

_spec = importlib.util.spec_from_file_location("reports_conftest", Path(__file__).with_name("conftest.py"))
assert _spec is not None
assert _spec.loader is not None
helpers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(helpers)

GOLDEN = Path(__file__).with_name("golden")
HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\\input{/etc/passwd}",
    "\\write18{id}",
    "a|b",
    "two\nlines",
    "{{ 7*7 }}",
    "<< 7 >>",
    "{% raw %}",
    "$x$ & 5% #1 ~ ^",
    "`code`",
    "*bold* _it_",
    "| --- |",
    "'''",
]
VOID = {"meta", "br", "img", "input", "hr", "link", "rect", "path"}


def hostile(name: str) -> tco.Estimate:
    """A run with foreign text in every field that a report shows."""
    run = tco.Run.model_validate(
        {
            "name": name, "start": "2025-06-02T00:00:00Z", "tool": {"name": name, "version": name}, "nodes": 1,
            "energy": {"value": 1, "unit": "kWh", "boundary": "node_ac", "source": name}, "duration": "1 h",
            "devices": [{"kind": "gpu", "model": name, "count": 8}], "work": {"quantity": "tokens", "value": 1000},
            "warnings": [{"code": "w", "message": name, "where": name}],
        }
    )  # fmt: skip
    site = tco.Site.model_validate(
        {
            "region": "eu",
            "pue": {
                "value": 1.2,
                "unit": "1",
                "note": name,
                "source": {"title": name, "author": name, "where": name, "url": name},
            },
        }
    )
    return tco.estimate(run, system="hgx-h100", site=site)


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.text = ""
        self.headings: list[int] = []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {key: value or "" for key, value in attrs}))
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page() -> Page:
    os.chdir(helpers.ROOT)
    return Page(str(content(helpers.example("jpwr-two-gpus"), "html")))


# ---- golden files ---------------------------------------------------------------------------------------------------


def dump(book: bytes) -> str:
    """A workbook as text: every cell with its formula and its value to ten digits."""
    lines = []
    for (sheet, cell), (formula, value) in helpers.formula_cells(book).items():
        lines.append(f"{sheet}!{cell} {formula} -> {value:.10g}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", helpers.EXAMPLES)
@pytest.mark.parametrize(
    "kind", ["html", "latex", "md", "csv", "json", "focus", "xlsx", *sorted(set(names()) - {"report", "report-latex"})]
)
def test_golden_files(name: str, kind: str) -> None:
    """The reports of the examples are those that were looked at; TCO_UPDATE_GOLDEN=1 writes them anew."""
    estimate = helpers.example(name)
    if kind == "xlsx":
        text = dump(to_workbook([estimate]))
    elif kind == "md":
        from tco.reports.markdown import to_markdown
        from tco.reports.summary import summary

        text = to_markdown(summary(estimate))
    elif kind == "csv":
        from tco.reports.tabular import to_csv

        text = to_csv(estimate)
    elif kind == "json":
        text = estimate.to_json()
    elif kind == "focus" and estimate.run.start_utc is None:
        pytest.skip(f"{name} has no start: FOCUS rows need one")
    elif kind in ("html", "latex", "focus"):
        text = str(content(estimate, kind))
    else:
        text = from_template(estimate, kind)
    file = GOLDEN / f"{name}.{kind}.txt"
    if os.environ.get("TCO_UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert _rounded(text) == _rounded(file.read_text(encoding="utf-8"))


def _rounded(text: str) -> str:
    """Long numbers to ten digits: the last ones are those of the machine."""
    return re.sub(r"-?\d+\.\d{9,}(?:e[-+]?\d+)?", lambda found: f"{float(found[0]):.10g}", text)


# ---- HTML -----------------------------------------------------------------------------------------------------------


def test_the_page_loads_nothing_from_outside_and_runs_nothing(page: Page) -> None:
    assert not page.faults
    tags = Counter(tag for tag, _ in page.tags)
    assert not {"script", "link", "iframe", "img", "object", "form"} & set(tags)
    policy = next(a for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"].startswith("default-src 'none'")
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes), tag
        assert "src" not in attributes
        assert tag == "a" or "href" not in attributes
        if attributes.get("href"):
            assert attributes["href"].startswith(("#", "https://", "http://"))


def test_the_page_can_be_read_by_a_screen_reader_and_by_keyboard(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    html = next(attributes for tag, attributes in page.tags if tag == "html")
    assert html["lang"] == "en"
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(page.headings, page.headings[1:], strict=False)), "no level is left out"
    assert {"header", "main", "footer"} <= {tag for tag, _ in page.tags}
    for tag, attributes in page.tags:
        for reference in ("aria-labelledby",):
            if reference in attributes:
                assert attributes[reference] in ids, attributes
        if tag == "a" and attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids, attributes
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-labelledby"] in ids
        if tag == "th":
            assert attributes.get("scope") in ("row", "col")
        if tag == "table":
            assert "aria-labelledby" in attributes
    assert sum(tag == "details" for tag, _ in page.tags) == sum(tag == "summary" for tag, _ in page.tags)
    assert page.tags[[tag for tag, _ in page.tags].index("a")][1]["class"] == "skip"


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a: str, b: str) -> float:
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_are_told_apart_in_light_and_in_dark() -> None:
    """WCAG 2.1: 4.5 for text, 3 for graphics, against the page and its panels."""
    style = (Path("reports") / "templates" / "report.html.j2").read_text(encoding="utf-8")
    light, dark = re.findall(r":root\{([^}]*)\}", style)[:2]
    for block in (light, dark):
        found = dict(re.findall(r"--([a-z0-9]+):(#[0-9a-f]{3,6})", block.replace("#fff;", "#ffffff;")))
        for ground in ("paper", "panel"):
            for ink in ("ink", "soft", "link"):
                assert _contrast(found[ink], found[ground]) >= 4.5, (ink, ground)
            for place in range(8):
                assert _contrast(found[f"c{place}"], found[ground]) >= 3, (place, ground)
        assert _contrast(found["ink"], found["warnbg"]) >= 4.5


def test_the_page_has_what_was_asked_for(page: Page) -> None:
    for words in (
        "Energy at the utility meter", "What it is made of", "how it comes about", "Everything that went in",
        "By other methods", "cash-flow NPV", "assumed, sourced", "Uptime Institute", "Data sets", "What to know first",
    ):  # fmt: skip
        assert words in page.text, words
    estimate = helpers.example("jpwr-two-gpus")
    ids = {attributes.get("id") for _, attributes in page.tags}
    assert set(estimate.inputs) <= ids
    assert set(estimate.lines) <= ids


@pytest.mark.browser
def test_the_page_renders_in_a_browser(tmp_path: Path) -> None:
    program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    if program is None:
        pytest.skip("no Chromium is installed: the page is not rendered")
    file = tmp_path / "report.html"
    file.write_text(str(content(helpers.example("8xh100-day"), "html")), encoding="utf-8")
    done = subprocess.run(
        [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--enable-logging=stderr",
            "--log-level=0",
            f"--user-data-dir={tmp_path}/profile",
            "--window-size=400,800",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "47.96 kgCO2e" in done.stdout
    assert "CONSOLE" not in done.stderr, done.stderr
    assert "Refused to" not in done.stderr


@pytest.mark.parametrize("name", HOSTILE)
def test_foreign_text_is_text_in_html(name: str) -> None:
    estimate = hostile(name)
    text = str(content(estimate, "html"))
    found = Page(text)
    assert not found.faults
    assert not {"script", "img", "b", "em", "i"} & {tag for tag, _ in found.tags}
    assert not any(attribute.startswith("on") for _, attributes in found.tags for attribute in attributes)
    assert " ".join(name.split()) in " ".join(found.text.split())
    assert all(a.get("href", "#").startswith(("#", "http")) for t, a in found.tags if t == "a")
    cells = Page(estimate._repr_html_() + estimate.run._repr_html_())
    assert not {"script", "img"} & {tag for tag, _ in cells.tags}
    assert " ".join(name.split())[:8] in " ".join(cells.text.split())


# ---- LaTeX ----------------------------------------------------------------------------------------------------------

#: Control words that the templates themselves use, and those that escaped letters become.
_CONTROL = {
    "documentclass",
    "usepackage",
    "sisetup",
    "providecommand",
    "setlength",
    "begin",
    "end",
    "section",
    "subsection",
    "toprule",
    "midrule",
    "bottomrule",
    "endhead",
    "hspace",
    "textbf",
    "footnotesize",
    "num",
    "unit",
    "item",
    "si",
    "raggedright",
    "arraybackslash",
    "linewidth",
    "parindent",
    "LTleft",
    "paragraph",
    "textbackslash",
    "textasciicircum",
    "textasciitilde",
    "textless",
    "textgreater",
    "textbar",
    "textquotedbl",
    "textquotesingle",
    "textasciigrave",
    "textdagger",
    "percent",
    "qty",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("template", ["report-latex", "paper"])
def test_foreign_text_is_text_in_latex(name: str, template: str) -> None:
    text = from_template(hostile(name), template)
    used = set(re.findall(r"\\([A-Za-z]+)", text))
    assert used <= _CONTROL, used - _CONTROL
    body = "\n".join(line.partition("%")[0] if line.startswith("%") else line for line in text.splitlines())
    for bare in (r"(?<!\\)\$", r"(?<!\\)#(?!\d)", r"(?<!\\)~"):
        assert not re.search(bare, re.sub(r"\\providecommand.*", "", body)), bare


@pytest.mark.parametrize("name", ["8xH100 day", HOSTILE[4], HOSTILE[6], HOSTILE[13]])
def test_latex_compiles(name: str, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("no pdflatex is installed: the document is not compiled")
    (tmp_path / "r.tex").write_text(from_template(hostile(name), "report-latex"), encoding="utf-8")
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"], cwd=tmp_path,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-800:]
    assert (tmp_path / "r.pdf").stat().st_size > 10_000


def test_numbers_and_units_are_siunitx() -> None:
    text = str(content(helpers.example("8xh100-day"), "latex"))
    assert r"\num{134.4} & \unit{kWh}" in text
    assert r"\unit{kgCO_2e}" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") > 4


# ---- snippets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("template", ["model-card", "ai-act", "esrs", "eed", "sci"])
def test_foreign_text_is_text_in_snippets(name: str, template: str) -> None:
    text = from_template(hostile(name), template)
    assert not re.search(r"(?<!\\)<", text)
    heads: list[int] = []
    for row in re.findall(r"(?m)^\|.*$", text):
        cells = len(re.findall(r"(?<!\\)\|", row))
        heads = [cells] if row.startswith("| ---") else heads
        assert (
            not heads
            or row.startswith(("| ---", "| Field", "| What", "| Term", "| Input", "| Functional"))
            or cells == heads[0]
        )
    assert "{{ 7" not in text or name.startswith("{{")  # printed as it is, never computed


def test_the_model_card_states_grams() -> None:
    estimate = helpers.example("mlperf-b200-llama")
    text = from_template(estimate, "model-card")
    grams = float(re.search(r"emissions: ([\d.]+)", text)[1])  # type: ignore[index]
    assert grams == pytest.approx(estimate.value("carbon.total", "gCO2e"), rel=1e-12)
    assert 'hardware_used: "8 x NVIDIA B200-SXM-180GB"' in text


def test_the_parts_of_a_score_add_up_to_it() -> None:
    """SCI for AI, SPEC.md 9.1: SCI = C / R with C the sum of operational and embodied carbon."""
    found = context(helpers.example("mlperf-b200-llama"))["scores"]
    assert [score.unit for score in found] == ["output token", "sample"]
    for score in found:
        assert float(score.operational) + float(score.embodied) == pytest.approx(float(score.score), rel=2e-3)
    text = from_template(helpers.example("mlperf-b200-llama"), "sci")
    consumer, provider = text.partition("## Provider score")[::2]
    assert "| output token |" in consumer.partition("## Consumer score")[2]
    assert "no work that is a functional unit of this boundary" in provider
    for tag in ("measured", "sourced", "modelled"):
        assert f"| {tag} |" in text


def test_the_consumer_score_of_the_specification() -> None:
    """SCI for AI, SPEC.md 9.1.1: 5,000 + 1,500 kg a week over 50 billion tokens are 130 kg per billion tokens."""
    run = tco.Run.model_validate(
        {
            "name": "week",
            "energy": {"value": 5000, "unit": "kWh", "boundary": "facility"},
            "pue": 1.0,
            "pue_included": True,
            "duration": "168 h",
            "nodes": 1,
            "work": {"quantity": "tokens", "value": 50e9},
        }
    )
    stated = {"grid.intensity": "1000 gCO2e/kWh", "system.lifetime": "1 year", "system.utilisation": 1,
              "system.accelerators.embodied": "0 kgCO2e",
              "system.host.embodied": f"{1500 * 8760 / 168!r} kgCO2e"}  # fmt: skip
    estimate = tco.estimate(run, region="eu", system="hgx-h100", set=stated)
    assert estimate.value("carbon.total.per_token", "kgCO2e/token") * 1e9 == pytest.approx(130, rel=1e-9)
    score = context(estimate)["scores"][0]
    assert (score.operational, score.embodied, score.score, score.score_unit) == (
        "100.0",
        "30.00",
        "130.0",
        "ugCO2e/token",
    )


def test_rules_are_filled_or_say_why_not() -> None:
    found = context(helpers.example("mlperf-b200-llama"))["reporting"]
    for about in found.values():
        for field in about["fields"]:
            assert field["status"] in ("filled", "part", "not applicable")
            assert bool(field["value"]) is (field["status"] != "not applicable")
            assert field["remark"] or field["status"] == "filled"
    by_name = {field["name"]: field for field in found["eed"]["fields"]}
    assert by_name["Total energy consumption"]["status"] == "part"
    assert "not to be reported as it is" in by_name["Power usage effectiveness"]["remark"]
    scope = next(f for f in found["esrs"]["fields"] if "scope 2, location" in f["name"])
    assert "lifecycle one, which holds scope 3 as well" in scope["remark"]


def test_templates_of_users(tmp_path: Path) -> None:
    estimate = hostile("<b>&_1")
    for suffix, written in (
        (".html", "&lt;b&gt;&amp;_1"),
        (".tex", r"\textless{}b\textgreater{}\&\_1"),
        (".md", r"\<b\>\&\_1"),
        (".txt", "<b>&_1"),
    ):
        file = tmp_path / f"mine{suffix}"
        file.write_text("<< title >>" if suffix == ".tex" else "{{ title }}", encoding="utf-8")
        assert from_template(estimate, file) == written
    bad = tmp_path / "bad.md"
    for text, message in (
        ("{{ titel }}", "'titel' is undefined"), ("a\n{% if %}", "bad.md:2"),
        ("{{ ().__class__.__mro__ }}", "unsafe"), ("{{ 1 / 0 }}", "division by zero"),
    ):  # fmt: skip
        bad.write_text(text, encoding="utf-8")
        with pytest.raises(TcoError, match=message):
            from_template(estimate, bad)
    with pytest.raises(TcoError, match="did you mean 'paper'"):
        render("papper", {})
    with pytest.raises(TcoError, match="no such template file"):
        render("nowhere.md", {})


# ---- FOCUS, frames --------------------------------------------------------------------------------------------------


def test_focus_rows_add_up_and_have_the_mandatory_columns(shared: Path) -> None:
    estimate = helpers.example("8xh100-day")
    found = list(csv.DictReader(io.StringIO(to_focus(estimate))))
    with (shared / "facts/neighbours/samples/focus_1.2_saas_upfront.csv").open(encoding="utf-8-sig") as file:
        published = set(next(csv.reader(file)))
    own = [name for name in columns() if name.startswith("x_")]
    assert set(columns()) - set(own) <= published
    for name in ("BilledCost", "BillingCurrency", "ChargeCategory", "EffectiveCost", "ServiceCategory", "ListCost"):
        assert all(row[name] for row in found), name
    assert sum(float(row["EffectiveCost"]) for row in found) == pytest.approx(estimate["cost.total"].value, rel=1e-12)
    energy = sum(float(row["x_EnergyFacilityKwh"] or 0) for row in found)
    assert energy == pytest.approx(estimate["energy.facility"].value, rel=1e-12)
    emissions = [float(row[f"x_Carbon{kind}KgCo2e"] or 0) for row in found for kind in ("Operational", "Embodied")]
    assert sum(emissions) == pytest.approx(estimate["carbon.total"].value, rel=1e-12)
    bought = next(row for row in found if row["x_CostLine"] == "cost.hardware")
    assert (bought["BilledCost"], bought["ChargePeriodEnd"]) == ("0.0", "2025-06-03T00:00:00Z")
    assert (bought["BillingPeriodStart"], bought["BillingPeriodEnd"]) == (
        "2025-06-01T00:00:00Z",
        "2025-07-01T00:00:00Z",
    )


def test_focus_needs_a_period() -> None:
    run = tco.Run.model_validate({"name": "x", "energy": "1 kWh", "duration": "1 h", "nodes": 1})
    with pytest.raises(TcoError, match="says no 'start'"):
        rows(tco.estimate(run, region="eu", system="hgx-h100"))


@pytest.mark.parametrize("name", HOSTILE)
def test_foreign_text_is_text_in_focus(name: str) -> None:
    for row in csv.reader(io.StringIO(to_focus(hostile(name)))):
        assert len(row) == len(columns())
        assert not any(cell.startswith(("=", "+", "@")) for cell in row)
        assert all(not cell.startswith("-") or float(cell) <= 0 for cell in row)


def test_frames_hold_what_the_lines_hold() -> None:
    estimate = helpers.example("8xh100-day")
    frame = to_frame(estimate)
    assert list(frame.index) == list(estimate.lines)
    assert frame.loc["carbon.total", "value"] == estimate["carbon.total"].value
    assert frame.loc["cost.total", "method"] == "amortised"
    assert estimate.to_frame().equals(frame)
    import pandas as pd

    back = pd.read_parquet(io.BytesIO(to_parquet(estimate)))
    assert back.set_index("line")["value"].to_dict() == frame["value"].to_dict()


def test_notebooks_show_a_comparison() -> None:
    from tco.analysis.compare import compare
    from tco.analysis.recipe import Recipe

    found = compare(
        [Recipe(Path("examples/8xh100-day/run.json"), {"region": place}, f"<{place}>") for place in ("eu", "fr")], n=200
    )
    text = found._repr_html_()
    assert "<eu>" not in text
    assert "carbon.total" in Page(text).text


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.xlsx", "xlsx"), ("A.HTML", "html"), ("b.tex", "latex"), ("focus.csv", "focus"), ("run-focus.csv", "focus"),
     ("refocus.csv", "csv"), ("b.parquet", "parquet"), ("b.txt", "table")],
)  # fmt: skip
def test_the_name_of_a_file_says_its_format(name: str, kind: str) -> None:
    assert format_of(Path(name)) == kind


def test_plots_are_drawn(tmp_path: Path) -> None:
    from tco.reports import plots

    estimate = helpers.example("jpwr-two-gpus")
    plots.stacked([estimate, helpers.example("8xh100-day")], ["a", "b"], "cost.total", tmp_path / "s.svg")
    plots.waterfall(estimate, tmp_path / "w.svg")
    plots.trace_of_run(estimate, tmp_path / "t.svg")
    for name, words in (
        ("s", "Maintenance of the nodes"),
        ("w", "Utility meter"),
        ("t", "idle (1st percentile) 160 W"),
    ):
        text = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert words in re.sub(r"</text>\s*<text[^>]*>", "", text) or words.split()[0] in text
    first = (tmp_path / "w.svg").read_bytes()
    plots.waterfall(estimate, tmp_path / "w.svg")
    assert (tmp_path / "w.svg").read_bytes() == first
    with pytest.raises(TcoError, match="the run has no power trace"):
        plots.trace_of_run(helpers.example("8xh100-day"), tmp_path / "n.svg")


def test_json_of_the_examples_is_still_the_interface(each_example: tuple[str, tco.Estimate]) -> None:
    data: dict[str, Any] = json.loads(each_example[1].to_json())
    assert data["schema"] == "tco.estimate/1"
