/* SPDX-License-Identifier: MIT */
/* Between the fake libcuda, which knows what happens, and the fake libcupti,
 * which tells of it: NVIDIA's libraries have such a private way, too. */
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

/* Of any kind; what a kind does not have is 0. */
struct fake_activity {
	enum fake_kind kind;
	enum fake_trouble trouble;
	int64_t start_ns, end_ns;
	bool prompt; /* it starts in the call that causes it */
	uint32_t device, context, stream, correlation;
	uint64_t node;
	uint32_t graph;
	const struct fake_kernel *kernel;
	const char *name; /* of the kernel, where CUPTI keeps it */
	const struct fake_copy *copy;
	uint32_t value; /* of a memset; what an overhead or a wait is */
	uint64_t bytes;
	uint32_t cbid;
};

struct fake_node {
	uint64_t id, original; /* original: 0 for what is no clone */
};

/* The fake libcupti's, called by the fake libcuda. */
struct fake_tool {
	void (*call)(struct fake_call *call, bool returns);
	void (*resource)(uint32_t cbid, const struct fake_node *node);
	void (*state)(uint32_t cbid);
	/* Another tool ends it. */
	void (*finalize)(void);
	/* Is there a record of it? */
	bool (*activity)(const struct fake_activity *activity);
	/* What had not ended on the stream does so now. */
	void (*finish)(uint32_t stream, int64_t now_ns);
	/* All buffers are given back and read. */
	void (*settle)(void);
	void (*stall)(bool on);
};

/* The other way round. */
struct fake_driver {
	bool (*is_up)(void);
	int64_t (*now_ns)(void);     /* CUPTI's clock */
	void (*tell_contexts)(void); /* those that there are, as activities */
	/* One line of what is written down. */
	void (*tell)(const char *format, ...)
		__attribute__((format(printf, 1, 2)));
};

/* Exported by the fake libcuda for the fake libcupti. */
FAKE_API const struct fake_driver *fake_connect(const struct fake_tool *tool);

#endif
