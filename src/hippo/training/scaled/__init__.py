"""Makes a `TorchTrainer`'s model narrower than its target, and trains it so that what suits it suits the target."""
