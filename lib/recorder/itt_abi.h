/* SPDX-License-Identifier: MIT */
/*
 * The part that we use of the interface between Intel's ittnotify and a
 * collector that it loads; 64-bit Linux only. Source: ittnotify 3.22
 * (github.com/intel/ittapi), ittnotify_config.h and ittnotify.h. Later versions
 * add fields only at the end.
 */
#ifndef ITT_ABI_H
#define ITT_ABI_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* The collector decides the use of `reserved`. */
struct itt_domain {
	volatile int flags; /* 0: programs skip its calls */
	const char *name;
	void *wide;
	int reserved;
	void *reserved_pointer;
	struct itt_domain *next;
};

struct itt_string {
	const char *text;
	void *wide;
	int reserved;
	void *reserved_pointer;
	struct itt_string *next;
};

/* Passed by value; all 0: none. */
struct itt_id {
	unsigned long long low;
	unsigned long long high;
	unsigned long long more;
};

enum itt_type {
	ITT_U64 = 1,
	ITT_S64 = 2,
	ITT_U32 = 3,
	ITT_S32 = 4,
	ITT_U16 = 5,
	ITT_S16 = 6,
	ITT_FLOAT = 7,
	ITT_DOUBLE = 8,
};

/* One function of the program's list, which ends with a name of NULL. */
struct itt_function {
	const char *name; /* "__itt_task_begin" */
	void **pointer;   /* what the program calls */
	void *initial;
	void *otherwise; /* for `pointer` if the collector lacks it */
	int group;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long version[3];
	volatile long state[3];
	pthread_mutex_t lock;
	void *handle; /* of the collector */
	void *error_handler;
	const char **path;
	struct itt_function *functions;
	struct itt_global *next;
	void *threads;
	struct itt_domain *domains;
	struct itt_string *strings;
	int collection; /* 0: going on */
	void *more[8];  /* for later versions */
};

#define ITT_MAGIC \
	{ \
		0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30 \
	}
#define ITT_VERSION 3, 22, 20180723

_Static_assert(
	offsetof(struct itt_global, functions) == 80 + sizeof(pthread_mutex_t),
	"as ittnotify lays it out");

#endif
