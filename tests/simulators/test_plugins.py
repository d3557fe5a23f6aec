"""Simulators of others: what they may do wrong, and that the rest still answers."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tco.records.run import Run, RunPhase
from tco.records.system import System
from tco.records.workload import Workload
from tco.simulators import Answer, Options, SimulatorError, simulate
from tco.units import Q

Install = Callable[..., Path]
STRANGER = """
import os, sys, time, signal, subprocess
from pathlib import Path
from tco.records.run import Run, Utilisation
from tco.simulators import SimulatorError
from tco.units import Q

Path(__file__).with_name("loaded").write_text("yes")


class Base:
    name = "stranger"
    title = "a simulator of another package"
    settings = {"speed": "how fast"}

    def available(self, options):
        return None

    def run(self, workload, system, options):
        return Run(duration=Q(20.0 / float(options.settings.get("speed", 1)), "s"))


class Raises(Base):
    def run(self, workload, system, options):
        raise KeyError("no such layer")


class Refuses(Base):
    def run(self, workload, system, options):
        raise SimulatorError("more than 100 layers are not supported")


class Missing(Base):
    def available(self, options):
        return "needs a licence file"


class Hangs(Base):
    def run(self, workload, system, options):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
        time.sleep(30)


class Chatty(Base):
    def run(self, workload, system, options):
        print("garbage {" * 1000)
        sys.stderr.write("more garbage")
        return super().run(workload, system, options)


class Garbage(Base):
    def run(self, workload, system, options):
        return "18.03 s"


class Dies(Base):
    def run(self, workload, system, options):
        os.kill(os.getpid(), signal.SIGSEGV)


class Leaves(Base):
    def run(self, workload, system, options):
        sys.stderr.write("out of licences")
        os._exit(3)


class Slow(Base):
    def run(self, workload, system, options):
        return Run(duration=Q(9.6e15, "s"))


class TooFast(Base):
    def run(self, workload, system, options):
        return Run(duration=Q(0.001, "s"))


class NoTime(Base):
    def run(self, workload, system, options):
        return Run()


class Half:
    name = "half"


GOOD, RAISES, REFUSES, MISSING, HANGS, CHATTY = Base(), Raises(), Refuses(), Missing(), Hangs(), Chatty()
GARBAGE, DIES, LEAVES, SLOW, TOO_FAST, NO_TIME, HALF = Garbage(), Dies(), Leaves(), Slow(), TooFast(), NoTime(), Half()
"""


def ask(workload: Path, *names: str, **options: object) -> dict[str, Answer]:
    answers = simulate(workload, names, "dgx-a100", devices=64, **options)  # type: ignore[arg-type]
    return {answer.name: answer for answer in answers}


def fault(answers: Mapping[str, Answer], name: str) -> str:
    answer = answers[name]
    assert answer.run is None
    assert answer.fault is not None
    return answer.fault


def test_a_plugin_of_another_package_answers(plugin: Install, workload: Path) -> None:
    plugin(STRANGER, good="stranger:GOOD", chatty="stranger:CHATTY")
    answers = ask(workload, "good", "chatty", settings={"good": {"speed": "2"}})
    good, chatty = answers["good"].run, answers["chatty"].run
    assert good is not None
    assert chatty is not None
    assert good.duration is not None
    assert chatty.duration is not None
    assert (good.duration.m_as("s"), chatty.duration.m_as("s")) == (10, 20)
    assert good.prediction is not None
    assert good.prediction.simulator == "good"
    assert [share.kind for share in good.utilisation] == ["MFU"]  # from its time and the peak


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("RAISES", "raised KeyError: 'no such layer'"),
        ("REFUSES", "more than 100 layers are not supported"),
        ("MISSING", "needs a licence file"),
        ("GARBAGE", "returned a str, not a Run"),
        ("DIES", "ended with signal 11"),
        ("LEAVES", "ended with exit code 3: out of licences"),
        ("SLOW", "a step of 9.6e+15 s cannot be; the configuration of the simulator is wrong"),
        ("TOO_FAST", "means an MFU of 6.88e+03, and nothing computes faster than its peak"),
        ("NO_TIME", "its run has no duration"),
        ("HALF", "is no simulator: it has no title, settings, available, run"),
        ("ABSENT", "raised AttributeError: module 'stranger' has no attribute 'ABSENT'"),
    ],
)
def test_what_a_plugin_does_wrong_is_said_and_the_others_answer(
    plugin: Install, workload: Path, point: str, words: str
) -> None:
    plugin(STRANGER, bad=f"stranger:{point}")
    answers = ask(workload, "bad", "6nd")
    assert words in fault(answers, "bad")
    assert answers["6nd"].run is not None


def test_a_plugin_that_cannot_be_imported(plugin: Install, workload: Path) -> None:
    plugin("import a_package_that_is_not_there", bad="stranger:GOOD")
    assert "No module named 'a_package_that_is_not_there'" in fault(ask(workload, "bad"), "bad")


def test_a_plugin_that_hangs_is_stopped_with_what_it_started(plugin: Install, workload: Path) -> None:
    plugin(STRANGER, hangs="stranger:HANGS")
    started = time.monotonic()
    answers = ask(workload, "hangs", "8nd", time_limit_s=3)
    assert time.monotonic() - started < 15
    assert fault(answers, "hangs") == "did not answer within 3 s and was stopped"
    assert answers["8nd"].run is not None


def test_nothing_is_loaded_that_nobody_named(plugin: Install, workload: Path) -> None:
    folder = plugin(STRANGER, good="stranger:GOOD")
    ask(workload, "6nd")
    assert not (folder / "loaded").exists()
    assert "simulators: 6nd, 8nd, llm-analysis, calculon, good, or a TOML file" in fault(
        ask(workload, "goood"), "goood"
    )
    assert not (folder / "loaded").exists()
    ask(workload, "good")
    assert (folder / "loaded").exists()


def test_settings_are_checked(plugin: Install, workload: Path) -> None:
    plugin(STRANGER, good="stranger:GOOD")
    answers = ask(workload, "good", "6nd", settings={"good": {"sped": "2"}, "6nd": {"utilization": "0.4"}})
    assert "has no setting 'sped'; did you mean 'speed'?" in fault(answers, "good")
    assert "has no setting 'utilization'; did you mean 'utilisation'?" in fault(answers, "6nd")
    for value in ("0", "1.5", "nan", "forty"):
        text = fault(ask(workload, "6nd", settings={"6nd": {"utilisation": value}}), "6nd")
        assert text == f"utilisation: '{value}' is not a number above 0 and at most 1"
    with pytest.raises(SimulatorError, match="settings of '7nd', which is not run; did you mean '6nd'"):
        ask(workload, "6nd", settings={"7nd": {"utilisation": "0.4"}})


class Own:
    """A simulator as a library user might pass it."""

    name = "own"
    title = "own"
    settings: Mapping[str, str] = {}

    def available(self, options: Options) -> str | None:
        return None

    def run(self, workload: Workload, system: System, options: Options) -> Run:
        assert workload.devices == 64
        phases = (
            RunPhase(name="compute", activity="busy", duration=Q(15.0, "s")),
            RunPhase(name="bubble", activity="waiting", duration=Q(5.0, "s")),
        )
        return Run(duration=Q(20.0, "s"), phases=phases)


def test_the_run_of_one_step_becomes_that_of_the_job(workload: Path) -> None:
    workload.write_text(workload.read_text().replace("global_batch = 64", "global_batch = 64\nsteps = 30"))
    (answer,) = simulate(workload, [Own()], "dgx-a100", devices=64)
    run = answer.run
    assert run is not None
    assert run.duration is not None
    assert run.duration.m_as("s") == 600
    assert [float(phase.duration.m_as("s")) for phase in run.phases] == [450, 150]
    assert [(item.quantity, item.value) for item in run.work] == [
        ("iterations", 30),
        ("sequences", 1920),
        ("tokens", 3_932_160),
    ]
    assert (run.device_count, run.system) == (64, "dgx-a100")


def test_calculon_without_a_checkout_says_what_to_do(workload: Path, tmp_path: Path) -> None:
    text = fault(ask(workload, "calculon"), "calculon")
    assert text.startswith("needs a checkout of github.com/calculon-ai/calculon: --setting calculon.path=DIR")
    text = fault(ask(workload, "calculon", settings={"calculon": {"path": str(tmp_path)}}), "calculon")
    assert "is no checkout of github.com/calculon-ai/calculon: it has no calculon/llm/llm.py" in text


def test_the_other_package_called_calculon_is_told_apart(plugin: Install, workload: Path) -> None:
    folder = plugin("")
    info = folder / "calculon-1.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: calculon\nVersion: 1.1\n")
    text = fault(ask(workload, "calculon"), "calculon")
    assert "(the installed package 'calculon' 1.1 is an unrelated library that shares the name)" in text


#: Stands in for Calculon: the same names, and a time that tells which execution it was given.
CHECKOUT = {
    "calculon/__init__.py": "class System:\n    def __init__(self, cfg): self.cfg = cfg\n",
    "calculon/llm/__init__.py": "import psutil, pandas\nfrom .llm import Llm\n",
    "calculon/llm/llm.py": """
FIELDS = "num_procs tensor_par pipeline_par data_par tensor_par_net pipeline_par_net data_par_net batch_size"
FIELDS += " microbatch_size datatype fused_activation attention_type activation_recompute pipeline_interleaving"
FIELDS += " optimizer_sharding tensor_par_comm_type tensor_par_overlap seq_par_ag_redo data_par_overlap weight_offload"
FIELDS += " activations_offload optimizer_offload training"


class Llm:
    class Error(Exception):
        pass

    class Application:
        def __init__(self, cfg): self.cfg = cfg

    class Execution:
        @staticmethod
        def from_json(cfg):
            assert set(cfg) == set(FIELDS.split()), set(cfg) ^ set(FIELDS.split())
            return cfg

    def __init__(self, app, log): self.app = app

    def compile(self, system, exe):
        assert not any(net["must_be_filled"] for net in system.cfg["networks"])
        if exe["batch_size"] > 1000:
            raise Llm.Error("Mem tier1 needs more than it has")
        self.exe = exe

    def run(self, system): print("noise on standard output")

    def get_stats_json(self, layers):
        times = "fw bw optim_step recompute recomm_exposed bubble tp_comm_exposed pp_comm_exposed dp_comm_exposed"
        times += " fw_offload_exposed bw_offload_exposed"
        stats = {f"{name}_time": 0.0 for name in times.split()}
        stats["fw_time"] = self.app.cfg["num_blocks"] / 8
        stats["bubble_time"] = float(self.exe["tensor_par_net"] + 2 * self.exe["data_par_net"])
        total = sum(stats.values())
        rate = self.exe["batch_size"] / total
        stats.update(total_time=total, sample_rate=rate, total_efficiency=0.5, proc_mem_tier1_cap_req=1e9)
        return stats
""",
    "systems/a100_80g.json": json.dumps({"networks": [{"size": n, "must_be_filled": True} for n in (8, 65536)]}),
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/refs/heads/main": "caa4b11f8fe1fee3ba57adaacb7590d7deabd053\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in CHECKOUT.items():
        path = tmp_path / "calculon" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "calculon"


def test_calculon_is_called_from_the_checkout(checkout: Path, workload: Path) -> None:
    run = ask(workload, "calculon", settings={"calculon": {"path": str(checkout)}})["calculon"].run
    assert run is not None
    assert run.duration is not None
    assert run.duration.m_as("s") == 96 / 8 + 2  # tensor parallelism within a node, data parallelism between nodes
    assert run.tool is not None
    assert (run.tool.name, run.tool.version) == ("Calculon", "commit caa4b11f8fe1")


def test_what_calculon_cannot_do_is_said(checkout: Path, workload: Path) -> None:
    settings = {"calculon": {"path": str(checkout)}}
    original = workload.read_text()
    for old, new, words in (
        (
            "heads = 96",
            "heads = 96\nkv_heads = 8",
            "model.kv_heads: it has no heads of keys and values that are shared",
        ),
        ("heads = 96", "heads = 96\ngated = true", "model.gated: it has no gated feed-forward network"),
        ("heads = 96", "heads = 96\nexperts = 8", "model.experts: it has no experts"),
        ('recompute = "full"', "", "parallelism.recompute: is not stated; write 'none', 'selective' or 'full'"),
        ("global_batch = 64", "global_batch = 2048", "Mem tier1 needs more than it has"),
    ):
        workload.write_text(original.replace(old, new))
        assert words in fault(ask(workload, "calculon", settings=settings), "calculon")
    workload.write_text(original)
    (answer,) = simulate(workload, ["calculon"], "hgx-b200-air", devices=64, settings=settings)
    assert answer.fault is not None
    assert "has no system file for b200-180gb" in answer.fault


DESCRIPTION = """\
name = "ours"
title = "the simulator of our site"
command = ["{python}", "${{folder}}/sim.py", "--layers", "${{model.layers}}", "--devices", "${{devices}}"]
reader = "astra-sim"

[settings]
cycles = "64440"

[inputs]
"job.txt" = "${{parallelism.tensor}} ${{set.cycles}}"
"""
SCRIPT = """\
import sys
tensor, cycles = open("job.txt").read().split()
assert sys.argv[1:] == ["--layers", "96", "--devices", "64"], sys.argv
for i in range(64):
    print(f"sys[{i}] finished, {int(cycles) * 1000000} cycles, exposed communication 0 cycles.")
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    (tmp_path / "sim.py").write_text(SCRIPT)
    path = tmp_path / "ours.toml"
    path.write_text(DESCRIPTION.format(python=sys.executable))
    return path


def test_a_simulator_described_by_a_file(description: Path, workload: Path) -> None:
    run = ask(workload, str(description))["ours"].run
    assert run is not None
    assert run.duration is not None
    assert float(run.duration.m_as("s")) == pytest.approx(64.44)
    assert run.prediction is not None
    assert (run.prediction.simulator, run.prediction.pairs) == ("ours", None)
    faster = ask(workload, str(description), settings={"ours": {"cycles": "50000"}})["ours"].run
    assert faster is not None
    assert faster.duration is not None
    assert float(faster.duration.m_as("s")) == pytest.approx(50)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("${model.layers}", "${model.layer}", "'${model.layer}' is not known; did you mean 'model.layers'"),
        ('reader = "astra-sim"', 'reader = "astrasim"', "there is no reader 'astrasim'; did you mean 'astra-sim'"),
        ('reader = "astra-sim"', 'reader = "calculon"', "its output is not what the reader 'calculon' reads"),
        ('reader = "astra-sim"', 'reader = "astra-sim"\noutput = "out.csv"', "wrote no file 'out.csv'"),
        ('title = "', 'tilte = "', "'tilte' is not a field here; did you mean 'title'?"),
        ('"job.txt"', '"../job.txt"', "must be the name of a file in the scratch folder"),
        ('"--layers", ', "", "ended with exit code 1: Traceback"),
    ],
)
def test_a_description_that_is_wrong(description: Path, workload: Path, old: str, new: str, words: str) -> None:
    text = description.read_text()
    assert old in text
    description.write_text(text.replace(old, new, 1))
    answers = ask(workload, str(description), "6nd")
    name = "ours" if "ours" in answers else str(description)
    assert words in fault(answers, name)
    assert answers["6nd"].run is not None


def test_a_program_that_is_not_there(description: Path, workload: Path) -> None:
    description.write_text(description.read_text().replace(sys.executable, "no-such-simulator"))
    assert "command: there is no program 'no-such-simulator'" in fault(ask(workload, str(description)), "ours")
    assert "no such file" in fault(ask(workload, "nowhere.toml"), "nowhere.toml")


def test_no_shell_reads_the_command(description: Path, workload: Path, tmp_path: Path) -> None:
    description.write_text(description.read_text().replace("64440", f"1; touch {tmp_path}/touched"))
    fault(ask(workload, str(description)), "ours")
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    ("change", "devices", "words"),
    [
        ("", 60, "devices: 60 are not a multiple of tensor 8 x pipeline 8 x context 1 = 64"),
        ("", 128 * 3, "global_batch: 64 sequences are no multiple of 6 copies x micro-batch 1"),
        ("data = 2", 64, "parallelism.data: is 2, and 64 devices over tensor 8 x pipeline 8 x context 1 are 1"),
        ("", None, "devices: state how many, in the workload or with --devices, or parallelism.data"),
    ],
)
def test_devices_that_do_not_fit(workload: Path, change: str, devices: int | None, words: str) -> None:
    workload.write_text(workload.read_text() + change + "\n")
    with pytest.raises(SimulatorError, match=words.replace("(", r"\(")) as caught:
        simulate(workload, ["6nd"], "dgx-a100", devices=devices)
    assert str(caught.value).startswith(str(workload))
