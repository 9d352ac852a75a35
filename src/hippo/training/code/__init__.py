"""The user's code as one hash: what a trainer reaches, how it travels to workers, and whether it is the same there."""
