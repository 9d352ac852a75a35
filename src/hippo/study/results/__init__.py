"""What a study came to, read from its store: trials, the best of them, tables, costs, trees."""
