"""``tco cost``."""

from __future__ import annotations

from typing import Any

from tco.cli import cost_options, options, recipes


@recipes.takes_shared_options
def command(
    run: options.RunFile,
    price_index: cost_options.PriceIndex = None,
    price_date: cost_options.PriceDate = None,
    price_base: cost_options.PriceBase = None,
    format_: recipes.Json = "table",
    *,
    shared: dict[str, Any],
) -> None:
    """What a run costs by every method side by side: amortised, annuity, acquisition, cash-flow NPV, rental."""
    wants_json = recipes.check_format(format_)
    from tco.estimation import estimate
    from tco.estimation.costs.choice import METHODS, NO_CHOICE
    from tco.reports import costs

    asked = shared.pop("cost", NO_CHOICE)
    choice = asked._replace(
        methods=asked.methods or METHODS,
        price_index=price_index,
        price_date=price_date,
        price_base=price_base,
    )
    est = estimate(options.find_run(run), **shared, cost=choice)
    if wants_json:
        recipes.print_json(costs.to_dict(est))
    else:
        costs.show(costs.render_methods(est))
    options.print_warnings(est)
