"""hippo's studies where other tools look for theirs. Each module imports the tool that it is named after."""
