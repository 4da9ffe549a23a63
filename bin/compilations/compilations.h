/* SPDX-License-Identifier: MIT */
/*
 * Collects compilations: those of torch.compile() from the events of TORCH_TRACE
 * logs, with the graph breaks and the reasons for compiling again; and those of
 * other compilers from their ranges, see compiler_ranges.h.
 * Source: torch/_dynamo/utils.py, CompilationMetrics, of PyTorch 2.4 to 2.15.
 */
#ifndef COMPILATIONS_H
#define COMPILATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/columns.h"
#include "trace/event.h"

struct compiler_ranges;
struct strtab;

/* The parts of other compilers than torch.compile(). */
enum compilation_part {
	COMPILATION_FRONT_END,
	COMPILATION_OPTIMIZER,
	COMPILATION_CODE, /* its generation */
	COMPILATION_HOST, /* the host's compiler */
	COMPILATION_LINKER,
	COMPILATION_PARTS
};

/* Times are in nanoseconds. A value that the log lacks is unknown. */
struct compilation {
	const char *input;
	int64_t pid;          /* of PyTorch's process; 0: unknown */
	const char *compiler; /* "pytorch", or a name of compiler_ranges.c */
	/* "0/1": a frame, and how often it was compiled; XLA's module; NULL:
	 * none */
	const char *id;
	const char *function; /* or a crate; NULL: unknown; so is the place */
	const char *file;
	uint32_t line;
	const char *direction; /* "forward" or "backward"; NULL: neither */
	const char *again;     /* why it was compiled again, or NULL */
	const char *outcome;   /* NULL: unknown */
	const char *failure;   /* in words, or NULL */
	uint64_t total_ns;     /* 0: unknown */
	struct value dynamo;   /* own times: they add up to the total */
	struct value back_end;
	struct value inductor;
	struct value waiting;  /* for compiler processes */
	struct value restarts; /* part of Dynamo's: thrown away */
	struct value attempt;  /* times that Dynamo began again */
	struct value operations, guards;
	struct value hits, misses; /* of caches */
	/* Times between misses and their results, and those that hits saved. */
	struct value miss, saved;
	struct value bypasses;  /* graphs that caches do not take */
	struct value tracing;   /* time in functions that Dynamo traced */
	struct value functions; /* number of these */
	/* Only other compilers have these: */
	struct value parts[COMPILATION_PARTS]; /* own times */
	struct value other;                    /* the rest of the total */
	struct value parallel; /* by which the parts exceed the total */
	struct value headers, templates, units;
};

/* All graph breaks with one reason at one place. */
struct graph_break {
	const char *reason; /* one line */
	const char *file;   /* "": unknown */
	uint32_t line;
	const char *details; /* the whole reason, or NULL */
	const char *stack;   /* of user code, or NULL */
	uint64_t count;
	uint64_t lost_ns; /* before restarts; of a compilation with several
			   * breaks, the first one has it */
};

/* All compilations of a function for one reason. */
struct recompilation {
	const char *function;
	const char *file;
	uint32_t line;
	const char *reason;
	uint64_t count;
	uint64_t total_ns;
};

struct compilations {
	/* In the order of the log, until compilations_sort(). */
	struct compilation *rows;
	size_t count, room;
	struct graph_break *breaks;
	size_t break_count, break_room;
	struct recompilation *again;
	size_t again_count, again_room;

	struct strtab *text; /* of the members above */
	/* While an input is read: */
	const struct trace *trace;
	const char *input;
	struct compilation_key *keys; /* by the number of the text */
	size_t key_count, key_room;
	struct compiler_ranges *ranges;
};

/* False if out of memory. */
bool compilations_init(struct compilations *to);
void compilations_clear(struct compilations *from);

/* Begins an input; its name is copied. */
bool compilations_begin(
	struct compilations *to, const struct trace *trace, const char *input);

/* Adds an event; those of other programs than compilers are ignored. `user` is a
 * struct compilations. Errors: CTP_ERR_NOMEM. */
enum ctp_status compilations_add(
	void *user, const struct event *event, struct ctp_error *err);

/* Returns a new row; NULL if out of memory. */
struct compilation *compilations_add_row(struct compilations *to);
/* Ends the input. False if out of memory. */
bool compilations_end(struct compilations *to);

/* After all inputs: groups the recompilations. False if out of memory. */
bool compilations_finish(struct compilations *to);

/* ---- for compiler_ranges.c ---- */

/* A copy of the text; NULL if out of memory. */
const char *compilations_keep(
	struct compilations *to, const char *text, size_t size);

/* Between a miss of AOTAutograd's cache and its result, this time went by in the
 * compilation of this id. False if out of memory. */
bool compilations_add_miss(
	struct compilations *to, const char *id, size_t size, uint64_t time_ns);

#endif
