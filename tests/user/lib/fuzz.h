/* SPDX-License-Identifier: MIT */
/*
 * The parts of test-fuzz: the grammar of the interface; programs, which are sequences of calls;
 * what runs them, and sees which code of the kernel that reached; the processes that have queues,
 * and the faults of their GPU; what the kernel's log says.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/kfd_xsched.h>

#define FUZZ_FIELDS		12	/* of a structure, at the most */
#define FUZZ_ENTRY_FIELDS	6	/* of an entry, that go in */
#define FUZZ_ENTRIES		6	/* of a call, that are written */
#define FUZZ_CALLS		40	/* of a program */
#define FUZZ_THREADS		3
#define FUZZ_CLIENTS		4
#define FUZZ_ALICE		1000	/* a user; every second client and one process are his */
#define FUZZ_LINE		49152	/* of a program as text */
#define FUZZ_MS			1000000ULL

/* ---- random numbers: fuzz_program.c -------------------------------------- */

extern uint32_t fuzz_seed;

uint32_t fuzz_below(uint32_t n);

/* ---- values and the grammar: fuzz_grammar.c ------------------------------ */

/** enum fuzz_how - what the number of a value means when the program runs */
enum fuzz_how {
	FUZZ_NUMBER,	/* itself */
	FUZZ_QUEUE,	/* id of a queue that is listed */
	FUZZ_PID,	/* of a process that has queues, or had some */
	FUZZ_PROCESS,	/* id of such a process */
	FUZZ_BUFFER,	/* an address: enum fuzz_buffer */
	FUZZ_HOWS,
};

/** enum fuzz_buffer - what an address leads to */
enum fuzz_buffer {
	FUZZ_ROOM,	/* memory of this thread */
	FUZZ_EDGE,	/* the last bytes before memory that is not there */
	FUZZ_SHARED,	/* memory that all threads write */
	FUZZ_ODD,	/* the first, and one */
	FUZZ_READ_ONLY,
	FUZZ_NOWHERE,
	FUZZ_KERNEL,	/* an address of the kernel */
	FUZZ_BUFFERS,
};

struct fuzz_value {
	uint8_t how;
	uint64_t n;
};

/**
 * struct fuzz_field - a field of a structure
 * @name: as in the header
 * @offset: in the structure
 * @size: bytes
 * @pool: what is put there, mostly
 * @pool_count: elements of @pool
 * @bits: any of them together
 */
struct fuzz_field {
	const char *name;
	size_t offset;
	size_t size;
	const struct fuzz_value *pool;
	size_t pool_count;
	bool bits;
};

/**
 * struct fuzz_kind - a kind of call
 * @name: in a program's text
 * @request: of ioctl(); 0: another call
 * @size: of its argument
 * @fields: of that
 * @count: elements of @fields
 * @entries: it has an array of struct kfd_xsched_entry
 * @weight: how often, relative to the others
 */
struct fuzz_kind {
	const char *name;
	unsigned long request;
	size_t size;
	const struct fuzz_field *fields;
	size_t count;
	bool entries;
	uint32_t weight;
};

/** enum fuzz_other - calls that are no ioctl of the interface: the first kinds, in this order */
enum fuzz_other {
	FUZZ_OPEN,	/* the client is opened anew, by root or a user */
	FUZZ_CLOSE,
	FUZZ_READ,	/* so many bytes */
	FUZZ_POLL,
	FUZZ_FORK,	/* a child makes the next calls, too, with clients of its own and ours */
	FUZZ_KILL,	/* a child, or a process that has queues */
	FUZZ_WORK,	/* such a process gets work */
	FUZZ_EJECT,	/* a client, by its number */
	FUZZ_UNKNOWN,	/* an ioctl that is not there */
	FUZZ_OTHERS,
};

extern const struct fuzz_kind fuzz_kinds[];
extern const size_t fuzz_kind_count;
extern const struct fuzz_field fuzz_entry_fields[FUZZ_ENTRY_FIELDS];

/* What is put into a field: of its pool, mostly. */
struct fuzz_value fuzz_value_of(const struct fuzz_field *field);

/* What "id" is by the "target" of an entry or a trigger. */
struct fuzz_value fuzz_id_of(uint64_t target);

/* Whether the interface documents that errno. */
bool fuzz_errno_is_known(int error);

/* ---- programs: fuzz_program.c -------------------------------------------- */

/**
 * struct fuzz_call - a call
 * @kind: of fuzz_kinds
 * @thread: which makes it
 * @client: on which file
 * @entries: elements of @entry that are written
 * @fields: of its argument, as in the grammar
 * @entry: of its array
 */
struct fuzz_call {
	uint8_t kind;
	uint8_t thread;
	uint8_t client;
	uint8_t entries;
	struct fuzz_value fields[FUZZ_FIELDS];
	struct fuzz_value entry[FUZZ_ENTRIES][FUZZ_ENTRY_FIELDS];
};

struct fuzz_program {
	unsigned int count;
	struct fuzz_call calls[FUZZ_CALLS];
};

/* One that is made up; one made of another, and of a second. */
void fuzz_program_new(struct fuzz_program *p);
void fuzz_program_change(struct fuzz_program *p, const struct fuzz_program *from,
			 const struct fuzz_program *other);

/* As a line without its end, FUZZ_LINE at the most; and back: false, if it is none. */
void fuzz_program_write(const struct fuzz_program *p, char *line);
bool fuzz_program_read(struct fuzz_program *p, const char *line);

/* ---- it runs: fuzz_run.c ------------------------------------------------- */

/**
 * struct fuzz_counts - so far
 * @calls: that were made
 * @succeeded: of each kind
 * @pcs: places of the kernel that were reached
 * @unknown: errnos that are not documented; the last one, and of which kind
 */
struct fuzz_counts {
	uint64_t calls;
	uint64_t succeeded[32];
	uint32_t pcs;
	uint32_t unknown;
	int unknown_errno;
	uint32_t unknown_kind;
};

extern struct fuzz_counts fuzz_counts;

/* Start the threads; whether the kernel says what was reached. */
bool fuzz_run_begin(void);

/* Run it: how many places it was the first to reach. */
uint32_t fuzz_run(const struct fuzz_program *p);

/* ---- what programs may name: fuzz_world.c ---------------------------------- */

void fuzz_world_begin(void);

/* Between programs. */
void fuzz_world_look(void);

/* After a failure that was planned: nobody is demoted, and each breaker is closed. */
void fuzz_world_forgive(void);

/* Whether nothing is held, though no client is open. */
bool fuzz_world_is_free(void);

void fuzz_world_end(void);

/* What a value stands for. From any thread. */
uint64_t fuzz_world_queue(uint64_t n);
uint64_t fuzz_world_pid(uint64_t n);
uint64_t fuzz_world_process(uint64_t n);

/* ---- processes with queues: fuzz_gpu.c, or fuzz_fake.c for test-fuzz-fake ---- */

#define FUZZ_PROCESSES		3
#define FUZZ_OF_ALICE		2	/* this one is a user's, the others are root's */

void fuzz_gpu_begin(void);
void fuzz_gpu_end(void);

/* Of a process, or of the last one in its place. */
pid_t fuzz_gpu_pid(unsigned int n);

/*
 * Between programs: who was killed starts anew, and now and then preemptions fail, until a reset.
 * Whether processes are others than before.
 */
bool fuzz_gpu_look(void);

/* A process is killed, or gets work. From any thread: 0 or -errno. */
int fuzz_gpu_kill(uint64_t n);
int fuzz_gpu_work(uint64_t n);

unsigned int fuzz_gpu_resets(void);

/* Whether the driver holds nothing, as far as it can be asked. */
bool fuzz_gpu_is_free(void);

/* ---- the kernel's log, and what goes to the host: fuzz_log.c ------------- */

void fuzz_log_begin(void);

/* The first line since the last call that is of a bug, or NULL. */
const char *fuzz_log_look(void);

/* Make a text an artefact of the host (see tests/vm/emit.c), in place of the one before. */
void fuzz_tell(const char *name, const char *text);

#endif /* FUZZ_H */
