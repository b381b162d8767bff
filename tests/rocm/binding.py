# SPDX-License-Identifier: MIT
"""XSched's Python binding, as it is, on HIP: a stream is held and released at a level.

binding.py LEVEL: TAP. The package xsched must be found; HIP is called by ctypes, as it has no binding of its own.
"""
import ctypes
import glob
import sys
import time

from xsched import XPreemptLevel, XQueueState, XResult, XSched, XSchedulerType, XPolicyType
from xsched.hip import XSchedHip

BYTES = 1 << 22
hip = ctypes.CDLL(glob.glob("/usr/lib/*/libamdhip64.so.[0-9]")[0])
level = XPreemptLevel(int(sys.argv[1]))
count = failed = 0


def ok(good, what):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - Python, Lv{level.value}: {what}", flush=True)


def call(name, *arguments):
    error = getattr(hip, name)(*arguments)
    if error:
        sys.exit(f"{name}: {error}")


def soon(condition):
    until = time.monotonic() + 10
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


stream, memory, there = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_uint8 * BYTES)()
call("hipStreamCreateWithFlags", ctypes.byref(stream), 1)
call("hipMalloc", ctypes.byref(memory), ctypes.c_size_t(BYTES))
call("hipMemset", memory, 1, ctypes.c_size_t(BYTES))


def fill(value):
    call("hipMemsetAsync", memory, value, ctypes.c_size_t(BYTES), stream)


def idle():
    return XSched.XQueueQuery(xq) == (XResult.kXSchedSuccess, XQueueState.kQueueStateIdle)


ok(XSched.XHintSetScheduler(XSchedulerType.kSchedulerAppManaged, XPolicyType.kPolicyUnknown) == 0, "XHintSetScheduler")
res, hwq = XSchedHip.HipQueueCreate(stream.value)
ok(res == XResult.kXSchedSuccess, "HipQueueCreate")
res, xq = XSched.XQueueCreate(hwq, level, 0)
ok(res == XResult.kXSchedSuccess, "XQueueCreate")
ok(XSched.XQueueGet(hwq) == (XResult.kXSchedSuccess, xq), "XQueueGet")
ok(XSched.XQueueSetLaunchConfig(xq, 8, 4) == XResult.kXSchedErrorNotSupported, "XQueueSetLaunchConfig is not supported")
ok(XSched.XHintPriority(xq, 1) == XResult.kXSchedSuccess, "XHintPriority")
ok(idle(), "XQueueQuery: idle")
ok(XSched.XQueueSuspend(xq, 0) == XResult.kXSchedSuccess, "XQueueSuspend")
fill(2)
time.sleep(0.5)
ok(XSched.XQueueQuery(xq) == (XResult.kXSchedSuccess, XQueueState.kQueueStateReady), "what is sent then waits")
ok(XSched.XQueueResume(xq, 0) == XResult.kXSchedSuccess, "XQueueResume")
ok(soon(idle), "then it runs")
ok(XSched.XQueueWaitAll(xq) == XResult.kXSchedSuccess, "XQueueWaitAll")
call("hipMemcpy", there, memory, ctypes.c_size_t(BYTES), 2)
ok(set(there) == {2}, "and has its result")
ok(XSched.XQueueDestroy(xq) == XResult.kXSchedSuccess, "XQueueDestroy")
ok(XSched.HwQueueDestroy(hwq) == XResult.kXSchedSuccess, "HwQueueDestroy")
print(f"1..{count}")
sys.exit(failed > 0)
