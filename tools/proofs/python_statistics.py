"""Reads tables and what the rules made of them, and prints by how much scipy and statsmodels differ at most."""

import json
import sys

import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa

MOST = 1e-9
worst = {}


def compare(kind, ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        off = abs(a - b) / max(1.0, abs(b))
        worst[kind] = max(worst.get(kind, 0.0), off if np.isfinite(off) else np.inf)


def interval(centre, variance, df):
    margin = stats.t.ppf(0.975, df) * np.sqrt(variance)
    return [centre - margin, centre + margin]


for case in json.load(sys.stdin):
    kind, given, ours = case["kind"], case["given"], case["ours"]
    if kind == "mcnemar":
        fell, rose = given
        table = [[0, fell], [rose, 0]]
        compare(kind, ours, [mcnemar(table, exact=True).pvalue])
    elif kind == "paired t":
        before, after = map(np.array, given)
        found = stats.ttest_rel(after, before).confidence_interval(0.95)
        compare(kind, ours, [found.low, found.high])
    elif kind == "adjusted paired difference":
        differences, epochs = np.array(given[0]), given[1]
        added = np.append(differences, [1 / epochs, -1 / epochs])
        # Bonett & Price take the variance by n.
        compare(kind, ours, interval(added.mean(), added.var() / len(added), len(added) - 1))
    elif kind == "clusters":
        values, clusters = np.array(given[0]), np.array(given[1])
        names = np.unique(clusters)
        sizes = np.array([np.sum(clusters == name) for name in names])
        whole = sm.OLS(values, np.ones(len(values))).fit().params[0]
        left = [
            sm.OLS(values[clusters != name], np.ones(np.sum(clusters != name))).fit().params[0] for name in names
        ]
        variance = np.sum((np.array(left) - whole) ** 2)
        df = len(values) ** 2 / np.sum(sizes**2) - 1
        compare(kind, ours, [np.sqrt(variance), df, *interval(whole, variance, df)])
    elif kind == "kappa":
        both, first, second, neither = given
        found = cohens_kappa([[both, first], [second, neither]])
        compare(kind, ours, [found.kappa, found.std_kappa, found.kappa_low, found.kappa_upp])

for kind, off in worst.items():
    print(f"python {kind}: differs by {off:.1e} at most")
sys.exit(0 if worst and max(worst.values()) < MOST else 1)
