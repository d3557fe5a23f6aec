"""Typed, frozen records: the run, the hardware, the site, emission factors."""
