/* SPDX-License-Identifier: MIT */
/* The link between the fake libcuda, where events happen, and the fake
 * libcupti, which reports them: NVIDIA's libraries have such a private link,
 * too. */
#ifndef FAKE_LINK_H
#define FAKE_LINK_H

#include "fake.h"
#include "fake_abi.h"

/* A call that begins or returns. */
struct fake_call {
	uint32_t domain, cbid;
	uint32_t correlation;
	bool noise;
	int64_t start_ns; /* on CUPTI's clock */
	uint64_t slot;
	int result;
};

/* An activity of any kind; members that a kind lacks are 0. */
struct fake_activity {
	enum fake_kind kind;
	enum fake_trouble trouble;
	int64_t start_ns, end_ns;
	bool prompt; /* it starts in the call that causes it */
	uint32_t device, context, stream, correlation;
	uint64_t node;
	uint32_t graph;
	const struct fake_kernel *kernel;
	const char *name; /* the kernel's name, in CUPTI's memory */
	const struct fake_copy *copy;
	uint32_t value; /* of a memset; the kind of an overhead or a wait */
	uint64_t bytes;
	uint32_t cbid;
};

struct fake_node {
	uint64_t id, original; /* original: 0 if it is not a clone */
};

/* The fake libcupti's functions, called by the fake libcuda. */
struct fake_tool {
	void (*call)(struct fake_call *call, bool returns);
	void (*resource)(uint32_t cbid, const struct fake_node *node);
	void (*state)(uint32_t cbid);
	/* Another tool ends it. */
	void (*finalize)(void);
	/* Is there a record of it? */
	bool (*activity)(const struct fake_activity *activity);
	/* Ends the unfinished activities of the stream. */
	void (*finish)(uint32_t stream, int64_t now_ns);
	/* All buffers are returned and read. */
	void (*settle)(void);
	void (*stall)(bool on);
};

/* The functions for the other direction. */
struct fake_driver {
	bool (*is_up)(void);
	int64_t (*now_ns)(void);     /* CUPTI's clock */
	void (*tell_contexts)(void); /* existing ones, as activities */
	/* One line of the truth. */
	void (*tell)(const char *format, ...)
		__attribute__((format(printf, 1, 2)));
};

/* Exported by the fake libcuda for the fake libcupti. */
FAKE_API const struct fake_driver *fake_connect(const struct fake_tool *tool);

#endif
