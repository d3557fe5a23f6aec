"""Simulators that come with the package."""
