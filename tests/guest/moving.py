# SPDX-License-Identifier: MIT
"""A Python program on XSched's interface and a stream of the stand-in for HIP.

moving.py LEVEL [ROUNDS [RESULT]]: suspend and resume at that level, then so many rounds with a hint
each; ROUNDS may be a file that ends them when it is there. RESULT: what XQueueCreate must return,
instead of making an XQueue. Exit status 1 if anything was wrong. The global scheduler
(XSCHED_SCHEDULER=GLB) decides alone: nothing is suspended by hand.
"""
import ctypes
import os
import sys
import time

SUCCESS = 0
u32, u64, i64 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64
hip = ctypes.CDLL("libkfdhip.so", mode=ctypes.RTLD_GLOBAL)
preempt = ctypes.CDLL("libpreempt.so")
halhip = ctypes.CDLL("libhalhip.so")
hip.kfdhip_spin.argtypes = [ctypes.c_void_p, u32, u32, u64]
hip.kfdhip_executed.argtypes = hip.kfdhip_clean.argtypes = hip.hipStreamSynchronize.argtypes = [ctypes.c_void_p]
hip.kfdhip_executed.restype = u64
hip.kfdhip_clean.restype = ctypes.c_bool
halhip.HipQueueCreate.argtypes = [ctypes.POINTER(u64), ctypes.c_void_p]
preempt.XQueueCreate.argtypes = [ctypes.POINTER(u64), u64, i64, i64]
preempt.XQueueSuspend.argtypes = preempt.XQueueResume.argtypes = [u64, i64]
preempt.XHintPriority.argtypes = [u64, ctypes.c_int32]
preempt.XQueueDestroy.argtypes = [u64]


def expect(what, good):
    if not good:
        print("wrong:", what)
        sys.exit(1)


def suspend_and_resume(xq, stream):
    expect("spin", hip.kfdhip_spin(stream, 4, 640, 100000000) == 0)
    expect("XQueueSuspend", preempt.XQueueSuspend(xq, 0) == SUCCESS)
    before = hip.kfdhip_executed(stream)
    time.sleep(0.3)
    expect("it rests", hip.kfdhip_executed(stream) == before)
    expect("XQueueResume", preempt.XQueueResume(xq, 0) == SUCCESS)


def main():
    level = int(sys.argv[1])
    rounds = sys.argv[2] if len(sys.argv) > 2 else "0"
    done = 0
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else SUCCESS
    stream, hwq, xq = ctypes.c_void_p(), u64(), u64()
    last = None
    expect("hipStreamCreate", hip.hipStreamCreate(ctypes.byref(stream)) == SUCCESS)
    expect("HipQueueCreate", halhip.HipQueueCreate(ctypes.byref(hwq), stream) == SUCCESS)
    got = preempt.XQueueCreate(ctypes.byref(xq), hwq, level, 0)
    expect(f"XQueueCreate: {got}", got == wanted and bool(xq.value) == (wanted == SUCCESS))
    if got == SUCCESS and os.environ.get("XSCHED_SCHEDULER") != "GLB":
        suspend_and_resume(xq, stream)
    while done < int(rounds) if rounds.isdigit() else not os.path.exists(rounds):
        done += 1
        expect("spin", hip.kfdhip_spin(stream, 4, 64, 1000000) == 0)
        expect("hipStreamSynchronize", hip.hipStreamSynchronize(stream) == SUCCESS)
        got = preempt.XHintPriority(xq, -3)
        if got != last:
            print(f"XHintPriority: {got}", flush=True)
        last = got
        time.sleep(0.01)
    expect("hipStreamSynchronize", hip.hipStreamSynchronize(stream) == SUCCESS)
    expect("every launch once and in order", hip.kfdhip_clean(stream))
    if wanted == SUCCESS:
        expect("XQueueDestroy", preempt.XQueueDestroy(xq) in (SUCCESS, last))


main()
