"""What a claim may state, by name: unit, and whether it is a figure that was rounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Word(NamedTuple):
    """An input of a claim.

    Attributes
    ----------
    unit
        A unit that it can be given in; ``money`` stands for any currency.
    label
        What it is.
    exact
        Whether it is a count or a convention, which no rounding hides in.
    """

    unit: str
    label: str
    exact: bool = False


VOCABULARY: Mapping[str, Word] = {
    "device_hours": Word("h", "Device-hours"),
    "node_hours": Word("h", "Node-hours"),
    "devices": Word("1", "Devices", exact=True),
    "nodes": Word("1", "Nodes", exact=True),
    "duration": Word("h", "How long it ran"),
    "device_power": Word("W", "Mean power of one device, with what else it is charged for"),
    "node_power": Word("W", "Mean power of one node"),
    "power": Word("W", "Mean power of all"),
    "rated_power": Word("W", "Rated power (TDP) of one device", exact=True),
    "power_share": Word("1", "Mean power over rated power", exact=True),
    "node_overhead": Word("1", "Node over its boards", exact=True),
    "energy": Word("kWh", "Energy of the IT equipment, PUE not in it"),
    "facility_energy": Word("kWh", "Energy with the PUE in it"),
    "idle_energy": Word("kWh", "Energy while idle, beside `energy`"),
    "pue": Word("1", "Power usage effectiveness; 1 where none is stated"),
    "intensity": Word("gCO2e/kWh", "Grid factor"),
    "wue": Word("L/kWh", "Water on site per IT energy"),
    "source_water": Word("L/kWh", "Water per energy at the meter"),
    "node_embodied": Word(
        "kgCO2e", "Embodied carbon of one node; without its devices where `device_embodied` is stated"
    ),
    "device_embodied": Word("kgCO2e", "Embodied carbon of one device"),
    "embodied_rate": Word("kgCO2e/h", "Embodied carbon per device-hour, or per node-hour"),
    "devices_per_node": Word("1", "Devices in a node", exact=True),
    "lifetime": Word("year", "Useful life of the hardware", exact=True),
    "hours_per_year": Word("h", "Hours that a year of the lifetime has; 8,760 where none are stated", exact=True),
    "utilisation": Word("1", "Share of its life for which hardware is charged; 1 where none is stated", exact=True),
    "node_price": Word("money", "Price of one node", exact=True),
    "device_price": Word("money", "Price of one device with its share of the node", exact=True),
    "network_share": Word("1", "Share of the network in the cost of nodes and network", exact=True),
    "decline": Word("1/year", "Steady decline of value, instead of a lifetime", exact=True),
    "age": Word("year", "From purchase to the run", exact=True),
    "tariff": Word("money/kWh", "Price of electricity", exact=True),
    "rental_price": Word("money/h", "Price of renting one device", exact=True),
    "index_then": Word("1", "Price index at the date of the prices", exact=True),
    "index_now": Word("1", "Price index at the date of the result", exact=True),
}

#: Energies and powers, all of which grow where a PUE is put into them.
CARRIERS = ("energy", "idle_energy", "facility_energy", "device_power", "node_power", "power", "rated_power")


def is_exact(name: str, number: str, unit: str) -> bool:
    """Whether an input is exact: by its word, or a whole number without a unit, which is a count."""
    word = VOCABULARY.get(name)
    return word.exact if word is not None else unit == "1" and number.strip().isdigit()
