"""Scripts that run in a Python of their own; they import nothing of this package."""
