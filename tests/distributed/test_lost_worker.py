"""Workers that are processes: one is killed in the middle of a fit, one answers late."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np

from assay import GaussianNB, Ridge
from assay.distributed import fit
from tests.distributed.samples import classified, content, cut, measured


def _slow(block):
    """A part of rows that takes its time, and says in which process."""
    time.sleep(0.02)
    return block


def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path):
    from distributed import Client, LocalCluster

    X, y = measured(rows=4000)
    labels = classified(rows=4000)
    expected = content(fit(Ridge(), X, y), tmp_path)
    both = content(fit(GaussianNB(), *labels), tmp_path)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        rows = cut(X, 40).map_blocks(_slow, dtype=X.dtype)
        killer = threading.Timer(0.3, os.kill, (pids[0], signal.SIGKILL))
        killer.start()
        model = fit(Ridge(), rows, cut(y, 40), client=client)
        killer.join()
        assert pids[0] not in client.run(os.getpid).values()
        assert content(model, tmp_path) == expected
        # Whatever worker there is now answers late.
        late = cut(labels[0], 3).map_blocks(_slow, dtype=float)
        assert content(fit(GaussianNB(), late, cut(labels[1], 3), client=client), tmp_path) == both
    assert np.isfinite(model.record_.distance)
