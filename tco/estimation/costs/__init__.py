"""The parts of a cost: money, capital, running cost, tariffs, methods, rent, failures, useful work, whole lives."""
