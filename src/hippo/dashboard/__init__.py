"""A page that shows studies while they run: a process of its own, which only reads. `hippo dashboard` starts it."""
