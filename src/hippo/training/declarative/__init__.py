"""The parts of `TorchTrainer`: what its attributes say, and how models, optimizers and data are kept at that."""
