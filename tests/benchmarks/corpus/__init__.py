"""Corpora of sessions with known truth: `build` makes one, `stores` says where its stores are."""

from __future__ import annotations

from tests.benchmarks.corpus.build import build, read_truth, stores
from tests.benchmarks.corpus.sizes import SIZES

__all__ = ["SIZES", "build", "read_truth", "stores"]
