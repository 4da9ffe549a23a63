/* SPDX-License-Identifier: MIT */
/*
 * The options that a consumer gives to a reader when it opens an input. All
 * members are 0 by default. A reader ignores what its format does not have.
 */
#ifndef READ_REQUEST_H
#define READ_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of a function's name. */
enum read_names {
	READ_NAMES_FULL,      /* demangled: "int ns::f<int>(int)" */
	READ_NAMES_SHORT,     /* "ns::f" */
	READ_NAMES_MANGLED,   /* as the linker knows it */
	READ_NAMES_QUALIFIED, /* short; of Python with its class: "C.f" */
};

/* How a device's activities are matched with the calls that caused them, in
 * traces that other programs wrote. */
enum read_join {
	READ_JOIN_AUTO,        /* whichever is right for this trace */
	READ_JOIN_EXTERNAL,    /* the op with the same "External id" */
	READ_JOIN_CORRELATION, /* the op around the call of the API */
};

struct read_request {
	enum read_names names;
	enum read_join join;
	bool trim_prefix; /* file names lose their longest trace prefix */
	bool skip_args;   /* a reader may leave out arguments */
	/* Keys of the arguments of operations, activities and instants that a
	 * reader must keep in spite of `skip_args`; the list ends with NULL.
	 * NULL: none. Borrowed until the source is closed. */
	const char *const *kept_args;
	/* A compiler's range is named after what it works on, too: "Source
	 * a.h" instead of "Source". */
	bool detailed_names;
	/* Limit of the memory that a sorting reader uses after it has read its
	 * input, for inputs that are open together. 0: no limit. */
	size_t memory_after_read_bytes;
	/* A source that reads on without giving events, as one that sorts,
	 * calls this now and then. NULL: nothing is called. */
	void (*progress)(void *user);
	void *progress_user;
};

/* To be called after the `count`th event that a source has read and not given
 * yet. */
static inline void read_request_progress(
	const struct read_request *request, uint64_t count)
{
	if (count % 16384 == 0 && request->progress != NULL)
		request->progress(request->progress_user);
}

#endif
