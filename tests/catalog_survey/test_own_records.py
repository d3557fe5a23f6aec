"""A user's own folder, files of pairs, and the messages for what is wrong in them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from tco.catalog.checks import check_catalog
from tco.catalog.library import read_library
from tco.catalog.pairs import as_throughput, read_pairs, read_pairs_file, select
from tco.catalog.scoring import row_text, score
from tco.errors import ReadError, RecordError, TcoError

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "catalog-guide.md"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The folder that the guide makes, from the blocks in it."""
    text = GUIDE.read_text(encoding="utf-8")
    blocks = re.findall(r"`(mine/[\w./-]+)`.*?```(?:toml|csv)\n(.*?)```", text, flags=re.S)
    assert [name for name, _ in blocks] == [
        "mine/simulators/site-model.toml",
        "mine/validations/site-model.toml",
        "mine/pairs/site-model-2026.csv",
        "mine/pairs/site-model-2026.toml",
    ]
    digest = hashlib.sha256(dict(blocks)["mine/pairs/site-model-2026.csv"].encode()).hexdigest()
    for name, content in blocks:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("SHA256", digest), encoding="utf-8", newline="")
    return tmp_path / "mine"


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="")


def errors(own: Path) -> list[str]:
    return [f"{f.where}: {f.text}" for f in check_catalog([own])[1] if f.level == "error"]


def test_the_guide_makes_a_folder_that_passes(own: Path) -> None:
    assert errors(own) == []
    library = read_library([own])
    assert library.entry("Site model").name == "site-model"
    assert [row.id for row in library.rows_of("site-model")] == ["site-model-01"]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "simulators/site-model.toml",
            "unknown",
            "unkown",
            "'unkown' is not a field here; did you mean 'unknown'?",
        ),
        ("simulators/site-model.toml", 'unknown = ["venue"]', "", "'venue' is neither given nor listed in unknown"),
        ("simulators/site-model.toml", '["venue"]', '["venue", "energy"]', "'energy' is given and listed as unknown"),
        (
            "simulators/site-model.toml",
            '["parallelism"]',
            '["moonlight"]',
            "from_memory names 'moonlight', which is no",
        ),
        ("simulators/site-model.toml", '"site-model"', '"site"', "name: 'site' is not the name of the file"),
        (
            "simulators/site-model.toml",
            'classes = ["analytical"]',
            'classes = ["magic"]',
            "classes[0]: 'magic': input should be 'analytical', 'profiling-based'",
        ),
        (
            "validations/site-model.toml",
            '"blind"',
            '"guessed"',
            "evidence: 'guessed': input should be 'fitted', 'profiled'",
        ),
        (
            "validations/site-model.toml",
            "value = 5.05",
            "value = 5.20",
            "value: 5.2, but the pairs of 'site-model-2026' give 5.0503",
        ),
        ("validations/site-model.toml", "points = 3", "points = 4", "points: 4, but the set 'site-model-2026' has 3"),
        (
            "validations/site-model.toml",
            '"site-model"',
            '"site-modle"',
            "tool: 'site-modle' has no record; did you mean 'site-model'",
        ),
        (
            "validations/site-model.toml",
            'kind = "log_ratio"',
            'kind = "pearson_r"',
            "a Pearson correlation is in '1', not in '%'",
        ),
        ("validations/site-model.toml", "value = 5.05", "value = -5.05", "a log-ratio error is never negative"),
        ("validations/site-model.toml", '"our cluster', '"FILL IN: our cluster', "reference: 'FILL IN' is still there"),
        (
            "validations/site-model.toml",
            "site-model-01",
            "calculon-01",
            "validation 'calculon-01' stands in catalog/validations/calculon.toml too",
        ),
        ("pairs/site-model-2026.csv", "1.39", "1.49", "sha256: 'site-model-2026.csv' has "),
        ("pairs/site-model-2026.toml", "rows = 3", "rows = 4", "rows: 'site-model-2026.csv' has 3 rows, not 4"),
        ("pairs/site-model-2026.toml", "site-model-2026.csv", "gone.csv", "file: there is no 'gone.csv' beside it"),
        ("pairs/site-model-2026.toml", "rows = 3", "rows = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(own: Path, file: str, old: str, new: str, message: str) -> None:
    change(own / file, old, new)
    found = errors(own)
    assert any(message in text and Path(file).name.split(".")[0] in text for text in found), found


def test_all_faults_are_found_at_once(own: Path) -> None:
    change(own / "simulators/site-model.toml", "unknown", "unkown")
    change(own / "validations/site-model.toml", "points = 3", 'points = "three"')
    found = errors(own)
    assert any("unkown" in text for text in found)
    assert any("points" in text for text in found)
    with pytest.raises(RecordError, match="'unkown' is not a field here"):
        read_library([own])


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="nowhere: is no folder"):
        read_library([tmp_path / "nowhere"])
    with pytest.raises(RecordError, match="has none of the subfolders simulators, models"):
        read_library([tmp_path])
    (tmp_path / "simulators").mkdir()
    (tmp_path / "validation").mkdir()
    with pytest.raises(RecordError, match="did you mean 'validations'"):
        read_library([tmp_path])


CSV = """predicted,measured,unit,quantity,mode,devices,config
1.3956,1.42,s,training batch time,training,8,TP8 PP1 DP1 batch 4
1.1367,1.1,s,training batch time,training,8,TP8 PP1 DP1 batch 8
18.1,18.13,s,training batch time,training,64,TP8 PP8 DP1 batch 64
,20,s,training batch time,training,64,TP8 PP8 DP1 batch 128
"""


def test_pairs_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(CSV, encoding="utf-8-sig")
    pairs = read_pairs_file(path)
    assert (len(pairs), pairs.skipped, pairs.unit) == (3, 1, "s")
    assert select(pairs, ["devices=8"]).measured == (1.42, 1.1)
    assert select(pairs, ["pp>1"]).measured == (18.13,)
    assert select(pairs, ["batch<=8", "devices!=64"]).measured == (1.42, 1.1)
    assert as_throughput(pairs).predicted == pytest.approx((4 / 1.3956, 8 / 1.1367, 64 / 18.1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prediction,measured\n1,2\n", "mine.csv: has no column 'predicted'; did you mean 'prediction'? Its columns"),
        ("predicted,measured\n1,0\n", "mine.csv:2: measured: 0 is not above zero"),
        ("predicted,measured\n1,2\n3,fast\n", "mine.csv:3: measured: 'fast' is not a number"),
        ("predicted,measured\n1,nan\n", "mine.csv:2: measured: nan is not above zero"),
        ("predicted,measured\n1\n", "mine.csv:2: does not have the 2 cells of the header"),
        ("predicted,measured\n1,2,3\n", "mine.csv:2: does not have the 2 cells of the header"),
        ("predicted,measured,unit\n1,2,s\n1,2,ms\n", "column 'unit': ms, s in one file; score one unit at a time"),
        ("predicted,measured\n", "mine.csv: has no row with a prediction and a measurement"),
        ("", "mine.csv: has no column 'predicted'. Its columns: none"),
        ('predicted,measured\n1,"2\n', "not readable as CSV"),
    ],
)
def test_pairs_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_pairs(text, "mine.csv")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("devices", "'devices' is no condition; write for instance 'devices=8'"),
        ("device=8", "has no column 'device'; did you mean 'devices'"),
        ("devices=9", "no point of mine.csv fits; 'devices' has for instance: 8, 64"),
        ("mode<3", "compares 'training' with '3'; '<' needs numbers"),
    ],
)
def test_conditions_that_cannot_be_used(condition: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        select(read_pairs(CSV, "mine.csv"), [condition])
    assert message in str(caught.value)


def test_throughput_needs_a_batch() -> None:
    with pytest.raises(ReadError, match="throughput needs the batch of each point"):
        as_throughput(read_pairs("predicted,measured\n1,2\n", "mine.csv"))


def test_a_ready_row_passes_once_it_is_filled_in(own: Path) -> None:
    scored = score(read_pairs((own / "pairs/site-model-2026.csv").read_text(), "mine.csv", unit="s"), resamples=0)
    text = row_text(scored, name="site-model-02", tool="site-model")
    (own / "validations" / "more.toml").write_text(text, encoding="utf-8")
    found = errors(own)
    assert any("more.toml" in fault and "claim" in fault for fault in found)
    for key, value in {
        "claim": "cross-check",
        "evidence": "blind",
        "quantity": "step time",
        "reference": "our cluster",
        "data": "site-2026-07",
        "source": "table 2",
        "hardware": "H100",
    }.items():
        text = re.sub(rf'^{key} = ".*"$', f'{key} = "{value}"', text, flags=re.M)
    text = re.sub(r"^modes = .*$", 'modes = ["training"]', text, flags=re.M)
    (own / "validations" / "more.toml").write_text(text, encoding="utf-8")
    assert errors(own) == []


@pytest.mark.parametrize(("where", "throughput"), [((), False), (("devices=1",), False), (("devices>1",), True)])
def test_a_row_of_a_stored_set_passes_at_once(own: Path, where: tuple[str, ...], throughput: bool) -> None:
    """With the conditions in it, the check picks the same points and finds the same value."""
    stored = read_library().pair_set("distir-fig3")
    points = select(stored.load(), where)
    scored = score(as_throughput(points) if throughput else points, resamples=0)
    text = row_text(
        scored, name="distir-99", tool="distir", metric="mape", stored=stored, where=where, throughput=throughput
    )
    (own / "validations" / "more.toml").write_text(text, encoding="utf-8")
    assert errors(own) == []
    change(own / "validations" / "more.toml", "value = ", "value = 1")
    assert any("distir-99: value" in fault for fault in errors(own))


def test_a_row_needs_a_metric_that_is_defined() -> None:
    scored = score(read_pairs(CSV, "mine.csv"), resamples=0)
    with pytest.raises(TcoError, match="metric 'mapee' is not known; did you mean 'mape'"):
        row_text(scored, name="a", tool="b", metric="mapee")
    with pytest.raises(TcoError, match="resamples -1"):
        score(read_pairs(CSV, "mine.csv"), resamples=-1)
