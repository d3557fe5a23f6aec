"""``tco check`` as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tco.cli import main

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "claims"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tco(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tco", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_one_claim_as_text(tco: Call) -> None:
    code, out, err = tco("check", "olmo2-13b-carbon")
    assert (code, err) == (1, "")
    assert out == (
        "olmo2-13b-carbon\n"
        "  source    Morrison et al., Holistically Evaluating the Environmental Impact of Creating Language Models "
        "(2025), arXiv 2503.05804, section 4.1, Tables 1 and 2\n"
        "  note      230 MWh are 257 / 1.12; carbon and water follow from 257 x 1.12 = 288 MWh.\n"
        "  result    carbon.operational\n"
        "  printed   101 tCO2e\n"
        "  follows   80.73 tCO2e  [80.44 to 81.02 by the rounding of the inputs]\n"
        "  verdict   not consistent: printed is 1.251 times what follows\n"
        "  explains  1. the energy was divided by the PUE of 1.12 where the result was multiplied with it "
        "(1 change: 101.3 tCO2e)\n"
    )


def test_exit_codes(tco: Call, tmp_path: Path) -> None:
    assert tco("check", "bloom-dynamic-carbon")[0] == 0
    assert tco("check", "mistral-large2-lca")[0] == 0  # not decidable is no contradiction
    assert tco("check", "bloom-dynamic-carbon", "llama33-70b")[0] == 1
    assert tco("check", DATA / "codecarbon_rate.csv")[0] == 1
    assert tco("check", "example:8xh100-day")[0] == 0
    code, out, err = tco("check", "llama33-70")
    assert (code, out) == (2, "")
    assert "'llama33-70' is neither a file nor a published claim; did you mean 'llama33-70b'" in err
    assert tco("check", tmp_path / "nothing.toml")[2].endswith("nothing.toml: no such file\n")
    code, _, err = tco("check")
    assert code == 2
    assert "nothing to check" in err


def test_formats(tco: Call, tmp_path: Path) -> None:
    code, out, _ = tco("check", "llama33-70b", "a100-falk-rate", DATA / "caraml_ipu.csv", "-f", "json")
    data = json.loads(out)
    assert code == 1
    assert data["schema"] == "tco.check/1"
    first, second = data["claims"]
    assert first["verdict"] == "not consistent"
    assert first["recomputed"]["value"] == pytest.approx(2028.6)
    assert second["explanations"][0]["codes"] == ["lifetime", "utilisation"]
    assert second["explanations"][0]["changes"] == 2
    [run] = data["runs"]
    assert "rate-mismatch" in [warning["code"] for warning in run["warnings"]]
    code, out, _ = tco("check", "a100-falk-rate", "-f", "csv")
    [row] = csv.DictReader(io.StringIO(out))
    assert float(row["recomputed"]) == pytest.approx(0.00315606, rel=6e-6)
    assert (row["verdict"], row["changes"]) == ("not consistent", "2")
    for name in ("table", "md", "html", "latex"):
        code, out, _ = tco("check", "a100-falk-rate", "-f", name)
        assert code == 1
        assert "a100-falk-rate" in out
    target = tmp_path / "checked.json"
    code, out, err = tco("check", "a100-falk-rate", "-f", "json", "-o", target)
    assert (code, out) == (1, "")
    assert f"wrote {target}" in err
    assert json.loads(target.read_text(encoding="utf-8"))["claims"][0]["claim"] == "a100-falk-rate"


def test_text_of_a_claim_is_data(tco: Call, tmp_path: Path) -> None:
    path = tmp_path / "card.toml"
    path.write_text(
        'title = "=cmd() | <b>x</b>"\nid = "card"\n[source]\ntitle = "<script>alert(1)</script>"\n'
        '[inputs]\nenergy = "5 kWh"\n[results]\n"energy.facility" = "6.0 kWh"\n',
        encoding="utf-8",
    )
    code, out, _ = tco("check", path, "-f", "html")
    assert code == 1
    assert "<script>alert" not in out
    _, out, _ = tco("check", path, "-f", "md")
    assert "<script>" not in out


def test_the_list_and_the_catalogue(tco: Call) -> None:
    code, out, _ = tco("check", "--list", "-f", "json")
    assert code == 0
    rows = json.loads(out)["published"]["rows"]
    assert len(rows) == 197
    assert {"id", "about", "says", "source"} == rows[0].keys()
    code, out, _ = tco("catalog", "claims", "-f", "json")
    assert code == 0
    assert len(json.loads(out)["published"]["rows"]) == 197


def test_the_table_in_docs_is_that_of_the_claims(tco: Call, tmp_path: Path) -> None:
    """Made again with: tco check --all -f md -o docs/claims-table.md."""
    target = tmp_path / "claims-table.md"
    assert tco("check", "--all", "-f", "md", "-o", target)[0] == 1
    text = target.read_text(encoding="utf-8")
    assert text == (ROOT / "docs" / "claims-table.md").read_text(encoding="utf-8")
    assert "285 results: 215 consistent, 29 not consistent, 41 not decidable (18 explained)." in text


def test_only_what_is_wrong(tco: Call) -> None:
    code, out, _ = tco("check", "bloom-dynamic-carbon", "a100-falk-rate", "--wrong", "-f", "json")
    assert code == 1
    assert [row["claim"] for row in json.loads(out)["claims"]] == ["a100-falk-rate"]


def test_the_claim_of_the_documentation(tco: Call, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    blocks = text.split("```toml\n")[1:]
    path = tmp_path / "card.toml"
    path.write_text(blocks[0].partition("```")[0], encoding="utf-8")
    code, out, _ = tco("check", path)
    assert code == 1
    shown = text.split("$ tco check card.toml\n")[1].partition(" ...")[0]
    assert out.startswith(shown)
    path.write_text(blocks[1].partition("```")[0], encoding="utf-8")
    assert tco("check", path)[0] == 0
