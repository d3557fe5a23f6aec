"""Defaults and factors by name, and bounds of what users state."""

from __future__ import annotations

import pytest

from tco import catalog
from tco.catalog.tables import table
from tco.errors import RecordError
from tco.units import Q, read_quantity


def test_unknown_default():
    with pytest.raises(RecordError) as caught:
        catalog.default("site.pux")
    assert str(caught.value).startswith(
        "catalog/defaults.toml: there is no 'site.pux'; did you mean 'site.pue'? (known: site.pue, node.overhead.air, "
    )


def test_unknown_factor():
    with pytest.raises(RecordError) as caught:
        catalog.factor("hbm3")
    assert str(caught.value) == (
        "catalog/embodied/factors.toml: there is no 'hbm3'; did you mean 'hbm'? (known: hbm, board_without_memory)"
    )


@pytest.mark.parametrize(
    ("name", "stated", "unit", "fault"),
    [
        (
            "grid.intensity",
            "338 kg/kWh",
            "gCO2e/kWh",
            "338000 gCO2e/kWh is above 2000 gCO2e/kWh: no grid is above about 2,000 g/kWh; did you give kg/kWh where "
            "g/kWh was meant?",
        ),
        ("grid.intensity", "1306 g/kWh", "gCO2e/kWh", None),
        ("grid.intensity", "0 g/kWh", "gCO2e/kWh", None),
        (
            "site.pue",
            3.5,
            "1",
            "3.5 is above 3: it is the energy of the site over that of its IT equipment, never below 1",
        ),
        (
            "site.pue",
            0.2,
            "1",
            "0.2 is below 1: it is the energy of the site over that of its IT equipment, never below 1",
        ),
        ("site.pue", 1, "1", None),
        (
            "system.lifetime",
            "24 h",
            "year",
            "0.00273973 year is below 0.5 year: it is the useful life of the nodes, not the duration of the run",
        ),
        ("system.lifetime", "6 year", "year", None),
        (
            "system.utilisation",
            85,
            "1",
            "85 is above 1: it is the share of its life in which somebody is charged for the node: 0.85, or 85 %",
        ),
        (
            "system.utilisation",
            0,
            "1",
            "0 is not above 0: it is the share of its life in which somebody is charged for the node: 0.85, or 85 %",
        ),
        ("system.utilisation", 1, "1", None),
        (
            "node.overhead",
            0.7,
            "1",
            "0.7 is below 1: it is the energy of the node at its inlet over that of its boards",
        ),
        ("node.overhead", 1.4, "1", None),
        ("site.tariff", "19 EUR/kWh", "money/kWh", "19 EUR/kWh is above 2 EUR/kWh: was it cents, or a price per MWh?"),
        ("site.tariff", "19 EURct/kWh", "money/kWh", None),
        ("site.tariff", "25 JPY/kWh", "money/kWh", None),
        ("site.tariff", "70 HUF/kWh", "money/kWh", None),
        ("site.tariff", "9 TWD/kWh", "money/kWh", None),
    ],
)
def test_bounds(name, stated, unit, fault):
    assert catalog.plausible(name).fault(read_quantity(stated, unit)) == fault


def test_bounds_in_another_currency_are_judged_at_the_rate():
    found = catalog.plausible("site.tariff").fault(Q(5.0, "USD/kWh"))
    assert found == "4.47547 EUR/kWh is above 2 EUR/kWh: was it cents, or a price per MWh?"  # 5 / 1.1172


def test_inputs_without_bounds():
    assert catalog.plausible("run.duration") is None


def test_defaults_and_prices_are_plausible():
    for name in table("defaults.toml"):
        bounds = catalog.plausible(name)
        figure = catalog.default(name)
        for end in (figure.low, figure.value, figure.high):
            assert bounds is None or end is None or bounds.fault(Q(end, figure.unit)) is None
    for region in ("EU27", "US", "FI", "CY"):
        figure, _ = catalog.tariff(region)
        assert catalog.plausible("site.tariff").fault(Q(figure.value, figure.unit)) is None
