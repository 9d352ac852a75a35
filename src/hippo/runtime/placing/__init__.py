"""Which slots there are, whose they may be, and what is to run where."""
