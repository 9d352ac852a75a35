"""A Gaussian process whose function drifts: what PB2 knows of how values and progress go together.

Bogunovic et al. 2016, "Time-Varying Gaussian Process Bandit Optimization", section 3; hyper-parameters of the kernel
by maximum likelihood on a grid, which is exact to repeat and has no starting point. Dense algebra on fewer
than a hundred observations: no library is needed for that. This module refuses to know trials and losses.

Shapes: N observations, M points, D dimensions.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: in units of the box that points lie in
LENGTH_SCALES = (0.1, 0.2, 0.4, 0.8)
#: share of the function that is forgotten in two time units: 1 - epsilon is the correlation that remains
EPSILONS = (0.003, 0.03, 0.3)
#: variances of the noise, where that of the function is 1
NOISES = (0.01, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """exp(-|x - x'|^2 / (2 l^2)) (1 - epsilon)^(|t - t'| / 2)."""

    length_scale: float
    epsilon: float
    noise: float

    def __call__(self, x: Array, t: Array, other_x: Array, other_t: Array) -> Array:
        """Return the covariances of points x (N x D) at times t (N) with others (M x D, M), as N x M."""
        import numpy as np

        squares = ((x[:, None, :] - other_x[None, :, :]) ** 2).sum(axis=2)
        ages = np.abs(t[:, None] - other_t[None, :])
        decayed: Array = np.exp(-squares / (2 * self.length_scale**2)) * (1 - self.epsilon) ** (ages / 2)
        return decayed

    def noisy(self, x: Array, t: Array) -> Array:
        """Return the covariances of noisy observations, as N x N."""
        import numpy as np

        return self(x, t, x, t) + self.noise * np.eye(len(x))


def most_likely_kernel(x: Array, t: Array, y: Array) -> Kernel:
    """Return the kernel of the grid under which observations y (N) at x (N x D), t (N) are most likely."""
    kernels = [
        Kernel(length_scale=length_scale, epsilon=epsilon, noise=noise)
        for length_scale, epsilon, noise in itertools.product(LENGTH_SCALES, EPSILONS, NOISES)
    ]
    return max(kernels, key=lambda kernel: log_likelihood(kernel, x, t, y))  # the first of equal ones


def log_likelihood(kernel: Kernel, x: Array, t: Array, y: Array) -> float:
    """Return the log marginal likelihood of observations, up to a constant."""
    import numpy as np

    lower = np.linalg.cholesky(kernel.noisy(x, t))
    whitened = np.linalg.solve(lower, y)
    return float(-0.5 * whitened @ whitened - np.log(np.diag(lower)).sum())


def posterior_mean(kernel: Kernel, x: Array, t: Array, y: Array, at_x: Array, at_t: Array) -> Array:
    """Return the expected function at points (M x D, M), given observations."""
    import numpy as np

    mean: Array = kernel(at_x, at_t, x, t) @ np.linalg.solve(kernel.noisy(x, t), y)
    return mean


def posterior_deviation(kernel: Kernel, x: Array, t: Array, at_x: Array, at_t: Array) -> Array:
    """Return the standard deviation of the function at points (M x D, M); of observations, only places count."""
    import numpy as np

    across = kernel(at_x, at_t, x, t)
    explained = (across * np.linalg.solve(kernel.noisy(x, t), across.T).T).sum(axis=1)
    deviation: Array = np.sqrt(np.maximum(1 - explained, 0))
    return deviation
