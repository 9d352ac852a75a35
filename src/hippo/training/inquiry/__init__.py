"""Why two runs of one step part: the runs of a check, and what a trainer and its process held in each."""
