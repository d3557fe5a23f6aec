"""``tco embodied``, and embodied methods in an estimate."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tco
from tco.cli import make_app
from tco.errors import TcoError


def run(*arguments: str) -> str:
    done = CliRunner().invoke(make_app("embodied"), ["embodied", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_side_by_side() -> None:
    text = run("hgx-h100")
    lines = [line.split() for line in text.splitlines()]
    assert ["declared", "7,012", "3,812", "to", "8,184", "node", "cradle-to-gate", "-"] in lines
    assert ["accelerators", "1,312", "229.6", "1,138", "4,601", "1,710"] in lines
    assert "not comparable" in text
    assert "memory 5.94 kg" in " ".join(text.split())
    assert run("hgx-h100", "--compare", "--method", "act") == text
    assert max(map(len, text.splitlines())) <= 120


def test_one_method_shows_parts_and_sources() -> None:
    text = run("hgx-h100", "--method", "edge-aware")
    flat = " ".join(text.split())
    assert "embodied.fab.5nm.energy 2.75 kWh/cm2" in flat
    assert "act/models/logic/epa.yaml" in flat
    assert "host: the record has a published figure of it" in flat
    assert "transport, end of life, use" in flat


def test_two_methods() -> None:
    data = json.loads(run("r740", "-m", "declared", "-m", "component", "-f", "json"))
    assert data["schema"] == "tco.embodied/1"
    assert [result["method"] for result in data["results"]] == ["declared", "component"]
    first = data["results"][0]
    assert {"value", "low", "high", "boundary", "phases", "version", "source", "parts", "left_out"} <= set(first)
    assert first["value"] == pytest.approx(4288)
    assert first["inputs"]["system.ssd.embodied"]["source"]["year"] == 2019


def test_csv_and_markdown() -> None:
    rows = list(csv.DictReader(io.StringIO(run("hgx-h100", "-m", "component", "-f", "csv"))))
    total = next(row for row in rows if not row["part"])
    assert float(total["value"]) == pytest.approx(4601.4, abs=0.1)
    boards = [row for row in rows if row["part"] == "accelerators" and row["item"]]
    assert 8 * sum(float(row["value"]) for row in boards) == pytest.approx(float(total["value"]))
    assert [row["left_out_because"] for row in rows if row["part"] == "host"] != [""]
    page = run("hgx-h100", "-f", "md")
    assert page.startswith("# NVIDIA DGX H100")
    assert "| accelerators | 1,312 |" in page


def test_a_bill_of_materials_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "node.toml"
    path.write_text(
        """
name = "ours"
[[parts]]
name = "cpu"
count = 2
[parts.component]
kind = "cpu"
[[parts.component.package.dies]]
area = "694 mm2"
node = "14 nm"
[[parts]]
name = "dram"
count = 12
component = {kind = "ram", capacity = "32 GB"}
""",
        encoding="utf-8",
    )
    data = json.loads(run(str(path), "-m", "component", "-f", "json"))
    assert data["results"][0]["value"] == pytest.approx(2 * (9.14 + 0.0197 * 694) + 12 * 61.795, rel=1e-4)
    assert data["results"][0]["boundary"] == "node"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("hgx-h1000",), "system 'hgx-h1000' is not known; did you mean 'hgx-h100'"),
        (("hgx-h100", "-m", "atc"), "the method 'atc' is not known; did you mean 'act'?"),
        (("hgx-h100", "--fab", "mars"), "the electricity of a fab in 'mars' is not known"),
        (("hgx-h100", "--yield-model", "poison"), "the yield model 'poison' is not known; did you mean 'poisson'?"),
        (("hgx-h100", "--hbm", "hgx-h200"), "there is no 'hgx-h200'; did you mean 'hgx-h100' or 'hgx-b200'?"),
        (
            ("hgx-h100", "--set", "embodied.kerv=1"),
            "'embodied.kerv' is not an input of any of these methods; did you mean",
        ),
        (("hgx-h100", "-m", "act", "--set", "embodied.act.yield=87.5 kg"), "embodied.act.yield: '87.5 kg'"),
        (("hgx-b200-air", "-m", "act"), "the method 'act' can calculate no part of 'hgx-b200-air'"),
    ],
)
def test_bad_input_is_said(arguments: tuple[str, ...], text: str) -> None:
    with pytest.raises(TcoError) as caught:
        run(*arguments)
    assert text in str(caught.value)


def test_a_stated_yield_outside_of_0_to_1_is_refused() -> None:
    with pytest.raises(TcoError, match=r"embodied\.act\.yield: 87\.5 must be at most 1; did you mean 0\.875\?"):
        run("hgx-h100", "-m", "act", "--set", "embodied.act.yield=87.5")


DAY = {
    "name": "day",
    "duration": "24 h",
    "devices": [{"kind": "gpu", "model": "NVIDIA H100 80GB HBM3", "count": 8}],
    "energy": "100 kWh",
}


def test_an_estimate_by_a_method() -> None:
    run_ = tco.Run.model_validate(DAY)
    plain = tco.estimate(run_, region="eu")
    chosen = tco.estimate(run_, region="eu", embodied_method="component")
    assert chosen["carbon.embodied"].facts["boundary"] == "board"
    assert chosen["carbon.embodied.accelerators"].facts["method"] == "component, coefficients of boaviztapi 2.4.1"
    ratio = chosen["carbon.embodied"].value / plain["carbon.embodied.accelerators"].value
    assert ratio == pytest.approx(575.18 / 164, rel=1e-4)
    assert [w.code for w in chosen.warnings].count("embodied-left-out") == 1
    assert set(plain.lines) >= set(chosen.lines)
    declared = tco.estimate(run_, region="eu", embodied_method="declared")
    assert declared.value("carbon.embodied", "kgCO2e") == pytest.approx(plain.value("carbon.embodied", "kgCO2e"))


def test_an_estimate_by_a_method_that_does_not_apply_says_so() -> None:
    run_ = tco.Run.model_validate({**DAY, "devices": [{"kind": "gpu", "model": "B200", "count": 8}]})
    missing = {entry.line: entry.reason for entry in tco.estimate(run_, region="eu", embodied_method="act").missing}
    assert "the method 'act' does not apply to 'hgx-b200-air'" in missing["carbon.embodied"]


def test_estimates_of_nodes_made_of_components_and_of_gaps() -> None:
    run_ = tco.Run.model_validate({"name": "x", "duration": "5 year", "nodes": 1, "energy": "1 kWh"})
    whole = {"system.lifetime": "5 year", "system.utilisation": 1}
    r740 = tco.estimate(run_, region="eu", system="r740", set=whole)
    assert r740["carbon.embodied"].value == pytest.approx(4288, abs=0.05)
    assert r740["carbon.embodied"].facts["boundary"] == "node"
    cpu = tco.estimate(run_, region="eu", system="cpu-node", set=whole)
    assert cpu["carbon.embodied"].value == pytest.approx(1519.9, abs=0.1)
    ipu = {entry.line: entry.reason for entry in tco.estimate(run_, region="eu", system="ipu-pod4").missing}
    assert "nothing is known of the part 'ipus'" in ipu["carbon.embodied"]
    chip = tco.estimate(
        tco.Run.model_validate(
            {"duration": "5 year", "devices": [{"kind": "tpu", "model": "TPU v4", "count": 4}], "energy": "1 kWh"}
        ),
        region="eu",
        set=whole,
    )
    assert chip["carbon.embodied"].value == pytest.approx(4 * 513)
