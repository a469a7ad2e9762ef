"""Nearest neighbours against SciPy's kd-tree, scikit-learn and faiss, at equal answers.

With --costs: what a tree and what all rows cost by n and d, and the fits that algorithm="auto" goes by.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
from measure import line, race
from scipy.spatial import cKDTree
from sklearn import neighbors
from threadpoolctl import threadpool_limits

from assay import KNeighborsClassifier
from assay.learners.neighbors.scan_index import ScanIndex
from assay.learners.neighbors.screen_index import ScreenIndex
from assay.learners.neighbors.space import Space
from assay.learners.neighbors.tree_index import TreeIndex

K = 5


def start_with_the_best_kernels() -> None:
    """The BLAS that faiss brings along does not know newer processors, and takes kernels of 2004 for them."""
    told = Path("/proc/cpuinfo")
    if "OPENBLAS_CORETYPE" in os.environ or not told.exists():
        return
    if "avx512f" in told.read_text(encoding="utf-8"):
        os.environ["OPENBLAS_CORETYPE"] = "SKYLAKEX"
        os.execv(sys.executable, [sys.executable, *sys.argv])


def trees() -> None:
    """Two threads each; the model's own call, checks of the input included."""
    for rows, features, asked in ((200_000, 3, 50_000), (100_000, 8, 20_000)):
        rng = np.random.default_rng(0)
        X, Q = rng.normal(size=(rows, features)), rng.normal(size=(asked, features))
        peer = cKDTree(X)
        labels = np.arange(rows) % 2
        ours = KNeighborsClassifier(K, algorithm="kd_tree", n_jobs=2).fit(X, labels)
        far, near = ours.kneighbors(Q)
        their_far, their_near = peer.query(Q, K, workers=2)
        same = (near == their_near).mean()
        assert np.allclose(far, their_far, rtol=1e-12)
        print(f"kd-tree, {rows} x {features}, {asked} queries: same neighbours in {same:.2%}")
        best = race(
            {
                "assay": lambda m=ours, q=Q: m.kneighbors(q),
                "peer": lambda t=peer, q=Q: t.query(q, K, workers=2),
                "our build": lambda x=X: TreeIndex(Space("euclidean", x), 32),
                "build": lambda x=X: cKDTree(x),
            },
            7,
        )
        line("  queries, 2 threads", best["assay"], best["peer"], "cKDTree", 1.8)
        line("  build, 1 thread", best["our build"], best["build"], "cKDTree", 0.9)


def faiss_index(X):
    """faiss, if it is installed."""
    try:
        import faiss
    except ImportError:
        print("faiss-cpu is not installed: no comparison with it")
        return None
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return index


def all_rows() -> None:
    """One thread each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 128)).astype(np.float32)
    Q = rng.normal(size=(2000, 128)).astype(np.float32)
    labels = np.arange(len(X)) % 2
    index = faiss_index(X)
    with threadpool_limits(1):
        ours = KNeighborsClassifier(K, algorithm="brute").fit(X, labels)
        peer = neighbors.KNeighborsClassifier(K, algorithm="brute").fit(X, labels)
        near = ours.kneighbors(Q, return_distance=False)
        same = (near == peer.kneighbors(Q, return_distance=False)).mean()
        print(
            f"all rows, 50000 x 128, single precision, 2000 queries: same neighbours in {same:.2%}"
        )
        runs = {"assay": lambda: ours.kneighbors(Q), "scikit-learn": lambda: peer.kneighbors(Q)}
        if index is not None:
            print(f"  as faiss in {(near == index.search(Q, K)[1]).mean():.2%}")
            runs["faiss"] = lambda: index.search(Q, K)
        best = race(runs, 5)
        line("  queries, 1 thread", best["assay"], best["scikit-learn"], "scikit-learn", 1.8)
        if index is not None:
            line("  queries, 1 thread", best["assay"], best["faiss"], "faiss", 0.85)


def seconds(run, repeats=15):
    """The best processor time of several turns: one thread, so that others on the machine count little."""
    best = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        run()
        best = min(best, time.process_time() - begun)
    return best


def costs() -> None:
    rng = np.random.default_rng(0)
    tree, product, pair = [], [], []
    with threadpool_limits(1):
        for n in (2000, 20_000, 100_000):
            for d in (2, 4, 8, 12, 16, 24):
                X, Q = rng.normal(size=(n, d)), rng.normal(size=(1024, d))
                space = Space("euclidean", X)
                one, all_of_them = TreeIndex(space, 32), ScreenIndex(space, K)
                flat = ScanIndex(Space("manhattan", X))
                _, _, nodes, blocks = one.counted(Q, K)
                runs = {
                    "tree": lambda i=one, q=Q: i.nearest(q, K),
                    "products": lambda i=all_of_them, q=Q: i.nearest(q, K),
                    "pairs": lambda i=flat, q=Q: i.nearest(q, K),
                }
                each = {name: 1e9 * seconds(run) / len(Q) for name, run in runs.items()}
                tree.append((nodes / len(Q), blocks / len(Q), d * blocks / len(Q), each["tree"]))
                product.append((1, n, n * d, each["products"]))
                pair.append((1, n, n * d, each["pairs"]))
                told = ", ".join(f"{name} {1e-3 * ns:.1f} us" for name, ns in each.items())
                print(
                    f"n = {n}, d = {d}: {nodes / len(Q):.0f} nodes, {blocks / len(Q):.0f} blocks; {told}"
                )
    for name, rows in (("tree", tree), ("products", product), ("pairs", pair)):
        A = np.array(rows, dtype=float)
        # Relative errors count, so that small times are fitted as well.
        fit, *_ = np.linalg.lstsq(A[:, :-1] / A[:, -1:], np.ones(len(A)), rcond=None)
        print(f"{name}: ns per example = {np.round(fit, 4).tolist()}")


if __name__ == "__main__":
    start_with_the_best_kernels()
    start = time.perf_counter()
    if "--costs" in sys.argv:
        costs()
    else:
        trees()
        all_rows()
    print(f"({time.perf_counter() - start:.0f} s)")
