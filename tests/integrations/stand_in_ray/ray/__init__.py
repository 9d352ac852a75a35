"""As much of Ray as a function trainable sees, for tests where Ray is not installed: same modules, same names."""
