"""Computer players: they get an `Observation`, never a position, and give a legal move."""
