"""Joins records, knowledge and formulas: the run in, the estimate out."""

from tco.estimation.build import estimate
from tco.estimation.result import Estimate, Line

__all__ = ["Estimate", "Line", "estimate"]
