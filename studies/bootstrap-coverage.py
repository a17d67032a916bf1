#!/usr/bin/env python3
"""How often 95 % intervals of few normal replicates hold the truth: Student's t, and the percentile bootstrap.

    studies/bootstrap-coverage.py
"""
import math
import random
import statistics

CASES = 4000
RESAMPLES = 400
# Student's t, two-sided 95 %, by degrees of freedom.
T = {2: 4.303, 4: 2.776, 6: 2.447}


def student(samples: list[float]) -> tuple[float, float]:
    half = T[len(samples) - 1] * statistics.stdev(samples) / math.sqrt(len(samples))
    mean = statistics.fmean(samples)
    return mean - half, mean + half


def bootstrap(samples: list[float]) -> tuple[float, float]:
    means = sorted(statistics.fmean(random.choices(samples, k=len(samples))) for _ in range(RESAMPLES))
    tail = RESAMPLES // 40
    return means[tail - 1], means[-tail]


random.seed(1)
print(f"{'replicates':>10} {'Student':>8} {'bootstrap':>10}   of {CASES} cases")
for n in (3, 5, 7):
    drawn = [[random.gauss(0, 1) for _ in range(n)] for _ in range(CASES)]
    held = [sum(low <= 0 <= high for low, high in map(of, drawn)) / CASES for of in (student, bootstrap)]
    print(f"{n:>10} {held[0]:>8.1%} {held[1]:>10.1%}")
