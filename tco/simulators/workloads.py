"""What the built-in simulators ask of a workload: its parameters, operations, and the peak of its devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tco.catalog import performance as known
from tco.formulas import performance as formulas
from tco.simulators.base import Options, SimulatorError
from tco.units import Q, Quantity, read_quantity

if TYPE_CHECKING:
    from tco.records.system import System
    from tco.records.workload import Workload

#: The published peaks are of these.
_HALF = ("fp16", "bf16")


def _plain(number: float) -> Any:
    """A plain number as a quantity."""
    return Q(float(number), "1")


def parameters(workload: Workload, *, active: bool = True) -> Quantity:
    """Parameters of the model: those that a token passes, or all."""
    model = workload.model
    hidden = _plain(model.hidden)
    block = formulas.block_parameters(
        hidden,
        _plain(model.kv_width),
        _plain(model.inner),
        _plain(3 if model.gated else 2),
        _plain(model.active_experts if active else model.experts),
    )
    positions = _plain(model.sequence if model.learned_positions else 0)
    total: Quantity = formulas.model_parameters(
        _plain(model.layers), block, hidden, _plain(model.vocabulary), positions
    )
    return total


def operations(workload: Workload, *, with_recomputation: bool = False) -> Quantity:
    """Floating-point operations of one step: 6 N D, or 8 N D."""
    name = "operations.with_recomputation" if with_recomputation else "operations.forward_backward"
    per_parameter: Any = known.baseline(name).quantity("FLOP/token")
    count: Any = parameters(workload)
    tokens: Any = Q(workload.tokens_per_step, "token")
    total: Quantity = formulas.training_operations(count, tokens, per_parameter)
    return total


def peak_of(workload: Workload, system: System, options: Options) -> Quantity:
    """Peak of one device in the precision of the workload.

    Raises
    ------
    SimulatorError
        If it is neither set nor published.
    """
    text = options.settings.get("peak")
    if text is not None:
        try:
            return read_quantity(text, "FLOP/s")
        except ValueError as error:
            raise SimulatorError(f"peak: {error}") from None
    peak = published_peak(workload, system)
    if peak is None:
        of = system.accelerator or f"system '{system.name}'"
        raise SimulatorError(
            f"no peak of {of} in {workload.precision} is known; set it, for instance peak='989 TFLOP/s'"
        )
    return peak


def published_peak(workload: Workload, system: System) -> Quantity | None:
    """Published dense peak of the accelerator of a system; None where there is none in this precision."""
    if workload.precision not in _HALF or system.accelerator is None:
        return None
    figure = known.peak(system.accelerator)
    return None if figure is None else figure.quantity("FLOP/s")
