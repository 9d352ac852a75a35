"""A plan at work: what waits, remains and is under way on it, the lanes that are cut from it, and how facts come in."""
