"""Joins records, knowledge and formulas: the run in, the estimate out."""

from tco.estimation.estimate import Estimate, Line, estimate

__all__ = ["Estimate", "Line", "estimate"]
