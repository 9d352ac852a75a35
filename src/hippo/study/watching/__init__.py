"""Who hears what happens to trials while a study runs: callbacks, logs, the terminal."""
