"""Samples and batches whose order and chance are functions of a seed and a position."""
