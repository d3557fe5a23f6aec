"""Cost of a run: its share of what was bought, what is paid by time, what it used up, and what renting would cost."""

from __future__ import annotations

from tco.operations import V


def amortised(price: V, pieces: V, share: V) -> V:
    """Straight-line share of an acquisition price, no residual value, no interest.

    Parameters
    ----------
    price
        Of one piece. [money]
    pieces
        Pieces charged to the run. [1]
    share
        Share of their life that the run takes, see `tco.formulas.embodied.life_share`. [1]
    """
    return price * pieces * share


def network_cost(node_cost: V, network_share: V) -> V:
    """Cost of the network between nodes, from its share of nodes and network together.

    Parameters
    ----------
    node_cost
        Cost of the nodes alone. [money]
    network_share
        Share of the network in the sum, at least 0 and less than 1. [1]

    References
    ----------
    Cottier et al. 2024, "The rising costs of training frontier AI models", arXiv 2405.21015, cluster interconnect.
    """
    return node_cost * network_share / (1 - network_share)


def building_cost(per_power: V, rating: V, nodes: V, share: V) -> V:
    """Share of the building with its power and cooling, by the power provisioned in it.

    Parameters
    ----------
    per_power
        Construction cost per provisioned IT power. [money/power]
    rating
        Power provisioned for one node; not what it uses. [power]
    nodes
        Nodes charged to the run. [1]
    share
        Share of the building's life that the run takes. [1]
    """
    return per_power * rating * nodes * share


def maintenance_cost(hardware_cost: V, rate: V) -> V:
    """Maintenance of the nodes, as a share of their amortised cost.

    Parameters
    ----------
    hardware_cost
        Amortised cost of the nodes. [money]
    rate
        Maintenance over amortised cost. [1]
    """
    return hardware_cost * rate


def energy_cost(facility_energy: V, tariff: V) -> V:
    """The energy part of the electricity bill.

    Parameters
    ----------
    facility_energy
        Energy at the utility meter. [energy]
    tariff
        Delivered price: energy, grid fees and levies. [money/energy]
    """
    return facility_energy * tariff


def exchanged(money: V, rate: V) -> V:
    """Money in another currency.

    Parameters
    ----------
    money
        Amount. [money of one currency]
    rate
        How much of the other currency one unit buys, at a stated date. [money/money]
    """
    return money * rate


def repriced(money: V, index_then: V, index_now: V) -> V:
    """Money of one date at the price level of another.

    Parameters
    ----------
    money
        Amount, or price. [money]
    index_then
        Price index at the date of the amount. [1]
    index_now
        The same index, of the same vintage, at the date wanted. [1]

    Notes
    -----
    Statistical offices revise an index: levels of two vintages must not meet.
    """
    return money * (index_now / index_then)


def net_price(price: V, residual: V) -> V:
    """Price less what is got for the thing at the end of its life.

    Parameters
    ----------
    price
        Of one piece. [money]
    residual
        Share of the price that is got. [1]
    """
    return price * (1 - residual)


def net_present_price(price: V, residual: V, late: V) -> V:
    """Price less the present value of what is got for the thing at the end of its life.

    Parameters
    ----------
    price
        Of one piece. [money]
    residual
        Share of the price that is got. [1]
    late
        Present worth of one unit at the end of the life. [1]
    """
    return price * (1 - residual * late)


def annuity_cost(price: V, factor: V, pieces: V, share: V) -> V:
    """A run's share of a price that is repaid with interest over the life.

    Parameters
    ----------
    price
        Of one piece, present value of the residual off. [money]
    factor
        All payments over the price, see `tco.formulas.finance.financing_factor`. [1]
    pieces
        Pieces charged to the run. [1]
    share
        Share of their life that the run takes. [1]
    """
    return price * factor * pieces * share


def acquisition_cost(price: V, pieces: V) -> V:
    """What must be paid to have the pieces that a run needs, whatever it then takes of their life.

    Parameters
    ----------
    price
        Of one piece. [money]
    pieces
        Pieces. [1]
    """
    return price * pieces


def present_share(cost: V, worth: V) -> V:
    """A run's share of the present value of what is paid evenly over the life of a system.

    Parameters
    ----------
    cost
        What the run is charged when each amount counts as it is paid. [money]
    worth
        Mean present worth of one unit over the life, see `tco.formulas.finance.mean_present_worth`. [1]
    """
    return cost * worth


def proportional_cost(cost: V, rate: V) -> V:
    """Cost that is a share of another: installation, levies.

    Parameters
    ----------
    cost
        The other. [money]
    rate
        Share of it. [1]
    """
    return cost * rate


def paid_time(duration: V, utilisation: V) -> V:
    """How long a run must pay for what its nodes cost by time: its own time, and its part of their idle time.

    Parameters
    ----------
    duration
        Of the run. [time]
    utilisation
        Share of the life in which somebody is charged. [1]
    """
    return duration / utilisation


def time_by_energy(energy: V, power: V, nodes: V) -> V:
    """How long a run must pay for what its nodes cost by time, by the energy it uses of what they use.

    Parameters
    ----------
    energy
        Of the run, at the IT boundary. [energy]
    power
        Mean power of one node over its life. [power]
    nodes
        Nodes charged to the run. [1]
    """
    return energy / (power * nodes)


def share_of_other_life(time: V, lifetime: V) -> V:
    """Share of a life of its own that a run takes of a thing: building, cooling, drives.

    Parameters
    ----------
    time
        How long the run pays, see `paid_time`. [time]
    lifetime
        Life of the thing. [time]
    """
    return time / lifetime


def share_by_energy(energy: V, power: V, nodes: V, lifetime: V) -> V:
    """Share of the life of nodes that a run takes, by the energy it uses of what they use in their life.

    Parameters
    ----------
    energy
        Of the run, at the IT boundary. [energy]
    power
        Mean power of one node over its life. [power]
    nodes
        Nodes charged to the run. [1]
    lifetime
        Of the nodes. [time]
    """
    return energy / (power * nodes * lifetime)


def cost_by_power(price: V, rating: V, nodes: V, time: V) -> V:
    """What is paid by provisioned power and time: facility operation, colocation.

    Parameters
    ----------
    price
        Per power and time. [money/(power*time)]
    rating
        Power provisioned for one node; not what it uses. [power]
    nodes
        Nodes charged to the run. [1]
    time
        How long the run pays. [time]
    """
    return price * rating * nodes * time


def staff_cost(staff: V, salary: V, rating: V, nodes: V, time: V) -> V:
    """Staff by provisioned power.

    Parameters
    ----------
    staff
        Full-time equivalents per provisioned power. [staff/power]
    salary
        Of one, with all that an employer pays. [money/(staff*time)]
    rating
        Power provisioned for one node. [power]
    nodes
        Nodes charged to the run. [1]
    time
        How long the run pays. [time]
    """
    return staff * salary * rating * nodes * time


def cost_by_price(price: V, rate: V, nodes: V, time: V) -> V:
    """What is paid as a share of the purchase price and by time: support contracts, insurance.

    Parameters
    ----------
    price
        Of one node. [money]
    rate
        Share of it per time. [1/time]
    nodes
        Nodes charged to the run. [1]
    time
        How long the run pays. [time]
    """
    return price * rate * nodes * time


def cost_by_node(price: V, nodes: V, time: V) -> V:
    """What is paid by node and time: licences.

    Parameters
    ----------
    price
        Per node and time. [money/time]
    nodes
        Nodes charged to the run. [1]
    time
        How long the run pays. [time]
    """
    return price * nodes * time


def floor_cost(price: V, area: V, nodes: V, time: V) -> V:
    """Floor space at a virtual price.

    Parameters
    ----------
    price
        Per area and time. [money/(area*time)]
    area
        Of one node with the space around it. [area]
    nodes
        Nodes charged to the run. [1]
    time
        How long the run pays. [time]
    """
    return price * area * nodes * time


def water_cost(water: V, price: V) -> V:
    """Water used on site.

    Parameters
    ----------
    water
        Volume. [volume]
    price
        With the charge for what is let off. [money/volume]
    """
    return water * price


def carbon_cost(emissions: V, price: V) -> V:
    """Emissions at a price: one that is paid, or the damage that they do.

    Parameters
    ----------
    emissions
        Of the run. [carbon]
    price
        Per emissions. [money/carbon]
    """
    return emissions * price


def rental_cost(price: V, devices: V, duration: V) -> V:
    """Rent of devices for a run.

    Parameters
    ----------
    price
        Per device and time. [money/time]
    devices
        Devices held. [1]
    duration
        How long. [time]
    """
    return price * devices * duration


def committed_price(price: V, discount: V) -> V:
    """Price with the discount of a commitment.

    Parameters
    ----------
    price
        On demand. [money/time]
    discount
        Off it. [1]
    """
    return price * (1 - discount)


def committed_cost(price: V, devices: V, duration: V, use: V) -> V:
    """Rent of devices that are paid for the whole term of a commitment and used for a part of it.

    Parameters
    ----------
    price
        Per device and time. [money/time]
    devices
        Devices held. [1]
    duration
        Of the run. [time]
    use
        Share of the term in which somebody is charged. [1]
    """
    return price * devices * duration / use


def break_even_utilisation(standing: V, utilisation: V, rental: V, running: V) -> V:
    """Utilisation from which owning costs a run less than renting.

    Parameters
    ----------
    standing
        What owning costs whether used or not, as the run is charged of it. [money]
    utilisation
        At which it is charged so. [1]
    rental
        What renting costs the run. [money]
    running
        What owning costs by use alone: electricity, water. [money]

    Notes
    -----
    The standing part goes with 1 / utilisation, the others do not. Above 1, renting is always cheaper.
    """
    return standing * utilisation / (rental - running)


def idle_part(standing: V, utilisation: V) -> V:
    """Part of the standing cost that pays for idle time.

    Parameters
    ----------
    standing
        What is paid whether used or not, idle time spread over what is charged. [money]
    utilisation
        Share of the life in which somebody is charged. [1]
    """
    return standing * (1 - utilisation)


def idle_beside(standing: V, utilisation: V) -> V:
    """What the idle time beside a run costs, where the run is charged for its own time alone.

    Parameters
    ----------
    standing
        What is paid whether used or not, for the time of the run. [money]
    utilisation
        Share of the life in which somebody is charged. [1]
    """
    return standing * (1 - utilisation) / utilisation


def payback_difference(kept: V, bought: V) -> V:
    """By how much keeping has become dearer, or dirtier, than buying.

    Parameters
    ----------
    kept
        Of keeping, up to a time. [any]
    bought
        Of buying, up to the same time. [as kept]
    """
    return kept - bought


def abatement_price(more_money: V, less_carbon: V) -> V:
    """Carbon price from which a change pays.

    Parameters
    ----------
    more_money
        What the change costs more, in present value. [money]
    less_carbon
        What it emits less. [carbon]
    """
    return more_money / less_carbon


def tokens_per_power(tokens: V, facility_energy: V) -> V:
    """Tokens per time and power at the utility meter.

    Parameters
    ----------
    tokens
        Of the run, of a stated basis. [token]
    facility_energy
        At the utility meter, while they were made. [energy]
    """
    return tokens / facility_energy
