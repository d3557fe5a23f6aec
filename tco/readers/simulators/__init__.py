"""Readers of what simulators and profilers write: times, not powers."""
