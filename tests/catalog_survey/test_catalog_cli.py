"""The catalogue's commands as a user runs them, and its tables in every format."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

from tco.catalog.library import read_library
from tco.cli import main
from tco.reports.catalogue import PAGES, pages
from tco.reports.tables import Table, latex, to_csv, to_html, to_json, to_latex, to_markdown, to_text, to_workbook

ROOT = Path(__file__).resolve().parents[2]
Out = tuple[int, str, str]


@pytest.fixture
def tco(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> Out:
        monkeypatch.setattr(sys, "argv", ["tco", "catalog", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_list(tco) -> None:
    code, out, err = tco("list")
    assert (code, err) == (0, "")
    for words in ("Simulators", "calculon", "Models", "act", "Benchmarks", "caraml", "Representations", "chakra"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 120
    code, out, _ = tco("list", "--kind", "pairs", "--format", "json")
    rows = json.loads(out)["pairs"]["rows"]
    assert code == 0
    assert {"Id": "distir-fig3", "Predictor": "DistIR", "Points": 81}.items() <= next(
        row for row in rows if row["Id"] == "distir-fig3"
    ).items()


def test_show(tco) -> None:
    code, out, _ = tco("show", "DistIR")
    assert code == 0
    for words in ("0.9273 (Pearson r) of throughput", "45.97 % (mean) of runtime", "C01", "distir-fig3", "Source 1:"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 120
    code, out, _ = tco("show", "calculon-01")
    assert code == 0
    assert "system file tuned by the tool authors" in out
    code, out, _ = tco("show", "distir-fig3")
    assert code == 0
    assert "MIT" in out
    assert "108.19" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "calculn"), "'calculn' is not in the catalogue; did you mean 'calculon'"),
        (("show", "ns-3"), "'ns-3' (ns-3) has no record: packet network only; a back end of other simulators"),
        (("show", "ASTRA-sim"), "'ASTRA-sim' has several records: 'astra-sim-2', 'astra-sim-3'"),
        (("compare", "calculon", "act"), "'act' is a model; compare it with: --kind models"),
        (("compare", "--columns", "yaer"), "column 'yaer' is not known for simulators; did you mean 'year'"),
        (("compare", "-o", "x.pdf"), "x.pdf: the suffix '.pdf' says no format; use one of .txt, .md, .tex, .csv"),
        (("recommend",), "say what the job needs: --scale 1024, --hardware h100"),
        (("recommend", "--mode", "trainin"), "mode 'trainin' is not known; did you mean 'training'"),
        (("recommend", "--needs", "energie"), "need 'energie' is not known; did you mean 'energy'"),
        (("recommend", "--scale", "0"), "scale 0: write the number of devices, at least 1"),
        (("score", "distir-fig33"), "set of pairs 'distir-fig33' is not known; did you mean 'distir-fig3'"),
        (("score", "nowhere.csv"), "nowhere.csv: cannot be read: No such file or directory"),
        (("score", "distir-fig3", "-w", "devices=3"), "no point of distir-fig3.csv fits"),
        (("search", "xyzzy"), "no record holds 'xyzzy'"),
        (("claims", "--severity", "dire"), "severity 'dire' is not known; use none, low, medium or high"),
        (("pages", "nowhere"), "nowhere: is no folder; make it first"),
        (("list", "--catalog", "nowhere"), "nowhere: is no folder; --catalog takes one with subfolders"),
    ],
)
def test_errors_a_person_can_act_on(tco, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = tco(*arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_search_finds_names_first(tco) -> None:
    code, out, _ = tco("search", "chakra", "-f", "json")
    hits = json.loads(out)["hits"]["rows"]
    assert code == 0
    assert hits[0]["Id"] == "chakra"
    assert {"astra-sim-2", "multiverse", "llmservingsim-1"} <= {hit["Id"] for hit in hits}


def test_compare_in_the_terminal(tco) -> None:
    code, out, _ = tco("compare", "calculon", "distir", "llm-analysis")
    text = " ".join(out.split())
    assert code == 0
    assert "sc21-table-1, 10 points, blind 1 llm-analysis-02 7.90 %" in text
    assert "1 minus a correlation is not an error" in text
    assert "No order is given across these errors." in text
    code, out, _ = tco("compare", "--kind", "models", "--columns", "title,capex,opex", "-f", "csv")
    rows = list(csv.reader(io.StringIO(out)))
    assert code == 0
    assert rows[0] == ["title", "capex", "opex"]
    assert ["ACT", "no", "no"] in rows
    assert len(rows) == 39


@pytest.mark.parametrize("suffix", [".txt", ".md", ".tex", ".csv", ".html", ".json", ".xlsx"])
def test_compare_into_a_file(tco, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    code, out, err = tco("compare", "calculon", "distir", "-o", path)
    assert (code, out) == (0, "")
    assert f"wrote {path}" in err
    content = path.read_bytes()
    if suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        assert book.sheetnames == ["simulators", "ranked", "not-ranked"]
        texts = [cell.value for row in book["simulators"].iter_rows() for cell in row if cell.value]
        assert any(str(text).startswith("0.9273 (Pearson r)") for text in texts)
    else:
        assert b"0.9273 (Pearson r) of throughput" in b" ".join(content.split()) or suffix == ".txt"
    assert list(tmp_path.iterdir()) == [path]
    tco("compare", "calculon", "distir", "-o", path)
    if suffix != ".xlsx":
        assert path.read_bytes() == content


def test_recommend_says_why(tco) -> None:
    code, out, _ = tco(
        "recommend", "--scale", "1024", "--hardware", "h100", "--mode", "training", "--needs", "network", "-f", "json"
    )
    rows = {row["Id"]: row for row in json.loads(out)["advice"]["rows"]}
    assert code == 0
    assert len(rows) == 37
    assert rows["calculon"]["Suits"] == "in"
    assert (
        "(+) scale: Validated on up to 3,360 devices (calculon-11: 29.71 % (mean), cross-check)."
        in rows["calculon"]["Why"]
    )
    assert rows["distir"]["Suits"] == "out"
    assert "(-) scale: Validated on only up to 4 devices" in rows["distir"]["Why"]
    assert rows["multiverse"]["Suits"] == "unclear"
    assert "(?) scale: Its largest validated scale is in dispute." in rows["multiverse"]["Why"]
    assert rows["vidur"]["Why"].startswith("(-) mode: Predicts inference serving.")
    code, out, _ = tco("recommend", "--needs", "energy", "--mode", "inference", "-f", "json")
    suits = {row["Id"] for row in json.loads(out)["advice"]["rows"] if row["Suits"] == "in"}
    assert (code, suits) == (0, {"llmservingsim-2", "energylens"})


def test_score_prints_metrics_and_a_row(tco, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    block = re.search(r"```csv\n(.*?)```", (ROOT / "docs" / "catalog.md").read_text(encoding="utf-8"), flags=re.S)
    assert block
    path.write_text(block[1], encoding="utf-8")
    code, out, err = tco("score", path)
    assert (code, err) == (0, "")
    assert "log_ratio" in out
    assert '[[validations]]\nid = "mine-01"' in out
    assert 'kind = "log_ratio"' in out
    code, out, err = tco("score", path, "-f", "json", "--seed", "3", "--metric", "mape")
    metrics = {row["metric"]: row for row in json.loads(out)["score"]["rows"]}
    assert code == 0
    assert metrics["mape"]["low"] <= metrics["mape"]["value"] <= metrics["mape"]["high"]
    assert 'kind = "mape"' in err
    assert tco("score", path, "-f", "json", "--seed", "3", "--metric", "mape") == (code, out, err)


def test_score_of_a_stored_set(tco) -> None:
    code, out, _ = tco("score", "distir-fig3", "--throughput", "--resamples", "0", "-f", "json")
    metrics = {row["metric"]: row for row in json.loads(out)["score"]["rows"]}
    assert code == 0
    assert (metrics["mape"]["value"], metrics["log_ratio"]["value"]) == (134.5751, 108.1946)
    assert metrics["mape"]["low"] is None


def test_claims(tco) -> None:
    code, out, _ = tco("claims", "-f", "json")
    data = json.loads(out)
    assert code == 0
    assert len(data["survey-2506.09275"]["rows"]) == 26
    assert len(data["rows"]["rows"]) >= 24
    code, out, _ = tco("claims", "--about", "Calculon", "--severity", "high", "-f", "json")
    assert [row["Id"] for row in json.loads(out)["survey-2506.09275"]["rows"]] == ["C03"]


def test_check(tco, tmp_path: Path) -> None:
    code, out, err = tco("check")
    assert code == 0
    assert "111 systems, 94 errors, 65 sets of pairs: 0 errors" in err
    assert "unresolved conflict" in " ".join(out.split())
    assert tco("check", "--strict")[0] == 1
    (tmp_path / "validations").mkdir()
    (tmp_path / "validations" / "bad.toml").write_text('[[validations]]\nid = "x"\n', encoding="utf-8")
    code, out, _ = tco("check", tmp_path, "-f", "json")
    assert code == 1
    assert any("is missing" in row["What"] for row in json.loads(out)["findings"]["rows"])


def test_pages_in_docs_are_those_of_the_records() -> None:
    """Made again with: tco catalog pages docs."""
    for name, text in pages(read_library()).items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text, name
    index = (ROOT / "docs" / "catalog.md").read_text(encoding="utf-8")
    assert all(f"({name})" in index for name in PAGES)


def test_the_list_loads_nothing_heavy() -> None:
    code = (
        "import sys\nsys.argv = ['tco', 'catalog', 'list']\nfrom tco.cli import main\n"
        "try: main()\nexcept SystemExit: pass\nprint(*sorted(m.partition('.')[0] for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    heavy = {"numpy", "pint", "pandas", "xlsxwriter", "openpyxl", "jinja2", "scipy"}
    assert not heavy & set(done.stdout.splitlines()[-1].split())


# Text is data in every format --------------------------------------------------------------------------------------

EVIL = (
    "=cmd|'/c calc'!A1",
    "+1",
    "-1",
    "@x",
    "<script>alert(1)</script>",
    r"\input{/etc/passwd}",
    "a|b",
    "line\nbreak",
    "$x^2_{1}$ & 50 % #~",
    "[red]bold[/red]",
    "*] [x",
    '"quoted"',
    "--",
)
TABLE = Table("t", "Evil <b>", ("Id", "=Text"), tuple((f"r{i}", text) for i, text in enumerate(EVIL)), EVIL[:1], EVIL)


class Collected(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_shows_text_as_text() -> None:
    page = to_html("Evil <b>", [TABLE])
    found = Collected()
    found.feed(page)
    assert set(found.tags) <= {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p"),
        *("div", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"),
    }
    for text in EVIL:
        assert text in found.text
    assert not re.search(r"(src|href)\s*=", page)


def test_latex_holds_no_command_of_a_user() -> None:
    commands = set(re.findall(r"\\[a-zA-Z]+", to_latex("Evil", [TABLE])))
    ours = {"begin", "end", "toprule", "midrule", "bottomrule", "endhead", "subsection", "item", "usepackage"}
    shape = {"raggedright", "arraybackslash", "dimexpr", "linewidth", "tabcolsep", "relax"}
    signs = {word.strip("\\{}") for word in re.findall(r"\\text[a-z]+", to_latex("Evil", [TABLE]))}
    assert commands == {"\\" + word for word in ours | shape | signs}
    assert latex(r"\input{x} 5 % [a] *") == r"\textbackslash{}input\{x\} 5 \% {[}a{]} {*}"
    assert latex("--") == "-{}-"
    body = to_latex("Evil", [TABLE]).split(r"\endhead")[1].split(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line]
    assert len(rows) == len(EVIL)
    assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
    for row in rows:
        opened = row.replace(r"\{", "").replace(r"\}", "")
        assert opened.count("{") == opened.count("}")


def test_markdown_keeps_its_cells() -> None:
    lines = [line for line in to_markdown("t", [TABLE]).splitlines() if line.startswith("| r")]
    assert len(lines) == len(EVIL)
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in lines)
    assert not any("<script>" in line.replace("\\<", "") for line in lines)


def test_csv_and_workbook_run_nothing(tmp_path: Path) -> None:
    cells = [row[1] for row in csv.reader(io.StringIO(to_csv([TABLE])))]
    assert not any(cell[:1] in "=+-@" and cell for cell in cells)
    path = tmp_path / "t.xlsx"
    path.write_bytes(to_workbook("t", [TABLE]))
    sheet = openpyxl.load_workbook(path).active
    assert sheet is not None
    values = {cell.value: cell.data_type for row in sheet.iter_rows() for cell in row if cell.value}
    assert set(EVIL) <= set(values)
    assert set(values.values()) == {"s"}


def test_json_and_terminal_keep_the_text() -> None:
    assert [row["=Text"] for row in json.loads(to_json("t", [TABLE]))["t"]["rows"]] == list(EVIL)
    text = to_text([TABLE])
    assert "[red]bold[/red]" in text
    assert max(map(len, text.splitlines())) <= 120


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    table = Table("n", "n", ("Id", "Value"), (("a", 0.1 + 0.2), ("b", None)))
    assert to_csv([table]).splitlines() == ["Id,Value", f"a,{0.1 + 0.2!r}", "b,"]
    path = tmp_path / "n.xlsx"
    path.write_bytes(to_workbook("n", [table]))
    sheet = openpyxl.load_workbook(path)["n"]
    numbers = [cell.value for row in sheet.iter_rows() for cell in row if cell.data_type == "n" and cell.value]
    assert numbers == [pytest.approx(0.3, rel=1e-15)]
