# Problem   threads that run the same loops meet many thousand times a second, for less than it costs to wake one up.
# Given     sync (16 + 8 threads,) int64, zero before the first meeting: how many have come, from place 8 on whether
#           somebody gave up, from place 16 on how often each thread came; each on a cache line of its own.
# Returns   barrier: True as soon as all threads have come as often as this one; False if somebody gave up.
# Source    The counting barrier. A thread spins for some microseconds, then lets others run. The atomic operations
#           are sequentially consistent, so that what was written before a meeting is seen by everybody after it.
import os

from numba import njit, types
from numba.extending import intrinsic

from assay.compiled.common.flags import LENT

SPINS = 2000


def _address(context, builder, kind, array, index):
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


@intrinsic
def _add(typing, array, index, value):
    def generate(context, builder, signature, args):
        at = _address(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("add", at, args[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def _read(typing, array, index):
    def generate(context, builder, signature, args):
        at = _address(context, builder, signature.args[0], *args)
        return builder.load_atomic(at, "seq_cst", 8)

    return types.int64(array, types.int64), generate


if os.name == "posix":
    _yield = types.ExternalFunction("sched_yield", types.int32())
else:

    @njit(**LENT)
    def _yield():
        return 0


@njit(**LENT)
def barrier(sync, thread, threads):
    if threads == 1:
        return True
    mine = 16 + 8 * thread
    sync[mine] += 1
    goal = sync[mine] * threads
    _add(sync, 0, 1)
    spins = 0
    while _read(sync, 0) < goal:
        if _read(sync, 8) != 0:
            return False
        spins += 1
        if spins > SPINS:
            _yield()
    return True
