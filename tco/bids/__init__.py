"""Tenders and bids: reading them, what each costs and emits over its life, points, rank, and how stable the rank is."""

from __future__ import annotations

from tco.bids.evaluation import Evaluation, evaluate
from tco.bids.reading import read_bid, read_tender
from tco.bids.records import Bid, Tender

__all__ = ["Bid", "Evaluation", "Tender", "evaluate", "read_bid", "read_tender"]
