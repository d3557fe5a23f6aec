"""Files of grid intensity by time: one module a source, one function that tells them apart.

>>> from tco.grid_intensity.formats import read_series
>>> series = read_series("intensity.csv", zone="UTC")  # doctest: +SKIP
"""

from tco.grid_intensity.formats.options import Reading
from tco.grid_intensity.formats.read import read_series
from tco.grid_intensity.formats.write import write_series

__all__ = ["Reading", "read_series", "write_series"]
