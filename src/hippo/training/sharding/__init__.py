"""Batches cut into shards, whose gradients are added in one order, whoever computes them."""
