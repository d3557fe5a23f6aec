"""Small outputs of simulators made for these tests: what is read from them, and what is refused and why."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.errors import ReadError
from tco.readers import ReadOptions, plugins, read
from tco.records.run import Run
from tco.testing import check_reader

Write = Callable[[str, "str | bytes"], Path]

CALCULON: dict[str, Any] = {
    "block_fw_flops": 1.0e12,
    "fw_time": 2.0,
    "bw_time": 4.0,
    "optim_step_time": 0.25,
    "recompute_time": 1.75,
    "recomm_exposed_time": 0.25,
    "bubble_time": 0.75,
    "tp_comm_exposed_time": 0.5,
    "pp_comm_exposed_time": 0.25,
    "dp_comm_exposed_time": 0.25,
    "fw_offload_exposed_time": 0,
    "bw_offload_exposed_time": 0,
    "total_time": 10.0,
    "proc_mem_tier1_cap_req": 4.0e10,
    "total_efficiency": 0.4,
    "sample_rate": 1.6,
}
SUMMARY: dict[str, Any] = {
    "batch_size_per_gpu": 1,
    "gradient_accumulation_steps": 4,
    "global_batch_size": 8,
    "seq_len": 1024,
    "total_num_gpus": 4,
    "flops_efficiency": 0.5,
    "latency_per_iter": 2.5,
}


def one(path: Path, **options: Any) -> Run:
    (run,) = read(path, options=ReadOptions(**options))
    return run


def seconds(run: Run) -> float:
    assert run.duration is not None
    return float(run.duration.m_as("s"))


def changed(data: dict[str, Any], **changes: Any) -> str:
    return json.dumps({key: value for key, value in {**data, **changes}.items() if value is not None})


def test_calculon(file: Write) -> None:
    path = file("out.json", json.dumps(CALCULON))
    run = one(path)
    assert seconds(run) == 10
    assert {phase.activity for phase in run.phases} == {"busy", "waiting"}
    assert sum(float(p.duration.m_as("s")) for p in run.phases if p.activity == "busy") == 8
    assert [(item.quantity, item.value) for item in run.work] == [("iterations", 1), ("sequences", 16)]


def test_the_execution_file_beside_a_result_is_found_by_its_name(file: Write) -> None:
    path = file("out.json", json.dumps(CALCULON))
    file("out.execution.json", json.dumps({"num_procs": 8, "batch_size": 16}))
    assert one(path).device_count == 8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bubble_time": 5.0}, r"total_time: the eleven times add up to 14\.25 s, the total is 10 s"),
        ({"total_efficiency": 1.3}, r"total_efficiency: a MFU of 1\.3 is above 1, and nothing computes faster"),
        ({"total_time": 0, **dict.fromkeys([k for k in CALCULON if k.endswith("_time")], 0)}, "0 s is no run time"),
        ({"bw_time": -4.0}, r"bw_time: -4 cannot be; it must be a finite number of at least 0"),
        ({"bubble_time": None}, r"'bubble_time' is missing; is the file complete"),
        ({"total_time": "soon"}, r"total_time: 'soon' is not a number"),
        ({"sample_rate": True}, r"sample_rate: True is not a number"),
    ],
)
def test_calculon_that_cannot_be(file: Write, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read(file("out.json", changed(CALCULON, **changes)), as_="calculon")


def test_a_result_that_was_cut_off(file: Write) -> None:
    text = json.dumps(CALCULON)
    with pytest.raises(ReadError, match=r"out\.json:1: not valid JSON: .*; was the file cut off\?"):
        read(file("out.json", text[: len(text) // 2]), as_="calculon")
    with pytest.raises(ReadError, match=r"was cut off: the compressed data end in the middle"):
        read(file("t.json.gz", gzip.compress(b"{" + b'"traceEvents":1' * 999)[:60]), as_="kineto")


@pytest.mark.parametrize("named", [("gpu0",), ("8", "9"), ("0",)])
def test_devices_of_a_result_are_a_number(file: Write, named: tuple[str, ...]) -> None:
    with pytest.raises(ReadError, match="has no devices to choose from; --devices says how many the run uses"):
        one(file("out.json", json.dumps(CALCULON)), devices=named)


def test_llm_analysis_of_one_iteration_and_of_a_training(file: Write) -> None:
    run = one(file("a-summary.json", json.dumps(SUMMARY)))
    assert (seconds(run), run.device_count) == (2.5, 4)
    whole = changed(SUMMARY, total_num_tokens=8192 * 100, total_training_latency=250.0)
    run = one(file("b-summary.json", whole))
    assert (seconds(run), run.work[0].value) == (250, 100)
    short = file("c.json", changed(SUMMARY, total_num_tokens=819200, total_training_latency=25.0))
    with pytest.raises(ReadError, match=r"is 10 iterations of 2\.5 s, and 819200 tokens in batches of 8192 are 100"):
        read(short, as_="llm-analysis")
    with pytest.raises(ReadError, match=r"flops_efficiency: a HFU of 1\.2 is above 1"):
        read(file("d.json", changed(SUMMARY, flops_efficiency=1.2)), as_="llm-analysis")


SIMAI = (
    "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, Expose_PP_comm, bubble time, "
    "total comp, total exposed comm, Total time\n"
    "x-, 10 (1.00%), 20 (2.00%), 30 (3.00%), 40 (4.00%), 0 (0.00%), 100 (10.00%), 800 (80.00%), 100 (10.00%), {total}\n"
    "layer_name,x,fwd compute\ngrad,x,-nan\n"
)


def test_simai(file: Write) -> None:
    run = one(file("x-EndToEnd.csv", SIMAI.format(total=1000)), devices=("16",))
    assert (seconds(run), run.device_count) == (pytest.approx(1e-3), 16)
    assert [round(1e6 * float(p.duration.m_as("s"))) for p in run.phases] == [800, 10, 20, 30, 40, 0, 100]
    with pytest.raises(
        ReadError, match=r":2: compute, communication and bubble add up to 1000 us, the total is 1700 us"
    ):
        read(file("y-EndToEnd.csv", SIMAI.format(total=1700)))
    with pytest.raises(ReadError, match=r"column 'Total time': nan cannot be"):
        read(file("z-EndToEnd.csv", SIMAI.format(total="-nan")))
    with pytest.raises(ReadError, match="has no summary in its second line"):
        read(file("w-EndToEnd.csv", SIMAI.partition("\n")[0]))


ASTRA = "[workload] [info] sys[{i}] finished, {cycles} cycles, exposed communication {exposed} cycles.\n"


def test_astra_sim_lasts_as_long_as_its_last_device(file: Write) -> None:
    text = "".join(ASTRA.format(i=i, cycles=1000 * (i + 1), exposed=200 * i) for i in range(4))
    run = one(file("log.txt", text))
    assert (seconds(run), run.device_count) == (pytest.approx(4e-6), 4)
    assert [float(p.duration.m_as("s")) for p in run.phases] == [pytest.approx(3.4e-6), pytest.approx(0.6e-6)]
    with pytest.raises(ReadError, match=r"sys\[1\] does not finish \(1 of 4 devices\)"):
        read(file("part.txt", text.replace("sys[1]", "sys[x]")))
    with pytest.raises(ReadError, match=r"sys\[0\] finishes twice; the log is of more than one run"):
        read(file("twice.txt", text + text))


SERVED = (
    "instance id,request id,model,input,output,arrival,end_time,latency,queuing_delay,TTFT,TPOT,ITL\n"
    '0,0,m,4,12,100,2100,2000,0,10,11,"[1, 2]"\n0,1,m,6,8,500,3500,3000,0,10,11,"[1, 2]"\n'
)
#: In the form of the summary that is printed at the end of a run with power modelling.
PRINTED = """\
\x1b[1m▶ Simulation results...\x1b[0m
Total requests:                                                     2
Total clocks (ns):                                                  4000000000
Total latency (s):                                                  4.000
Total input tokens:                                                 10
Total generated tokens:                                             20
──────────────────── Power Modeling Results ────────────────────
Total energy consumption (kJ):                                      3.00
Node 0 total energy consumption (kJ):                               {first}
├─ Base Node energy consumption (J):                                240.00
└─ NPU energy consumption (J):                                      1260.00
Node 1 total energy consumption (kJ):                               1.50
└─ NPU energy consumption (J):                                      1500.00
"""


def test_llmservingsim(file: Write) -> None:
    run = one(file("r.csv", SERVED))
    assert seconds(run) == pytest.approx(3.5e-6)
    assert [(item.quantity, item.basis, item.value) for item in run.work] == [
        ("requests", None, 2),
        ("tokens", "input", 10),
        ("tokens", "output", 20),
    ]
    with pytest.raises(ReadError, match=r":3: column 'latency': is not end_time - arrival; times are read in ns"):
        read(file("s.csv", SERVED.replace("3500,3000", "3500,3")))
    with pytest.raises(ReadError, match="was the file cut off"):
        read(file("t.csv", SERVED[:-30]))


def test_llmservingsim_energy_is_read_from_what_it_prints(file: Write) -> None:
    run = one(file("log.txt", PRINTED.format(first="1.50")))
    (energy,) = run.energy
    assert (energy.value, energy.unit, energy.method, energy.boundary) == (3.0, "kJ", "model", "node_dc")
    assert [(part.name, part.value) for part in run.results] == [
        ("Base Node energy", 240),
        ("NPU energy", 1260),
        ("NPU energy", 1500),
    ]
    assert (run.nodes, seconds(run)) == (2, 4)
    with pytest.raises(ReadError, match=r"the energies of the nodes add up to 3\.9 kJ, the total is 3 kJ"):
        read(file("other.txt", PRINTED.format(first="2.40")))


DEEPFLOW = """\
==========================
Hardware Configuration
==========================
Throughput: 125.0 Tflops

====================
Parallelism Strategy
====================
dp: 4, lp: 2, kp_hidden_dim1: 2, kp_hidden_dim2: 1,kp_softmax_dim1: 2, kp_softmax_dim2: 1

==============================================
Performance Results
==============================================
Time: {time}
"""


def test_deepflow(file: Write) -> None:
    run = one(file("summary_LLM.txt", DEEPFLOW.format(time="12.5")))
    assert (seconds(run), run.device_count) == (12.5, 16)
    assert any("unit of the time" in text for text in run.unstated)
    with pytest.raises(ReadError, match=r"summary_X\.txt:14: Time: 4e\+09 s is 127 years, which is no run time"):
        read(file("summary_X.txt", DEEPFLOW.format(time="4e9")))


def event(name: str, start: float, duration: float, category: str = "kernel", device: int = 0) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": 0,
        "ts": start,
        "dur": duration,
        "args": {"device": device, "External id": 1},
    }


def trace(*events: dict[str, Any], **fields: Any) -> str:
    return json.dumps({"schemaVersion": 1, **fields, "traceEvents": list(events)})


def test_kineto_overlap_and_exposed_communication(file: Write) -> None:
    text = trace(
        event("ProfilerStep#1", 0, 100, "user_annotation"),
        event("gemm", 10, 40),
        event("gemm", 30, 30),
        event("ncclKernel_AllReduce", 50, 30),
        event("Memcpy", 200, 5, "gpu_memcpy"),
    )
    run = one(file("trace.json", text))
    assert seconds(run) == pytest.approx(100e-6)
    assert [1e6 * float(p.duration.m_as("s")) for p in run.phases] == pytest.approx([50, 20, 30])
    assert next(r.value for r in run.results if r.name == "gpu busy") == 75
    with pytest.raises(ReadError, match="has no event of a GPU among its 1; was the profiler told"):
        read(file("cpu.json", trace(event("aten::mm", 0, 1, "cpu_op"))))
    with pytest.raises(ReadError, match="an event ends before it starts"):
        read(file("odd.json", trace(event("gemm", 5, -1))))


@given(spans=st.lists(st.tuples(st.integers(0, 99), st.integers(1, 40)), min_size=1, max_size=30))
def test_union_of_intervals_is_what_counting_each_microsecond_gives(spans: list[tuple[int, int]]) -> None:
    import numpy as np

    from tco.readers.simulators import intervals

    covered = {at for start, length in spans for at in range(start, start + length)}
    found = intervals.length(np.array([(start, start + length) for start, length in spans], dtype=float))
    assert found == len(covered)


def varint(value: int) -> bytes:
    out = b""
    while True:
        value, low = value >> 7, value & 0x7F
        out += bytes([low | (0x80 if value else 0)])
        if not value:
            return out


def message(*fields: tuple[int, int]) -> bytes:
    body = b"".join(varint(number << 3) + varint(value) for number, value in fields)
    return varint(len(body)) + body


def test_chakra_protocol_buffers_with_times(file: Write) -> None:
    head = message()
    first = message((1, 1), (3, 4), (6, 100), (7, 50))
    second = message((1, 2), (3, 7), (5, 1), (6, 140), (7, 40))
    run = one(file("trace.0.et", head + first + second))
    assert [1e6 * float(p.duration.m_as("s")) for p in run.phases] == pytest.approx([50, 30, 0])
    assert run.prediction is None
    with pytest.raises(ReadError, match="was cut off: a message of"):
        read(file("cut.0.et", (head + first + second)[:-3]))
    with pytest.raises(ReadError, match=r"a node of kind 9 is not known \(1 to 7 are\); the field numbers differ"):
        read(file("other.0.et", head + message((1, 1), (3, 9), (7, 5))))


def test_chakra_nodes_in_a_circle(file: Write) -> None:
    nodes = [{"Id": i, "NodeType": 4, "ctrlDeps": [1 - i], "data_deps": [], "runtime": 5} for i in (0, 1)]
    with pytest.raises(ReadError, match="its nodes wait for each other in a circle"):
        read(file("trace.json", json.dumps({"workload_graph": nodes})))


NSYS = """\
Generating SQLite file report1.sqlite from report1.nsys-rep
Processing [report1.sqlite] with [cuda_gpu_kern_sum.py]...

Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.0,3000,30,100.0,100.0,90,110,1.0,"void gemm<float, 4>(int, ""a"")"
25.0,1000,5,200.0,200.0,190,210,1.0,ncclDevKernel_AllReduce(ncclDevComm*)
"""


def test_nsys_holds_kernel_time_and_no_run_time(file: Write) -> None:
    run = one(file("kern.csv", NSYS))
    values = {item.name: item.value for item in run.results}
    assert values == {"kernel time": 4000, "kernels": 35, "communication share": 0.25}
    assert run.duration is None
    assert run.unstated[0].startswith("elapsed time")
    old = NSYS.replace("StdDev (ns),Name", "StdDev (ns),GridXYZ,BlockXYZ,Name").replace(",1.0,", ",1.0,1 1 1,64 1 1,")
    assert one(file("old.csv", old)).results == run.results
    plain = " Time (%)  Total Time (ns)  Instances   Name\n 75.0   3,000   30   gemm\n"
    with pytest.raises(ReadError, match="the plain-text form is not read: write nsys stats --report"):
        read(file("kern.txt", plain))


VTRAIN = (
    "\ufeff# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor parallelism,"
    "data parallelism,pipeline parallelism,iteration time (ms)\n8,32,4,1024,16,24,1024,2,2,2,{time}\n"
)


def test_vtrain(file: Write) -> None:
    run = one(file("t.csv", VTRAIN.format(time="250.5")))
    assert (seconds(run), run.device_count) == (pytest.approx(0.2505), 8)
    with pytest.raises(ReadError, match=r":2: column '# GPUs': 8 are not the product of the parallelisms, 4"):
        read(file("u.csv", VTRAIN.format(time="250.5").replace("2,2,2,", "2,1,2,")))
    with pytest.raises(ReadError, match=r":2: column 'iteration time \(ms\)': 'fast' is not a number"):
        read(file("v.csv", VTRAIN.format(time="fast")))


SAMPLES: dict[str, tuple[str, str]] = {
    "calculon": ("out.json", json.dumps(CALCULON, indent=2)),
    "llm-analysis": ("a-summary.json", json.dumps(SUMMARY)),
    "simai": ("x-EndToEnd.csv", SIMAI.format(total=1000)),
    "astra-sim": ("log.txt", "".join(ASTRA.format(i=i, cycles=1000 * (i + 1), exposed=200 * i) for i in range(4))),
    "llmservingsim": ("r.csv", SERVED),
    "vtrain": ("t.csv", VTRAIN.format(time="250")),
    "deepflow": ("summary_X.txt", DEEPFLOW.format(time="12.5")),
    "kineto": ("trace.json", trace(event("gemm", 10, 40))),
    "chakra": ("c.json", json.dumps({"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": 25}]})),
    "nsys": ("kern.csv", NSYS),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_our_readers_pass_the_public_kit(file: Write, name: str) -> None:
    path = file(*SAMPLES[name])
    check_reader(plugins.by_name(name).reader, path)
    found = plugins.most_confident(path)
    assert found is not None
    assert found.reader.name == name


def test_the_summary_of_llmservingsim_passes_the_public_kit(file: Write) -> None:
    check_reader(plugins.by_name("llmservingsim").reader, file("log.txt", PRINTED.format(first="1.50")))


def test_a_run_read_from_a_simulator_survives_being_written(file: Write, tmp_path: Path) -> None:
    run = one(file("out.json", json.dumps(CALCULON)), device_count=8.0)
    path = tmp_path / "run.json"
    path.write_text(run.to_json())
    assert read(path)[0].to_json() == run.to_json()


def test_a_run_of_no_devices_is_refused() -> None:
    from tco.errors import ReadError
    from tco.readers import ReadOptions
    from tco.readers.simulators import shared

    with pytest.raises(ReadError, match=r"out.json: the number of devices is 0; a run has at least one"):
        shared.count_of(0.0, ReadOptions(), "out.json")
