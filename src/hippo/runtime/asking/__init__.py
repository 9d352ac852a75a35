"""Who takes part in a turn, calls above all, and the values that go into one and come out of it."""
