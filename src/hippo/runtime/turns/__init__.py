"""One turn: what happened becomes facts, and what follows from them instructions."""
