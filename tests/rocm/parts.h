/* SPDX-License-Identifier: MIT */
/* The parts of test-hip. */
#ifndef ROCM_PARTS_H
#define ROCM_PARTS_H

void test_device(void);
void test_memory(void);
void test_kernels(void);
void test_streams(void);
void test_events(void);
void test_graphs(void);
void test_async(void);
/* @held: its queues are held now and then */
void test_cooperative(bool held);
/* @asleep: waiting is hipDeviceScheduleBlockingSync */
void test_queues(bool asleep);
void test_pressure(void);

#endif /* ROCM_PARTS_H */
