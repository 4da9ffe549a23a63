/* SPDX-License-Identifier: MIT */
/*
 * The buffers that CUPTI fills with records. It requests one on a thread of the
 * program, and returns it on any; there we only add it to a list, since CUPTI
 * may hold its locks. Their number is limited. When all of them wait to be
 * read, CUPTI gets small ones whose records are counted and discarded, so that
 * it never waits for us, and memory is limited.
 */
#ifndef CUPTI_BUFFERS_H
#define CUPTI_BUFFERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/cupti_abi.h"

struct cupti_buffer {
	uint8_t *_Atomic bytes; /* 64-byte aligned; zeroed when CUPTI gets it */
	size_t size;
	size_t valid; /* bytes filled by CUPTI */
	void *context;
	uint32_t stream;
	_Atomic uint32_t next; /* number of the next in a list, from 1; 0:
			        * last */
};

/* Sets the function called at CUPTI's first request for a buffer. Set it
 * before. */
void cupti_buffers_on_first(void (*function)(void));

/* For cuptiActivityRegisterCallbacks(). */
cupti_request_function cupti_buffers_request;
cupti_complete_function cupti_buffers_complete;

/* Number of buffers that CUPTI has, and number of ours that it has returned. */
uint32_t cupti_buffers_out(void);
uint32_t cupti_buffers_returned(void);

/* The full buffers, oldest first; use cupti_buffers_next() for the next one.
 * NULL: none. */
struct cupti_buffer *cupti_buffers_collect(void);
struct cupti_buffer *cupti_buffers_next(const struct cupti_buffer *buffer);

/* Zeroes a buffer after reading and makes it available to CUPTI again. */
void cupti_buffers_release(struct cupti_buffer *buffer);

/* Records discarded since the last call. */
uint64_t cupti_buffers_discarded(void);

/* Returned buffers that were not ours: they are ignored. */
uint32_t cupti_buffers_foreign(void);

enum cupti_buffers_why {
	CUPTI_BUFFERS_DUE,   /* enough to read, or waiting for long */
	CUPTI_BUFFERS_FIRST, /* CUPTI has a buffer again after having none */
};

/*
 * Waits until there is work: also if CUPTI has had a buffer for `ns`, or
 * cupti_buffers_wake() was called since the last return.
 */
enum cupti_buffers_why cupti_buffers_wait(int64_t ns);
void cupti_buffers_wake(void);

#endif
