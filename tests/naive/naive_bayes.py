"""Naive Bayes from its definition: means, variances and counts of each class, densities multiplied up in logarithms."""

from __future__ import annotations

import math

import numpy as np


def moments(X, codes, weights, classes):
    """Of each class the weight, the means and the variances, feature by feature."""
    totals, means, variances = [], [], []
    for c in range(classes):
        rows = [(x, w) for x, k, w in zip(X, codes, weights, strict=True) if k == c]
        total = math.fsum(w for _, w in rows)
        mean = [math.fsum(w * x[j] for x, w in rows) / total for j in range(X.shape[1])]
        spread = [
            math.fsum(w * (x[j] - mean[j]) ** 2 for x, w in rows) / total for j in range(X.shape[1])
        ]
        totals.append(total)
        means.append(mean)
        variances.append(spread)
    return np.array(totals), np.array(means), np.array(variances)


def gaussian_joint(x, priors, means, variances):
    """The logarithm of the joint density of one row with each class."""
    found = []
    for prior, mean, variance in zip(priors, means, variances, strict=True):
        density = [
            -0.5 * math.log(2 * math.pi * v) - (a - m) ** 2 / (2 * v)
            for a, m, v in zip(x, mean, variance, strict=True)
        ]
        found.append(math.log(prior) + math.fsum(density))
    return found


def bernoulli_counts(X, threshold, codes, weights, classes):
    """In how many rows of each class every feature is on."""
    counts, totals = np.zeros((classes, X.shape[1])), np.zeros(classes)
    for x, c, w in zip(X, codes, weights, strict=True):
        totals[c] += w
        for j, value in enumerate(x):
            if value > threshold:
                counts[c, j] += w
    return counts, totals


def bernoulli_joint(x, threshold, counts, totals, alpha):
    """The logarithm of the probability of one row together with each class."""
    found = []
    for row, total in zip(counts, totals, strict=True):
        score = math.log(total / sum(totals))
        for value, n in zip(x, row, strict=True):
            q = (n + alpha) / (total + 2 * alpha)
            score += math.log(q if value > threshold else 1 - q)
        found.append(score)
    return found
