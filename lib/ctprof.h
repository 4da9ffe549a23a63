/* SPDX-License-Identifier: MIT */
/*
 * libctprof: records nested ranges of a program, with nanosecond times, into a
 * compressed log that `ctprof` turns into pstats, Chrome traces and more.
 *
 *	#include <ctprof.h>
 *
 *	static void parse(const char *path)
 *	{
 *		CTP_FUNCTION();
 *		ctp_arg_string("path", path);
 *		...
 *	}
 *
 * Recording starts by itself, with the first event, when CTPROF_OUT is in the
 * environment (`ctprof record` sets it); or with ctp_start(). Without either, a
 * range costs one load and one branch.
 *
 * The library never prints, exits or aborts. If it cannot record, the program
 * continues and ctp_status() returns the reason.
 */
#ifndef CTPROF_H
#define CTPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_VERSION_MAJOR 0
#define CTP_VERSION_MINOR 2
#define CTP_VERSION_PATCH 0

#define CTP_API __attribute__((visibility("default")))

enum ctp_status {
	CTP_OK = 0,
	CTP_END = 1, /* no more items: not an error */
	CTP_ERR_NOMEM = -1,
	CTP_ERR_IO = -2,          /* a system call failed; sys_errno is set */
	CTP_ERR_FORMAT = -3,      /* the input breaks its format */
	CTP_ERR_UNSUPPORTED = -4, /* well formed, but we do not handle it */
	CTP_ERR_LIMIT = -5,       /* a requested limit is reached */
	CTP_ERR_STATE = -6,       /* wrong state: already started, not
				   * started */
};

/* A thread's behavior when its buffers are full and the log is behind. */
enum ctp_policy {
	CTP_POLICY_BLOCK = 0, /* wait for the log; nothing is lost */
	CTP_POLICY_GROW = 1,  /* use more memory, up to buffer_max; then drop */
	CTP_POLICY_DROP = 2,  /* drop whole ranges, and count them */
};

/* The clock of the records. */
enum ctp_clock {
	CTP_CLOCK_AUTO = 0,   /* the processor's counter, if reliable */
	CTP_CLOCK_SYSTEM = 1, /* CLOCK_MONOTONIC_RAW */
	CTP_CLOCK_TSC = 2,    /* the counter, even if it may not be invariant */
	CTP_CLOCK_EVENTS = 3, /* one nanosecond per recorded event: makes times
				 repeatable, to compare profilers exactly */
};

/* The GPU activity to record, through CUPTI. */
enum ctp_gpu {
	CTP_GPU_DEFAULT = 0, /* from the environment; else off */
	CTP_GPU_OFF = 1,
	CTP_GPU_LIGHT = 2,  /* kernels, copies, the calls that cause them */
	CTP_GPU_FULL = 3,   /* and all other CUDA calls */
	CTP_GPU_GRAPHS = 4, /* like light, but a launch of a CUDA graph is one
			     * activity: cheapest for large graphs */
};

/* Other tools to which recorded ranges are emitted. */
enum ctp_emit {
	CTP_EMIT_DEFAULT = 0, /* from the environment; else off */
	CTP_EMIT_NONE = 1,
	CTP_EMIT_NVTX = 2, /* for Nsight Systems */
	CTP_EMIT_ITT = 3,  /* for VTune */
};

/*
 * How to record; begin with CTP_OPTIONS_INIT and set what you need. A field
 * left zero is taken from the environment, then from the default.
 *
 * Ownership: strings are copied by ctp_start().
 */
struct ctp_options {
	size_t size;            /* sizeof(struct ctp_options) */
	const char *out;        /* log path; %p pid, %h host, %r rank.
				    CTPROF_OUT; default ctprof.%p.ctp */
	const char *spool;      /* directory of the crash-proof buffers.
				    CTPROF_SPOOL; default /dev/shm */
	uint64_t buffer_bytes;  /* memory for records at the start.
				    CTPROF_BUFFER; default 2 MiB */
	uint64_t buffer_max;    /* CTPROF_BUFFER_MAX; default 64 MiB */
	uint64_t min_ns;        /* drop shorter ranges that contain nothing.
				 * CTPROF_MIN_NS; 0 */
	enum ctp_policy policy; /* CTPROF_POLICY=block|grow|drop */
	enum ctp_clock clock;   /* CTPROF_CLOCK=
				    auto|system|tsc|events */
	int level;              /* deflate level 1-9; -1: level 0, stored.
				   CTPROF_LEVEL; 1 */
	enum ctp_gpu gpu;       /* CTPROF_GPU=off|light|full|graphs */
	enum ctp_emit emit;     /* CTPROF_EMIT=none|nvtx|itt */
	/* Keep only the last events, at least this many, in memory until
	 * ctp_flush(), the signal, ctp_stop() or the program's end. CTPROF_LAST;
	 * 0: write all events to the log. */
	uint64_t last;
	/* The signal, unless the program handles it; -1: none.
	 * CTPROF_DUMP_SIGNAL=NAME|none; default USR2 */
	int dump_signal;
};

/* C++ has designated initializers only since C++20, and compilers warn about
 * omitted fields. */
#ifdef __cplusplus
static inline struct ctp_options ctp_options_init(void)
{
	struct ctp_options options = {};

	options.size = sizeof(options);
	return options;
}

#define CTP_OPTIONS_INIT ctp_options_init()
#else
/* clang-format off */
#define CTP_OPTIONS_INIT { .size = sizeof(struct ctp_options) }
/* clang-format on */
#endif

/*
 * A place in the program that ranges, instants and counters are named after.
 * The macros below make static ones; ctp_site_intern() makes others.
 *
 * Ownership: the strings of a static site must live until the site's first
 * use while recording; they are copied then.
 */
struct ctp_site {
	const char *name;
	const char *file; /* NULL: unknown */
	uint32_t line;    /* first line of the function; 0: unknown */
	uint64_t tag;     /* private: 0 until first used */
};

/*
 * Starts recording. `options` may be NULL: everything is taken from the
 * environment, which a set-user-ID program ignores.
 *
 * Errors: CTP_ERR_STATE if already recording, CTP_ERR_IO if the log or the
 * buffers cannot be created, CTP_ERR_NOMEM; CTP_ERR_UNSUPPORTED in a
 * set-user-ID program if `options` has no path. ctp_status() describes the
 * error.
 * Threads: any, one at a time.
 */
CTP_API enum ctp_status ctp_start(const struct ctp_options *options);

/*
 * Stops recording and completes the log. Readers close the ranges still open at
 * this time, and count them. Does nothing if not recording.
 *
 * Errors: CTP_ERR_IO if some of the log could not be written.
 * Threads: any; other threads may continue to record, which has no effect then.
 */
CTP_API enum ctp_status ctp_stop(void);

/*
 * The recorder's state as text: "recording to run.ctp", "off", "stopped: cannot
 * write run.ctp: No space left on device".
 *
 * Ownership: borrowed until the next call by any thread.
 */
CTP_API const char *ctp_status(void);

/* Writes the data recorded so far, without waiting for it to reach the disk;
 * with the option `last`, the last events before this call.
 * Threads: any. Errors: CTP_ERR_STATE, CTP_ERR_IO. */
CTP_API enum ctp_status ctp_flush(void);

/*
 * Returns the site (name, file, line); equal triples have the same pointer.
 *
 * Errors: never NULL; the site "(unnamed)" if out of memory. `file` may be
 * NULL, `name` may not.
 * Ownership: the library's, valid until the process ends; strings are copied
 * (names over 16,000 bytes are truncated and counted).
 */
CTP_API struct ctp_site *ctp_site_intern(
	const char *name, const char *file, uint32_t line);

/* A site with more information; begin with CTP_SITE_INFO_INIT. */
struct ctp_site_info {
	size_t size;      /* sizeof(struct ctp_site_info) */
	const char *name; /* not NULL */
	const char *file; /* NULL: unknown */
	uint32_t line;    /* first line of the function; 0: unknown */
	/* The line of the call in the caller's file; sites that differ only in
	 * this are one function. 0: unknown. */
	uint32_t call_line;
	const char *full_name; /* e.g. with its class; NULL: the same */
	/* The kind of site: "python", "c", "module", "gc", …; the category in
	 * Chrome traces. NULL: none. */
	const char *category;
};

#ifdef __cplusplus
static inline struct ctp_site_info ctp_site_info_init(void)
{
	struct ctp_site_info info = {};

	info.size = sizeof(info);
	return info;
}

#define CTP_SITE_INFO_INIT ctp_site_info_init()
#else
/* clang-format off */
#define CTP_SITE_INFO_INIT { .size = sizeof(struct ctp_site_info) }
/* clang-format on */
#endif

/* The same for such a site. Errors and ownership: like ctp_site_intern(). */
CTP_API struct ctp_site *ctp_site_intern_info(const struct ctp_site_info *info);

/*
 * Opens a range on the calling thread; ctp_end() closes the innermost one.
 *
 * Units: the time is taken here, in nanoseconds of the log's clock.
 * Errors: none reach the caller; what is dropped is counted in the log.
 * Threads: any; no lock, allocation, system call or I/O after a thread's
 * first event. Not safe in a signal handler.
 */
CTP_API void ctp_begin(struct ctp_site *site);
CTP_API void ctp_end(void);

/*
 * The same for a range with a sequence number, its argument "seq", which
 * identifies a range that it causes. Other tools receive it in the name, "NAME,
 * seq = 5". Returns whether a range was opened, which then needs ctp_end().
 */
CTP_API int ctp_begin_seq(struct ctp_site *site, int64_t seq);

/*
 * ctp_begin() and ctp_end() with the caller's own time, for timelines from
 * elsewhere. Such ranges form a separate timeline beside the thread's measured
 * one.
 *
 * Units: nanoseconds on a clock of the caller's choice, stored exactly; may be
 * negative; should not decrease on one thread.
 */
CTP_API void ctp_begin_at(struct ctp_site *site, int64_t time_ns);
CTP_API void ctp_end_at(int64_t time_ns);

/*
 * Ranges outside the thread's nesting: begin and end may be on different
 * threads, and are matched by (site name, id).
 */
CTP_API void ctp_async_begin(struct ctp_site *site, uint64_t id);
CTP_API void ctp_async_end(struct ctp_site *site, uint64_t id);

enum ctp_arg_kind { CTP_ARG_INT = 0, CTP_ARG_FLOAT = 1, CTP_ARG_STRING = 2 };

struct ctp_arg {
	const char *key;
	enum ctp_arg_kind kind;
	union {
		int64_t number;     /* CTP_ARG_INT */
		double real;        /* CTP_ARG_FLOAT */
		const char *string; /* CTP_ARG_STRING */
	} value;
};

/* Additional arguments are not stored. */
#define CTP_ARGS_MAX 16

/*
 * The same with arguments, up to CTP_ARGS_MAX. ctp_arg_int() and the like add
 * to the thread's innermost open range instead.
 *
 * Ownership: keys and texts are copied (truncated at 16,000 bytes in all; NULL
 * is an empty text). Each event with truncated or omitted arguments is counted.
 */
CTP_API void ctp_async_begin_args(struct ctp_site *site, uint64_t id,
	const struct ctp_arg *args, uint32_t count);

/* Records an event at this time; or a value that is valid from now on. */
CTP_API void ctp_instant(struct ctp_site *site);
CTP_API void ctp_counter(struct ctp_site *site, int64_t value);
CTP_API void ctp_counter_float(struct ctp_site *site, double value);

/* Memory allocated and freed. Units: bytes; device -1 is the host. */
CTP_API void ctp_memory_alloc(const void *address, uint64_t bytes, int device);
CTP_API void ctp_memory_free(const void *address, uint64_t bytes, int device);

/*
 * Counts a step (iteration) of `requester`, which starts at the global step
 * when it is first seen. The global step is the maximum over all requesters; a
 * marker is recorded when it advances. Returns the global step.
 *
 * Threads: any; takes a lock.
 */
CTP_API int64_t ctp_step(const char *requester);

/* Removes a requester. The global step does not decrease. */
CTP_API void ctp_step_remove(const char *requester);

/* Names the calling thread in the log; copied. */
CTP_API void ctp_thread_name(const char *name);

/*
 * Adds an argument to the innermost range that is open on this thread.
 *
 * Ownership: `key` and `value` are copied (truncated at 16,000 bytes together;
 * NULL is an empty text). Text should be UTF-8; writers of formats that need it
 * replace invalid bytes.
 */
CTP_API void ctp_arg_int(const char *key, int64_t value);
CTP_API void ctp_arg_float(const char *key, double value);
CTP_API void ctp_arg_string(const char *key, const char *value);

/*
 * For front ends whose begins and ends come from elsewhere and need not
 * balance. Adds to the calling thread's losses: ranges that were ended because
 * their own end never came, and ends that were dropped because their range had
 * not begun.
 */
CTP_API void ctp_repaired(uint64_t ranges, uint64_t ends);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "ctprof_inline.h"

/* ------------------------------------------------------------------------
 * Macros, each with a site of its own. `name` is a string literal.
 */

/* A static site named `text`, in `variable`. */
#define CTP_STATIC_SITE(variable, text) \
	static struct ctp_site variable = {(text), __FILE__, __LINE__, 0}

/* A range from here to the end of the block, on any way out. */
#define CTP_SCOPE(name) CTP_SCOPE_(name, __COUNTER__)

/* The same, named after the function. */
#define CTP_FUNCTION() CTP_SCOPE_(__func__, __COUNTER__)

#define CTP_INSTANT(name) \
	do { \
		CTP_STATIC_SITE(ctp_site_here, name); \
		ctp_instant(&ctp_site_here); \
	} while (0)

#define CTP_COUNTER(name, value) \
	do { \
		CTP_STATIC_SITE(ctp_site_here, name); \
		ctp_counter(&ctp_site_here, (value)); \
	} while (0)

#endif
