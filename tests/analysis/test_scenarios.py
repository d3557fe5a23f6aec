"""Scenario files: inheritance, overrides, and errors that say what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tco.analysis.scenarios import find_scenario, find_scenarios, read_scenarios
from tco.errors import RecordError

TEXT = """
[base]
region = "eu"
currency = "EUR"
site = "site.toml"
set."site.pue" = 1.2

[base.set]
system.lifetime = "4 year"

[green]
inherits = "base"
title = "green power"
system = "dgx-h100.toml"
[green.set]
"grid.intensity" = { value = 30, unit = "gCO2e/kWh", low = 20, high = 45 }

[both]
inherits = ["base", "green"]
region = "fr"
[both.set]
"site.pue" = "1.1"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cases.toml"
    path.write_text(
        TEXT.replace('set."site.pue" = 1.2\n', "").replace("[base.set]\n", '[base.set]\n"site.pue" = 1.2\n')
    )
    return path


def test_a_scenario_takes_what_it_inherits_and_its_own_wins(file: Path) -> None:
    found = read_scenarios(file)
    assert found["base"]["set"] == {"site.pue": 1.2, "system.lifetime": "4 year"}
    assert found["base"]["site"] == str(file.parent / "site.toml")
    both = found["both"]
    assert (both["region"], both["currency"], both["title"]) == ("fr", "EUR", "both")
    assert both["system"] == str(file.parent / "dgx-h100.toml")
    assert both["set"]["site.pue"] == "1.1"
    assert both["set"]["grid.intensity"]["high"] == 45
    assert found["green"]["title"] == "green power"


def test_a_file_and_a_name(file: Path) -> None:
    assert find_scenario(f"{file}:green")["title"] == "green power"
    assert list(find_scenarios(str(file))) == ["base", "green", "both"]
    with pytest.raises(RecordError, match=r"holds several scenarios \(base, green, both\); name one"):
        find_scenario(str(file))
    with pytest.raises(RecordError, match=r"there is no scenario 'gren'; did you mean 'green'\?"):
        find_scenario(f"{file}:gren")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[a]\ninherits = 'b'\n[b]\ninherits = 'a'\n", "[a] inherits from itself: a > b > a"),
        ("[a]\ninherits = 'c'\n", "[a]: inherits 'c', which is not there"),
        ("[a]\nregoin = 'eu'\n", "'regoin' is not a field here; did you mean 'region'?"),
        ("[a]\nparent = 'b'\n", "did you mean 'inherits'?"),
        ("region = 'eu'\n[a]\n", "'region' stands outside of a scenario"),
        ("", "a scenario file holds one table a scenario"),
        ("[a\n", "not valid TOML"),
        ("[a]\nyear = 'soon'\n", "[a]: year"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "cases.toml"
    path.write_text(text)
    with pytest.raises(RecordError) as caught:
        read_scenarios(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(RecordError, match=r"nowhere.toml: no such file"):
        find_scenario("nowhere.toml:base")
