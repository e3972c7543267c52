"""Times over months: levels, steps and drifts of each case, and what changed with them."""
