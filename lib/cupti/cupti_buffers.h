/* SPDX-License-Identifier: MIT */
/*
 * The buffers that CUPTI fills with records. It asks for one on a thread of the
 * program, and gives it back on any; there we do nothing but put it into a
 * list, since CUPTI may hold its locks. Their number is limited; when all of
 * them wait to be read, CUPTI gets small ones whose records are counted and
 * thrown away, so that it never waits for us, and the memory has a limit.
 */
#ifndef CUPTI_BUFFERS_H
#define CUPTI_BUFFERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/cupti_abi.h"

struct cupti_buffer {
	uint8_t *_Atomic
		bytes; /* 64-byte aligned; zeroed where CUPTI gets it */
	size_t size;
	size_t valid; /* what CUPTI has filled */
	void *context;
	uint32_t stream;
	_Atomic uint32_t next; /* in a list; by number, from 1; 0: the last */
};

/* Calls this when CUPTI first asks for a buffer; set before it may. */
void cupti_buffers_on_first(void (*function)(void));

/* For cuptiActivityRegisterCallbacks(). */
cupti_request_function cupti_buffers_request;
cupti_complete_function cupti_buffers_complete;

/* How many CUPTI has, and how many of ours it has ever given back. */
uint32_t cupti_buffers_out(void);
uint32_t cupti_buffers_returned(void);

/* The full ones, oldest first; then cupti_buffers_next() of each; NULL:
 * none. */
struct cupti_buffer *cupti_buffers_collect(void);
struct cupti_buffer *cupti_buffers_next(const struct cupti_buffer *buffer);

/* It is read: zeroes it, and CUPTI may have it again. */
void cupti_buffers_release(struct cupti_buffer *buffer);

/* Records that were thrown away since this was last asked. */
uint64_t cupti_buffers_discarded(void);

/* Buffers that came back and were not ours: they are left alone. */
uint32_t cupti_buffers_foreign(void);

enum cupti_buffers_why {
	CUPTI_BUFFERS_DUE,   /* there is enough to read, or it waits for long */
	CUPTI_BUFFERS_FIRST, /* CUPTI has a buffer again, after it had none */
};

/*
 * Waits until there is something to do: also where CUPTI has had a buffer for
 * `ns`, and where cupti_buffers_wake() was called since this last returned.
 */
enum cupti_buffers_why cupti_buffers_wait(int64_t ns);
void cupti_buffers_wake(void);

#endif
