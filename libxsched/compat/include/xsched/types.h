/* SPDX-License-Identifier: MIT */
/*
 * Names and values of XSched, for programs that were written for it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * Their meaning for HIP on kfd_xsched is documented here, at the functions of
 * xqueue.h and hint.h, and in xsched-compat(7).
 */
#ifndef XSCHED_COMPAT_TYPES_H
#define XSCHED_COMPAT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t XDevice;
typedef uint32_t XDeviceId;
typedef uint64_t XQueueHandle;		/* never 0 */
typedef uint64_t HwQueueHandle;		/* of HIP: the stream */
typedef uint64_t HwCommandHandle;	/* never 0 */

/** enum XResult - what every function returns */
typedef enum {
	kXSchedSuccess = 0,
	/* the firmware or the GPU failed, or went away */
	kXSchedErrorHardware = 1,
	/* outside its limits, a null pointer, an unknown flag */
	kXSchedErrorInvalidValue = 2,
	/* no such handle; no device, no daemon */
	kXSchedErrorNotFound = 3,
	/* not permitted, or not in this state */
	kXSchedErrorNotAllowed = 4,
	/* has no meaning here, or the GPU lacks it */
	kXSchedErrorNotSupported = 5,
	/* the daemon answered something else */
	kXSchedErrorBadResponse = 6,
	kXSchedErrorUnknown = 999,
} XResult;

/** enum XPlatform - only kPlatformHIP is here */
typedef enum {
	kPlatformUnknown = 0,
	kPlatformVPI = 1,
	kPlatformCUDA = 2,
	kPlatformCUDLA = 3,
	kPlatformHIP = 4,
	kPlatformAscend = 5,
	kPlatformOpenCL = 6,
	kPlatformLevelZero = 7,
} XPlatform;

/** enum XDeviceType - only kDeviceTypeGPU is here */
typedef enum {
	kDeviceTypeUnknown = 0,
	kDeviceTypeCPU = 1,
	kDeviceTypeGPU = 2,
	kDeviceTypeNPU = 3,
	kDeviceTypeFPGA = 4,
	kDeviceTypeASIC = 5,
	kDeviceTypeMCA = 6,
} XDeviceType;

/**
 * enum XPreemptLevel - how soon a suspended XQueue is off the GPU at the
 * latest. A level that the stream's GPU lacks is kXSchedErrorNotSupported.
 */
typedef enum {
	kPreemptLevelUnknown = 0,
	/* Lv1: running kernels finish. Here the same as Lv2. */
	kPreemptLevelBlock = 1,
	/* Lv2: nothing new is fetched; running waves get the node's grace */
	kPreemptLevelDeactivate = 2,
	/* Lv3: running waves are saved at once */
	kPreemptLevelInterrupt = 3,
	kPreemptLevelMax,
} XPreemptLevel;

/** enum XQueueState - what XQueueQuery() says */
typedef enum {
	kQueueStateUnknown = 0,
	kQueueStateIdle = 1,
	kQueueStateReady = 2,
} XQueueState;

/** enum XQueueFeature - for source compatibility; no function takes it */
typedef enum {
	kQueueFeatureNone = 0x0000,
	kQueueFeatureAsyncSubmit = 0x0001,
	kQueueFeatureDynamicLevel = 0x0002,
	kQueueFeatureDynamicThreshold = 0x0004,
	kQueueFeatureDynamicBatchSize = 0x0008,
	kQueueFeatureSyncSuspend = 0x0010,
	kQueueFeatureResumeDropCommands = 0x0020,
	kQueueFeatureMaskAll = -1,
} XQueueFeature;

/** enum XQueueCreateFlag - for XQueueCreate() */
typedef enum {
	kQueueCreateFlagNone = 0x0000,
	kQueueCreateFlagBlockingSubmit = 0x0001,	/* not supported */
	kQueueCreateFlagMaskAll = -1,
} XQueueCreateFlag;

/** enum XQueueSuspendFlag - for XQueueSuspend() */
typedef enum {
	kQueueSuspendFlagNone = 0x0000,
	/* return when the hardware queue is quiet; always done */
	kQueueSuspendFlagSyncHwQueue = 0x0001,
	/* first let everything submitted finish */
	kQueueSuspendFlagWaitAll = 0x0002,
	kQueueSuspendFlagWaitIdle = 0x0004,	/* the same */
	kQueueSuspendFlagMaskAll = -1,
} XQueueSuspendFlag;

/** enum XQueueResumeFlag - for XQueueResume() */
typedef enum {
	kQueueResumeFlagNone = 0x0000,
	kQueueResumeFlagDropCommands = 0x0001,	/* not supported */
	kQueueResumeFlagMaskAll = -1,
} XQueueResumeFlag;

/** enum XSchedulerType - what decides which XQueues run */
typedef enum {
	kSchedulerUnknown = 0,
	kSchedulerAppManaged = 1,	/* the program, with XQueueSuspend() */
	kSchedulerLocal = 2,		/* a thread of this library */
	kSchedulerGlobal = 3,		/* xschedd */
	kSchedulerMax,
} XSchedulerType;

/** enum XPolicyType - of the local scheduler */
typedef enum {
	kPolicyUnknown = 0,
	kPolicyHighestPriorityFirst = 1,
	kPolicyHeterogeneousHighestPriorityFirst = 2,
	kPolicyCPUHighestPriorityFirst = 3,
	kPolicyUtilizationPartition = 4,
	kPolicyProcessUtilizationPartition = 5,
	kPolicyStrictProcessUtilizationPartition = 6,
	kPolicyKEarliestDeadlineFirst = 7,
	kPolicyLaxity = 8,
	kPolicyActiveWindowFirst = 9,
	kPolicyCompletelyFairScheduler = 10,
	kPolicyMultiLevelFeedbackQueue = 11,
	kPolicyMax,
} XPolicyType;

/** LaunchCallback - what an HwCommand of HwCommandCreateCallback() does */
typedef XResult (*LaunchCallback)(HwQueueHandle, void *);

/* Bigger is higher. */
typedef int32_t Priority;
#define PRIORITY_NO_EXECUTE	-256	/* held until another is set */
#define PRIORITY_MIN		-255
#define PRIORITY_DEFAULT	0
#define PRIORITY_MAX		255

/* Percent. */
typedef int32_t Utilization;
#define UTILIZATION_MIN		0
#define UTILIZATION_DEFAULT	100
#define UTILIZATION_MAX		100

/* Microseconds. */
typedef int64_t Timeslice;
#define TIMESLICE_MIN		100
#define TIMESLICE_DEFAULT	5000
#define TIMESLICE_MAX		10000000
#define TIMESLICE_UNLIMITED	UINT64_MAX	/* not supported */

/* Microseconds. */
typedef int64_t Laxity;
#define NO_LAXITY		-1

/* Microseconds. */
typedef int64_t Deadline;
#define NO_DEADLINE		-1

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_COMPAT_TYPES_H */
