"""The physics and the money: pure functions on quantities, one file a domain.

Every function works alike on Pint quantities, on arrays of them, and on the nodes of a calculation graph. No parsing,
no defaults, no look-ups and no rounding happen here.
"""
