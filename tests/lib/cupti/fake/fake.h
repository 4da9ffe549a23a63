/* SPDX-License-Identifier: MIT */
/*
 * The interface by which tests control the fake CUDA; the fake libcuda.so.1
 * exports it as `fake_calls`. Each call acts as a program's would: callbacks on
 * the calling thread, of the runtime and, within, of the driver; and
 * activities. All is recorded, one JSON object per line, in the file named by
 * FAKE_TRUTH, for comparison with the log.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_API __attribute__((visibility("default")))

/* The values of these fields in records that have them; the last two need more
 * than 32 bits. */
#define FAKE_CHANNEL 11
#define FAKE_COUNT 3
#define FAKE_PEER 21
#define FAKE_SYNC_NUMBER ((INT64_C(7) << 32) + 1)
#define FAKE_PRIORITY (-3)
#define FAKE_LOCAL_TOTAL ((INT64_C(5) << 32) + 4096)

/* Defects of an activity. */
enum fake_trouble {
	FAKE_FINE,
	FAKE_ZERO,       /* both its times are 0 */
	FAKE_BACKWARD,   /* it ends before it starts */
	FAKE_UNFINISHED, /* it ends when its stream is waited for */
	FAKE_ORPHAN,     /* its correlation id is not a call's */
};

struct fake_kernel {
	const char *name;
	uint32_t device, stream;
	int32_t grid[3], block[3], cluster[3];
	uint16_t registers;
	int32_t static_shared, dynamic_shared;
	uint64_t dur_ns;
	int64_t early_ns; /* it starts this long before its launch */
	enum fake_trouble trouble;
};

/* The numbers are CUPTI's: kinds of copies, by source and destination. */
struct fake_copy {
	uint8_t kind, source, target;
	bool async;
	bool peer; /* to device 1 */
	uint32_t stream;
	uint64_t bytes;
};

enum fake_wait {
	FAKE_WAIT_EVENT = 1,
	FAKE_WAIT_STREAM_EVENT,
	FAKE_WAIT_STREAM,
	FAKE_WAIT_CONTEXT
};

struct fake_calls {
	/* The name of the calling thread's innermost range, and its number
	 * among ranges of that name. Borrowed until the next call. */
	void (*range)(const char *name, int64_t instance);
	/* From here on the calling thread calls the driver itself, not the
	 * runtime, in this context. 0: in each device's own. */
	void (*call_by)(bool driver_itself, uint32_t context);
	/* The calling thread's launches fail with this result; 0: no more. */
	void (*fail)(int result);
	void (*launch)(const struct fake_kernel *kernel);
	void (*copy)(const struct fake_copy *copy);
	void (*set)(uint32_t stream, uint32_t value, uint64_t bytes);
	void (*wait)(enum fake_wait what, uint32_t stream);
	/* An additional action of the driver, e.g. 5: loads a function. */
	void (*overhead)(uint32_t what, uint64_t dur_ns);
	/* A call that no subscriber asks for. */
	void (*noise)(void);
	/* From here to capture_end(), which returns the graph, this thread's
	 * launches, copies and memsets become its nodes. */
	void (*capture)(void);
	uint32_t (*capture_end)(void);
	void (*graph)(uint32_t graph, uint32_t stream);
	/* All records so far have been read. */
	void (*settle)(void);
	/* From here on, kernels' names reuse the addresses of earlier ones. */
	void (*unload)(void);
	void (*destroy_context)(void);
	void (*reset)(void);
	/* Puts CUPTI's clock forward. */
	void (*step_clock)(int64_t ns);
	/* Makes readers of buffers wait; or no longer. */
	void (*stall)(bool on);
	/* The driver fails from now on. */
	void (*die)(void);
	/* Another tool calls cuptiFinalize(). */
	void (*finalize)(void);
};

#endif
