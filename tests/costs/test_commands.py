"""The commands around cost, as a user runs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tco.cli import main

Out = tuple[int, str, str]


@pytest.fixture
def tco(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> Out:
        monkeypatch.setattr(sys, "argv", ["tco", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_cost_shows_all_methods_side_by_side(tco) -> None:
    code, out, err = tco("cost", "example:8xh100-day", "-r", "eu")
    assert (code, err) == (0, "")
    words = ("amortised", "annuity", "acquisition", "cash-flow NPV", "specialist", "hyperscaler", "Total")
    assert all(word in out for word in (*words, "break_even_utilisation", "Not counted", "finance.rate"))
    assert "EUR of 2023 and 2025" in out
    assert max(len(line) for line in out.splitlines()) <= 120
    code, out, _ = tco("cost", "example:8xh100-day", "-r", "eu", "--format", "json")
    data = json.loads(out)
    assert data["schema"] == "tco.cost/1"
    assert [method["title"] for method in data["methods"]] == [
        "amortised", "annuity", "acquisition", "cash-flow NPV", "rental, specialist", "rental, hyperscaler",
    ]  # fmt: skip
    for method in data["methods"]:
        assert method["currency"] == "EUR"
        assert method["price_year"]
        assert method["lines"]["total"]["value"] > 0


def test_cost_by_some_methods(tco) -> None:
    code, out, _ = tco("cost", "example:8xh100-day", "-r", "eu", "--cost-method", "annuity", "--format", "json")
    assert code == 0
    assert [method["title"] for method in json.loads(out)["methods"]] == ["amortised", "annuity"]
    code, _, err = tco("cost", "example:8xh100-day", "-r", "eu", "--cost-method", "rent")
    assert code == 2
    assert "cost method 'rent' is not known" in err
    code, _, err = tco("cost", "example:8xh100-day", "-r", "eu", "--fx-date", "2024-13-01")
    assert (code, "is not a date; write 2024-12-31" in err) == (2, True)


def test_estimate_takes_the_methods_too(tco) -> None:
    code, out, _ = tco("estimate", "example:8xh100-day", "-r", "eu", "--cost-method", "annuity", "-f", "json")
    assert code == 0
    lines = json.loads(out)["lines"]
    assert lines["cost.annuity.total"]["method"] == "annuity"
    assert lines["cost.total"]["method"] == "amortised"
    code, out, _ = tco("estimate", "example:8xh100-day", "-r", "eu", "-f", "json")
    assert not any(name.startswith("cost.annuity") for name in json.loads(out)["lines"])


def test_system_shows_its_whole_life(tco) -> None:
    code, out, err = tco("system", "hgx-h100", "--years", "5", "-r", "eu", "--power", "6 kW", "--idle-power", "1.5 kW")
    assert (code, err) == (0, "")
    assert all(
        word in out for word in ("year 0", "year 5", "present value", "idle", "residual", "first flow at year 0")
    )
    code, out, _ = tco("system", "hgx-h100", "--years", "5", "-r", "eu", "--format", "json")
    data = json.loads(out)
    assert data["schema"] == "tco.system/1"
    assert data["method"] == "cash-flow NPV"
    assert len(data["total_by_year"]) == 6
    code, _, err = tco("system", "hgx-h10", "-r", "eu")
    assert (code, "hgx-h100" in err) == (2, True)


def test_replace(tco) -> None:
    arguments = ("replace", "dgx-a100", "hgx-b200-air", "--years", "6", "--growth", "0.2", "-r", "eu", "--nodes", "8")
    more = ("--speedup", "4", "--set", "old.system.price=100000 EUR")
    code, out, err = tco(*arguments, *more)
    assert code == 0
    assert "carbon price" in out
    assert "paid back its embodied carbon in year 1" in out
    assert err.count("idle-energy") == 1
    code, out, _ = tco(*arguments, *more, "--format", "json")
    assert len(json.loads(out)["by_year"]) == 7


def test_prices(tco, tmp_path: Path) -> None:
    code, out, _ = tco("prices", "list", "rental.h100-sxm5")
    assert code == 0
    assert "rental.h100-sxm5-80gb.specialist.on-demand" in out
    code, out, _ = tco("prices", "list", "carbon", "--format", "json")
    assert {item["name"] for item in json.loads(out)["prices"]} >= {"carbon.paid.eu-ets-2024"}
    code, out, _ = tco("prices", "show", "carbon.social.us-epa-2025")
    assert json.loads(out)["value"] == 210
    code, out, _ = tco("prices", "show", "tariff.hartselle-tou-msb")
    assert json.loads(out)["demand"][0]["name"] == "on-peak-demand"
    code, out, _ = tco("prices", "show", "index.us-ppi-518210")
    assert json.loads(out)["levels"]["2024-12"] == 119.349
    code, _, err = tco("prices", "show", "carbon.paid.eu-ets-2O24")
    assert (code, "did you mean 'carbon.paid.eu-ets-2024'" in err) == (2, True)
    code, _, err = tco("prices", "list", "nothing of the kind")
    assert (code, "no price has 'nothing of the kind' in its name" in err) == (2, True)


def test_a_die(tco) -> None:
    code, out, _ = tco("prices", "die", "814 mm2", "--process", "5", "--format", "json")
    assert code == 0
    assert json.loads(out)["lines"]["cost.die.good"]["value"] == pytest.approx(695.309182, abs=6e-7)
    code, out, _ = tco("prices", "die", "814 mm2", "--process", "5")
    assert "695.3" in out
    code, _, err = tco("prices", "die", "814", "--process", "5")
    assert (code, "needs a unit" in err) == (2, True)
