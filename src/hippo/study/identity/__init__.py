"""Which study it is: its trainer, that trainer's code and arguments, and the generations and members that follow."""
