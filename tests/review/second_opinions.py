"""Results of other libraries. Each library is imported on first use, because that takes a second in every test
process."""

from typing import Any


def binomtest(*args: Any, **options: Any) -> Any:
    from scipy import stats

    return stats.binomtest(*args, **options)


def permutation_test(*args: Any, **options: Any) -> Any:
    from scipy import stats

    return stats.permutation_test(*args, **options)


def cohen_kappa_score(*args: Any, **options: Any) -> float:
    from sklearn import metrics

    return metrics.cohen_kappa_score(*args, **options)
