"""Embodied carbon: of parts, and the share of it that a run is charged for."""

from __future__ import annotations

from tco.operations import V


def die_carbon(area: V, per_area: V, die_yield: V) -> V:
    """Embodied carbon of a die.

    Parameters
    ----------
    area
        Area of the die. [length ** 2]
    per_area
        Emissions per processed area: energy, gases and materials of the fab. [carbon / length ** 2]
    die_yield
        Share of dies that are good, more than 0 and at most 1. [1]

    References
    ----------
    Gupta et al. 2022, "ACT: Designing Sustainable Computer Systems with an Architectural Carbon Modeling Tool",
    ISCA 2022, equations for logic.
    """
    return area * per_area / die_yield


def memory_carbon(capacity: V, per_capacity: V, die_yield: V) -> V:
    """Embodied carbon of memory or storage.

    Parameters
    ----------
    capacity
        Capacity; a GB is 1e9 bytes. [information]
    per_capacity
        Emissions per capacity. [carbon / information]
    die_yield
        Share of dies that are good; 1 where `per_capacity` holds it. [1]

    References
    ----------
    Gupta et al. 2022, ACT, ISCA 2022, equations for memory and storage.
    """
    return capacity * per_capacity / die_yield


def board_with_memory(memory: V, per_capacity: V, board_without_memory: V) -> V:
    """Embodied carbon of an accelerator board nobody published: its stacked memory, and a board of its kind.

    Parameters
    ----------
    memory
        Capacity of the stacked memory. [information]
    per_capacity
        Emissions per capacity of stacked memory. [carbon / information]
    board_without_memory
        Emissions of a published board of this kind without its memory. [carbon]
    """
    return memory * per_capacity + board_without_memory


def life_share(duration: V, lifetime: V, utilisation: V) -> V:
    """Share of a thing's useful life that a run takes.

    Parameters
    ----------
    duration
        How long the run held it. [time]
    lifetime
        How long it serves, more than 0. [time]
    utilisation
        Share of its life in which somebody is charged for it, more than 0 and at most 1. [1]

    Notes
    -----
    Idle time is spread over what is charged. With a utilisation of 1 this is the time share of ISO/IEC 21031
    (Software Carbon Intensity), TiR / EL. A share above 1 means a run longer than one life, and is right.

    References
    ----------
    Luccioni, Viguier, Ligozat 2023, "Estimating the Carbon Footprint of BLOOM", JMLR 24(253), section 4.1.
    ISO/IEC 21031:2024, embodied emissions.
    """
    return duration / (lifetime * utilisation)


def allocated(per_piece: V, pieces: V, nodes: V, share: V) -> V:
    """What a run is charged of the embodied carbon of a part.

    Parameters
    ----------
    per_piece
        Of one piece. [carbon]
    pieces
        Pieces in a node. [1]
    nodes
        Nodes charged to the run. [1]
    share
        Share of their life, see `life_share`. [1]
    """
    return per_piece * pieces * nodes * share
