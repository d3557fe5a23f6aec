"""Yields and dies per wafer as published, nodes between rows, and parts of wafer size."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from embodied_bills import by, chip, node

from tco.catalog.coefficients import coefficients
from tco.embodied import EmbodiedError, Options, assess
from tco.embodied.fab import at_node, defect_density
from tco.formulas import silicon
from tco.graph import Graph
from tco.units import Q

Rows = list[dict[str, str]]

MODELS: dict[str, Callable[[Any, Any], Any]] = {
    "poisson": silicon.poisson,
    "murphy_triangle": silicon.murphy,
    "murphy_rect": silicon.murphy_rectangular,
    "seeds": silicon.seeds,
    "moore_sqrt": silicon.moore,
    "neg_binomial_a2": lambda area, defects: silicon.negative_binomial(area, defects, Q(2, "1")),
    "neg_binomial_a3": lambda area, defects: silicon.negative_binomial(area, defects, Q(3, "1")),
    "neg_binomial_a10": lambda area, defects: silicon.negative_binomial(area, defects, Q(10, "1")),
    "bose_einstein_n12_D/12": lambda area, defects: silicon.bose_einstein(area, defects / 12, Q(12, "1")),
}
SAMPLE = [  # x = 1.65 of an A100 at 0.2 per cm2 and a few more, six decimals
    *(("poisson", 8.14, 0.1, 0.443082), ("murphy_triangle", 8.14, 0.1, 0.468094), ("murphy_rect", 8.14, 0.1, 0.493660)),
    *(("seeds", 8.14, 0.1, 0.551268), ("moore_sqrt", 8.14, 0.1, 0.405668), ("neg_binomial_a10", 8.14, 0.1, 0.457232)),
    *(("bose_einstein_n12_D/12", 8.14, 0.1, 0.454944), ("murphy_triangle", 100, 1, 0.0001), ("poisson", 100, 1, 0.0)),
    *((model, 0, 0.1, 1.0) for model in MODELS),
    *((model, 8.14, 0, 1.0) for model in MODELS),
]


def on_quantities(model: str, area: float, defects: float) -> float:
    return float(MODELS[model](Q(area, "cm2"), Q(defects, "1/cm2")).m_as("1"))


def on_nodes(model: str, area: float, defects: float) -> float:
    graph = Graph()
    a, d = graph.input("a", Q(area, "cm2"), "cm**2"), graph.input("d", Q(defects, "1/cm2"), "1/cm**2")
    return graph.line("yield", MODELS[model](a, d), "1").value


@pytest.mark.parametrize("evaluate", [on_quantities, on_nodes])
@pytest.mark.parametrize(("model", "area", "defects", "share"), SAMPLE)
def test_yield(evaluate: Callable[..., float], model: str, area: float, defects: float, share: float) -> None:
    assert evaluate(model, area, defects) == pytest.approx(share, abs=5.1e-7)


def test_all_published_yields(facts: Callable[[str], Rows]) -> None:
    rows = facts("embodied/yield_values.csv")
    for row in rows:
        for evaluate in (on_quantities, on_nodes):
            got = evaluate(row["model"], float(row["area_cm2"]), float(row["D0_per_cm2"]))
            assert got == pytest.approx(float(row["yield_"]), abs=5.1e-7), row
    assert len(rows) == 90


@pytest.mark.parametrize("x", [1e-300, 1e-17, 1e-12, 1e-9, 1e-4])
def test_murphy_keeps_its_digits_near_zero(x: float) -> None:
    area, defects = Q(x, "cm2"), Q(1.0, "1/cm2")
    assert float(silicon.murphy(area, defects).m_as("1")) == pytest.approx(1 - x + 7 * x * x / 12, rel=1e-14)
    assert float(silicon.murphy_rectangular(area, defects).m_as("1")) == pytest.approx(1 - x + 2 * x * x / 3, rel=1e-13)


def test_all_published_dies_per_wafer(facts: Callable[[str], Rows]) -> None:
    rows = facts("embodied/dies_per_wafer.csv")
    for row in rows:
        area, diameter = Q(float(row["die_mm2"]), "mm2"), Q(float(row["wafer_mm"]), "mm")
        classic = silicon.dies_classic(area, diameter)
        assert float(classic.m_as("1")) == pytest.approx(float(row["classic_dpw"]), abs=6e-5)
        assert float(silicon.dies_exponential(area, diameter).m_as("1")) == pytest.approx(
            float(row["exp_dpw"]), abs=6e-5
        )
        cut = silicon.dies_classic(silicon.with_kerf(area, Q(0.2, "mm")), diameter)
        assert float(cut.m_as("1")) == pytest.approx(float(row["classic_with_0p2mm_kerf"]), abs=6e-5)
        whole = float(silicon.whole_dies(classic).m_as("1"))
        assert whole == max(float(row["classic_floor"]), 0)  # two rows are dies of wafer size: none, not minus two
        if row["edge_factor"]:
            factor = float((silicon.wafer_area(diameter) / area).m_as("1")) / whole
            assert factor == pytest.approx(float(row["edge_factor"]), abs=6e-5)
        else:
            with pytest.raises(EmbodiedError, match="leaves no whole die on a wafer of 300 mm"):
                by("edge-aware", chip(f"{row['die_mm2']} mm2", 5))
    assert len(rows) == 13


@pytest.mark.parametrize(("area", "dies"), [(814, 63), (826, 62), (81, 798), (46225, 0), (70685.8, 0)])
def test_dies_on_a_wafer(area: float, dies: int) -> None:
    assert float(silicon.whole_dies(silicon.dies_classic(Q(area, "mm2"), Q(300, "mm"))).m_as("1")) == dies


def test_a_die_of_wafer_size_needs_a_stated_yield() -> None:
    with pytest.raises(EmbodiedError, match="state its yield: spare parts on it, not chance, decide"):
        by("edge-aware", chip("46225 mm2", 5))
    result = by("edge-aware", chip("46225 mm2", 5, **{"yield": 1}), embodied__line_yield=1)
    die = result.parts[0].items[0]
    per_area = 0.583 * 2.75 + (0.430 + 0.225) / 2 + 0.5  # 5 nm, Taiwan, 97 %, before yield
    assert die.value == pytest.approx(per_area * math.pi * 15**2, rel=1e-9)
    with pytest.raises(EmbodiedError, match="is larger than the wafer"):
        by("edge-aware", chip("80000 mm2", 5, **{"yield": 1}))


def test_a_node_between_two_rows_is_read_from_the_line_and_has_the_rows_as_range() -> None:
    figure = at_node(coefficients("fab", "energy"), 12, "energy")
    assert figure.value == pytest.approx((1.475 + 1.2) / 2)  # 3D-Carbon has 1.3 for 12 nm
    assert (figure.low, figure.high) == (1.2, 1.475)
    assert figure.note == "12 nm: straight line between the rows of 10 and 14 nm, which are its range"
    assert figure.basis == "estimated"
    assert at_node(coefficients("fab", "energy"), 7, "energy").value == 2.15


@pytest.mark.parametrize("size", [2, 65])
def test_a_node_outside_of_the_table_is_refused(size: float) -> None:
    with pytest.raises(EmbodiedError, match=rf"{size} nm process is not known: the table reaches from 3 to 28 nm"):
        by("act", chip("1 cm2", size))


def test_defect_density_has_the_range_of_all_tables() -> None:
    figure = defect_density(7)
    assert (figure.low, figure.value, figure.high) == (0.09, 0.1, 0.2)  # Chiplet Actuary, 3D-Carbon, ECO-CHIP


@pytest.mark.parametrize(
    "model", ["poisson", "murphy", "murphy-rectangular", "seeds", "moore", "negative-binomial", "bose-einstein"]
)
def test_yield_models_by_name(model: str) -> None:
    stated = {"embodied.critical_layers": 12} if model == "bose-einstein" else {}
    result = assess(node(chip("814 mm2", 5)), "edge-aware", options=Options(yield_model=model), set=stated)
    assert result.low <= result.value <= result.high < math.inf


def test_bose_einstein_asks_for_its_layers() -> None:
    with pytest.raises(ValueError, match=r"embodied\.critical_layers is needed; state it"):
        by("edge-aware", chip("814 mm2", 5), options=Options(yield_model="bose-einstein"))


def test_fab_electricity_by_country_and_year() -> None:
    per_area = [
        1000 * by("act", chip("1 cm2", 14), options=Options(fab=f"taiwan-{year}")).value for year in (2022, 2023)
    ]
    assert per_area[1] - per_area[0] == pytest.approx((642 - 583) * 1.2 / 0.875)
    with pytest.raises(EmbodiedError, match="'taiwan-2021' is not known; did you mean 'taiwan-202"):
        by("act", chip("1 cm2", 14), options=Options(fab="taiwan-2021"))
