"""Figures that cannot all be right at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.readers import read, sanity
from tco.records.run import Run

Write = Callable[[str, str | bytes], Path]


def run_of(**fields: Any) -> Run:
    return Run.model_validate({"duration": "100 s", **fields})


def codes(run: Run) -> list[str]:
    return [warning.code for warning in sanity.findings(run)]


def energy(boundary: str, joules: float, **more: Any) -> dict[str, Any]:
    return {"boundary": boundary, "value": joules, "unit": "J", **more}


def power(boundary: str, watts: float, **more: Any) -> dict[str, Any]:
    return {"boundary": boundary, "average_power": {"value": watts, "unit": "W"}, **more}


@pytest.mark.parametrize(
    ("energies", "expected"),
    [
        ([energy("node_dc", 110.0), energy("node_ac", 100.0)], ["dc-above-ac"]),
        ([energy("node_dc", 99.5), energy("node_ac", 100.0)], ["supply-efficiency"]),
        ([energy("node_dc", 94.0), energy("node_ac", 100.0)], []),
        ([energy("gpu_board", 110.0), energy("node_ac", 100.0)], ["boards-above-node"]),
        ([energy("gpu_board", 110.0), energy("node_dc", 100.0)], ["boards-above-node"]),
        ([energy("gpu_board", 90.0), energy("node_ac", 100.0)], ["wall-board-ratio"]),
        ([energy("gpu_board", 30.0), energy("node_ac", 100.0)], ["wall-board-ratio"]),
        ([energy("gpu_board", 60.0), energy("node_ac", 100.0)], []),
        ([energy("gpu_board", 30.0, device=d) for d in "ab"] + [energy("system_wall_ac", 100.0)], []),
        ([energy("gpu_board", 60.0), energy("node_ac", 100.0, method="all_in")], ["provisioned-power"]),
    ],
)
def test_energies(energies: list[dict[str, Any]], expected: list[str]) -> None:
    assert codes(run_of(energy=energies)) == expected


@pytest.mark.parametrize(
    ("powers", "expected"),
    [
        ([power("node_ac", 600, phase="idle"), power("node_ac", 500, phase="active")], ["idle-above-mean"]),
        ([power("node_ac", 100, phase="idle"), power("node_ac", 500, phase="active")], []),
        ([power("node_ac", 500), power("node_ac", 400, method="rating")], ["mean-above-rating"]),
        ([power("node_ac", 300), power("node_ac", 400, method="rating")], []),
        ([power("gpu_board", 100), power("node_ac", 90)], ["boards-above-node"]),
    ],
)
def test_powers(powers: list[dict[str, Any]], expected: list[str]) -> None:
    assert codes(run_of(power=powers)) == expected


def test_a_rating_of_a_node_is_for_all_nodes() -> None:
    readings = {"energy": [energy("node_ac", 150_000)], "nodes": 2}
    assert codes(run_of(power=[power("node_ac", 800, method="rating", scope="node")], **readings)) == []
    assert codes(run_of(power=[power("node_ac", 700, method="rating", scope="node")], **readings)) == [
        "mean-above-rating"
    ]


@pytest.mark.parametrize(("basis", "expected"), [(None, ["token-basis"]), ("output", [])])
def test_tokens_without_a_basis(basis: str | None, expected: list[str]) -> None:
    assert codes(run_of(work=[{"quantity": "tokens", "basis": basis, "value": 10}])) == expected


@pytest.mark.parametrize(
    ("rate", "length", "expected"),
    [
        (183.37, None, "183.37 token/s is what 2048 sequences in 11.17 s are"),
        (183.37, 1024, "these are sequences, not tokens"),
        (187_748.6, 1024, None),
        (187_748.6, None, None),
        (90_000, 1024, "90000 token/s is not 2048 x 1024 tokens in 11.17 s, which is 187749 token/s"),
    ],
)
def test_a_rate_against_batch_length_and_step(rate: float, length: float | None, expected: str | None) -> None:
    found = sanity.rate_finding(rate, 2048, length, 11.17, "token", "here")
    assert (found is None) is (expected is None)
    if found is not None and expected is not None:
        assert expected in found.message
        assert found.code == "rate-mismatch"


def test_every_run_that_is_read_is_checked(file: Write) -> None:
    record = {"duration": "100 s", "energy": [energy("node_dc", 110.0), energy("node_ac", 100.0)]}
    (run,) = read(file("run.json", json.dumps(record)))
    assert [warning.code for warning in run.warnings] == ["dc-above-ac"]
    assert len(run.energy) == 2  # nothing is changed or left out


def test_a_finding_stands_once() -> None:
    run = sanity.checked(run_of(work=[{"quantity": "tokens", "value": 10}]))
    assert sanity.checked(run) == run


@given(boards=st.floats(1, 1e9), ratio=st.floats(1.21, 2.49), efficiency=st.floats(0.5, 0.985))
def test_figures_that_fit_raise_nothing(boards: float, ratio: float, efficiency: float) -> None:
    wall = boards * ratio
    energies = [energy("gpu_board", boards), energy("node_ac", wall), energy("node_dc", wall * efficiency)]
    assert codes(run_of(energy=energies)) == []
