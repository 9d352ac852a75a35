"""What holds for a whole process, and what bits depend on: its generators, its settings, its environment."""
