"""Workbooks with live formulas: the calculation graph as cells, one cell a node, one named cell an input."""
