"""Cost per useful work: per device-hour and, by every method, per token, sample, iteration, FLOP or job; failures."""

from __future__ import annotations

from tco.estimation.case import Case
from tco.estimation.hardware import duration, has_duration, utilisation
from tco.formulas import cost as formulas
from tco.formulas import reliability
from tco.formulas import work as work_formulas
from tco.graph import Node
from tco.units import currency

#: What a line per unit of work takes over of what its cost says.
KEPT = ("method", "currency", "price_year", "terms", "index", "index_vintage", "provider", "term", "convention")


def add_useful(case: Case) -> None:
    """Add what useful work costs, once cost and work have their lines."""
    add_failures(case)
    graph = case.graph
    totals = [graph.named["cost.total"]] if "cost.total" in graph.named else []
    if case.cost.methods:
        totals = [
            node
            for name, node in graph.named.items()
            if name.startswith("cost.") and name.endswith(".total") and node.facts.get("method") != "acquisition"
        ]
    if not totals or not has_duration(case):
        return
    _per_device_hour(case, totals)
    done = [
        (name.removeprefix("work."), node)
        for name, node in graph.named.items()
        if name.startswith("work.") and not name.endswith("_rate") and node.value > 0
    ]
    for key, amount in done:
        for total in totals:
            name = f"{total.name}.per_{key}"
            if name not in graph.named:
                facts = {fact: total.facts[fact] for fact in KEPT if fact in total.facts}
                unit = f"{currency(total.quantity)}/{amount.unit}"
                label = f"{total.label}, per {key.replace('_', ' ')}"
                graph.line(name, work_formulas.per_work(total, amount), unit, label, by=work_formulas.per_work, **facts)
        if amount.unit == "token" and case.cost.methods and "energy.facility" in graph.named:
            result = formulas.tokens_per_power(amount, graph["energy.facility"])
            graph.line(
                f"work.{key}.per_facility_power", result, "token/(s*MW)",
                f"{key.replace('_', ' ').capitalize()}s per second and MW at the utility meter, at the load of the run",
                by=formulas.tokens_per_power,
            )  # fmt: skip


def _per_device_hour(case: Case, totals: list[Node]) -> None:
    from tco.estimation.costs.running import devices

    count = devices(case)
    if count is None or count.value <= 0:
        return
    hours = count * duration(case)
    for total in totals:
        facts = {fact: total.facts[fact] for fact in KEPT if fact in total.facts}
        case.graph.line(
            f"{total.name}.per_device_hour", work_formulas.per_work(total, hours), "money/h",
            f"{total.label}, per device and hour of the run", by=work_formulas.per_work, **facts,
        )  # fmt: skip


def add_idle(case: Case, by_use: Node | None) -> None:
    """What idle time costs: within the total, or beside it where a run is charged for its own time alone."""
    graph = case.graph
    total = graph.named.get("cost.total")
    if total is None or by_use is None or case.cost.allocation == "energy":
        return
    standing, charged = total - by_use, utilisation(case)
    beside = case.cost.allocation == "time"
    formula = formulas.idle_beside if beside else formulas.idle_part
    label = "Idle time of the nodes, " + ("beside the total: nobody is charged for it" if beside else "in the total")
    facts = {fact: total.facts[fact] for fact in KEPT if fact in total.facts}
    graph.line(
        "cost.idle", formula(standing, charged), "money", f"Memo: {label}", by=formula, memo=True,
        allocation=case.cost.allocation, **facts,
    )  # fmt: skip


def add_failures(case: Case) -> None:
    """What failures cost a run whose checkpoints are known: beside the total, as a measured run holds them already."""
    system, graph = case.system, case.graph
    names = ("system.checkpoint_interval", "system.restart_time")
    case.offered.update(names)
    stated = any(graph.is_stated(name) for name in names)
    recorded = system is not None and (system.checkpoint_interval is not None or system.restart_time is not None)
    if not (stated or recorded):
        return
    from tco.estimation.costs.capital import system_figure
    from tco.estimation.costs.running import devices

    rate = system_figure(
        case, "failure_rate", "1/year", "Failures of one accelerator per year", default="system.failure_rate"
    )
    interval = system_figure(case, "checkpoint_interval", "h", "Between two checkpoints")
    restart = system_figure(case, "restart_time", "h", "From a failure until the run works again")
    count = devices(case)
    if rate is None or count is None or not has_duration(case) or (interval is None or restart is None):
        case.miss("cost.lost_work", f"it needs {names[0]}, {names[1]}, the devices of the run and a duration")
        return
    time = duration(case)
    failures = graph.line(
        "reliability.failures", reliability.expected_failures(rate, count, time), "1", "Failures to expect in the run",
        by=reliability.expected_failures,
    )  # fmt: skip
    graph.line(
        "reliability.mtbf", reliability.mean_time_between_failures(rate, count), "h",
        "Mean time between failures of the devices of the run", by=reliability.mean_time_between_failures,
    )  # fmt: skip
    lost = graph.line(
        "reliability.lost_time", reliability.lost_time(failures, interval, restart), "h",
        "Time that failures take of the run", by=reliability.lost_time,
    )  # fmt: skip
    if "cost.total" not in graph.named:
        return
    total = graph["cost.total"]
    facts = {fact: total.facts[fact] for fact in KEPT if fact in total.facts}
    result = formulas.proportional_cost(total, reliability.lost_share(lost, time))
    graph.line(
        "cost.lost_work", result, "money",
        "Memo: work that failures undo, and restarts; in the total where the run was measured with them",
        by=formulas.proportional_cost, memo=True, **facts,
    )  # fmt: skip
