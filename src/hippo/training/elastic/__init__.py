"""Training whose parameters, gradients and optimizers lie in pieces in several processes: `numerics="elastic"`."""
