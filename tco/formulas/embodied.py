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


def base_and_size(base: V, size: V, per_size: V) -> V:
    """Embodied carbon of a component as a fixed part and a part that grows with its size.

    Parameters
    ----------
    base
        Fixed part: package, board, connectors. [carbon]
    size
        Area, mass, capacity, power ... [any]
    per_size
        Emissions per size. [carbon / size]

    References
    ----------
    boaviztapi documentation, CPU (area of the dies), power supply (mass).
    """
    return base + size * per_size


def memory_of_density(base: V, capacity: V, density: V, per_area: V) -> V:
    """Embodied carbon of a memory module or a drive from the area of its dies.

    Parameters
    ----------
    base
        Fixed part. [carbon]
    capacity
        Of the module. [information]
    density
        Capacity per area of its dies. [information / length ** 2]
    per_area
        Emissions per area of its dies. [carbon / length ** 2]

    References
    ----------
    boaviztapi documentation, RAM and SSD.
    """
    return base + capacity / density * per_area


def share_of_enclosure(own: V, enclosure: V, slots: V) -> V:
    """Embodied carbon of a blade's case and its share of the enclosure.

    Parameters
    ----------
    own
        Of the case of the blade. [carbon]
    enclosure
        Of the enclosure. [carbon]
    slots
        Blades that share it. [1]
    """
    return own + enclosure / slots


def transport_carbon(mass: V, distance: V, per_mass_distance: V) -> V:
    """Emissions of moving goods.

    Parameters
    ----------
    mass
        What is moved. [mass]
    distance
        How far. [length]
    per_mass_distance
        Emissions per mass and distance of the means of transport. [carbon / (mass * length)]
    """
    return mass * distance * per_mass_distance


def share_of_longer_life(whole: V, life: V, longer_life: V) -> V:
    """What a thing is charged during its life for a rack or a building that outlives it.

    Parameters
    ----------
    whole
        Embodied carbon of what outlives it, or the share of it that the thing takes up. [carbon]
    life
        Life of the thing. [time]
    longer_life
        Life of what outlives it, more than 0. [time]
    """
    return whole * (life / longer_life)


def device_share(per_node: V, devices: V, devices_per_node: V) -> V:
    """Share of a node that a run with some of its devices is charged.

    Parameters
    ----------
    per_node
        Of the whole node, or of its devices alone. [carbon]
    devices
        Devices that the run holds. [1]
    devices_per_node
        Devices in a node. [1]
    """
    return per_node * (devices / devices_per_node)


def sci_embodied(total: V, reserved: V, lifetime: V, resources: V, all_resources: V) -> V:
    """The embodied term M of the Software Carbon Intensity: TE * (TiR / EL) * (RR / ToR).

    Parameters
    ----------
    total
        TE, embodied carbon of the hardware. [carbon]
    reserved
        TiR, time for which it is reserved. [time]
    lifetime
        EL, its expected life, more than 0. [time]
    resources
        RR, resources reserved. [1]
    all_resources
        ToR, resources there are, in the unit of `resources`. [1]

    Notes
    -----
    Idle time is charged to nobody; `life_share` with a utilisation below 1 charges it to what runs.

    References
    ----------
    ISO/IEC 21031:2024 (Green Software Foundation, SCI 1.1.0), embodied emissions.
    """
    return total * (reserved / lifetime) * (resources / all_resources)


def of_size(size: V, per_size: V) -> V:
    """Embodied carbon in proportion to a size: mass, area, capacity of a battery, power of a building.

    Parameters
    ----------
    size
        How large. [any]
    per_size
        Emissions per size. [carbon / size]
    """
    return size * per_size
