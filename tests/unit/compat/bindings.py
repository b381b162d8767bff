# SPDX-License-Identifier: MIT
"""XSched's interface from Python, as its users bind it: ctypes, and the libraries by their names.

bindings.py LIBDIR: prints what was wrong; exit status 1 if anything was.
"""
import ctypes
import sys

preempt = ctypes.CDLL(sys.argv[1] + "/libpreempt.so")
halhip = ctypes.CDLL(sys.argv[1] + "/libhalhip.so")
u64, i64, i32 = ctypes.c_uint64, ctypes.c_int64, ctypes.c_int32
PROTOTYPES = {
    "XQueueCreate": [ctypes.POINTER(u64), u64, i64, i64], "XQueueDestroy": [u64],
    "XQueueGet": [ctypes.POINTER(u64), u64], "XQueueSetPreemptLevel": [u64, i32],
    "XQueueSetLaunchConfig": [u64, i64, i64], "XQueueSubmit": [u64, u64], "XQueueWait": [u64, u64],
    "XQueueWaitAll": [u64], "XQueueQuery": [u64, ctypes.POINTER(i32)], "XQueueSuspend": [u64, i64],
    "XQueueResume": [u64, i64], "XQueueProfileHwCommandCount": [u64, ctypes.POINTER(i64)],
    "HwQueueDestroy": [u64], "HwQueueLaunch": [u64, u64], "HwQueueSynchronize": [u64], "HwCommandDestroy": [u64],
    "XHintSetScheduler": [i32, i32], "XHintPriority": [u64, i32], "XHintUtilization": [u64, i32],
    "XHintTimeslice": [i64], "XHintLaxity": [u64, i64, i32, i32], "XHintDeadline": [u64, i64],
    "XHintKDeadline": [ctypes.c_size_t]}
NOT_FOUND, NOT_ALLOWED, NOT_SUPPORTED = 3, 4, 5
wrong = []


def expect(result, function, *arguments):
    library = halhip if function == "HipQueueCreate" else preempt
    call = getattr(library, function)
    call.argtypes = PROTOTYPES.get(function, [ctypes.POINTER(u64), i64])
    call.restype = i32
    got = call(*arguments)
    if got != result:
        wrong.append(f"{function} returned {got}, not {result}")


handle, state, count = u64(9), i32(), i64()
expect(NOT_SUPPORTED, "HipQueueCreate", ctypes.byref(handle), 1)  # There is no HIP in this process.
expect(NOT_FOUND, "XQueueCreate", ctypes.byref(handle), 1, 3, 0)
expect(NOT_FOUND, "XQueueGet", ctypes.byref(handle), 1)
if handle.value:
    wrong.append("a handle was made")
for name in ("XQueueDestroy", "XQueueWaitAll", "HwQueueDestroy", "HwQueueSynchronize", "HwCommandDestroy"):
    expect(NOT_FOUND, name, 1)
for name in ("XQueueSubmit", "XQueueWait", "HwQueueLaunch"):
    expect(NOT_FOUND, name, 1, 1)
for name in ("XQueueSuspend", "XQueueResume", "XHintPriority", "XHintUtilization", "XHintDeadline"):
    expect(NOT_FOUND, name, 1, 1 if name.startswith("XHint") else 0)
expect(NOT_FOUND, "XQueueSetPreemptLevel", 1, 3)
expect(NOT_FOUND, "XQueueSetLaunchConfig", 1, 8, 4)
expect(NOT_FOUND, "XQueueQuery", 1, ctypes.byref(state))
expect(NOT_FOUND, "XQueueProfileHwCommandCount", 1, ctypes.byref(count))
expect(NOT_FOUND, "XHintLaxity", 1, 100, 0, 1)
expect(NOT_ALLOWED, "XHintTimeslice", 5000)
expect(NOT_ALLOWED, "XHintKDeadline", 1)
expect(NOT_FOUND, "XHintSetScheduler", 2, 1)  # No device,
expect(NOT_FOUND, "XHintSetScheduler", 3, 1)  # no daemon.
expect(0, "XHintSetScheduler", 1, 1)
print("\n".join(wrong))
sys.exit(bool(wrong))
