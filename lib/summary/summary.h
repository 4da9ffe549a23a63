/* SPDX-License-Identifier: MIT */
/*
 * The sums of any number of inputs, which can be written to a file and merged.
 * Merging is commutative and associative: integers are added, and texts
 * identify rows, so the same sums are the same file. Source: FORMAT.md.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "phases/phase_totals.h"
#include "profile/profile.h"
#include "trace/trace.h"

struct census;
struct kernels;
struct ranks;
struct gaps;

/* The group of functions; others are those of build_profile.h. */
#define SUMMARY_FUNCTIONS ""
#define SUMMARY_PROFILES_MAX 64

/* Counts with names of their own; see summary_count(). */
#define SUMMARY_INPUTS "inputs"
#define SUMMARY_LOST "lost."
#define SUMMARY_READ "read." /* the part of these that readers lost */
#define SUMMARY_EVENTS "events."
#define SUMMARY_LATE "late_kernels"
#define SUMMARY_PHASES "phases." /* the losses of these */

/* The section that counts profiles, too. */
#define SUMMARY_CENSUS "census"
#define SUMMARY_PHASES_SECTION "phases"
#define SUMMARY_SKIPPED "skipped."

/* Texts are borrowed from summary->text. */
struct summary_option {
	const char *key;
	const char *value;
};

struct summary_count {
	const char *name;
	uint64_t count;
};

struct summary_input {
	const char *path;
	uint64_t bytes;     /* 0: unknown */
	int64_t rank;       /* -1: unknown */
	const char *format; /* its name; not in the file; NULL: unknown */
	/* Number of the summary that had it; 0: it was read itself. Not in the
	 * file. */
	uint32_t part;
};

struct summary_lost {
	const char *path;
	const char *reason;
};

struct summary_profile {
	const char *group;
	struct profile *profile;
};

/* Names with the number of inputs, or of devices, that have them. */
enum summary_name_kind {
	SUMMARY_NAME_FORMAT,
	SUMMARY_NAME_HOST,
	SUMMARY_NAME_TOOL,
	SUMMARY_NAME_DEVICE, /* "": unknown */
	SUMMARY_NAME_KINDS
};

struct summary_name {
	enum summary_name_kind kind;
	const char *name;
	uint64_t count;
};

/* Times of the inputs. */
struct summary_extent {
	bool has_time;       /* some have: */
	int64_t start_ns;    /* since 1970: the first start */
	int64_t end_ns;      /* and the last end */
	uint64_t longest_ns; /* the longest input */
	uint64_t skew_ns;    /* the largest of census.h */
};

struct summary {
	struct strtab *text;
	struct summary_option *options;
	size_t option_count;
	struct summary_count *counts;
	size_t count_count;
	struct summary_input *inputs;
	size_t input_count;
	struct summary_lost *lost;
	size_t lost_count;
	struct summary_profile *profiles;
	size_t profile_count;
	struct summary_name *names; /* sorted by kind and name */
	size_t name_count;
	struct summary_extent extent;
	struct kernels *kernels; /* NULL: nothing was added */
	struct gaps *gaps;       /* likewise */
	struct ranks *ranks;     /* likewise */
	struct phase_totals phases;

	/* private */
	bool has_extent; /* it was read from a file */
	size_t option_room, count_room, input_room, lost_room, profile_room;
	size_t name_room;
};

/* An empty one; NULL if out of memory. */
struct summary *summary_new(void);
void summary_free(struct summary *summary); /* NULL is allowed */

/* Adds an option; the key must be new. False if out of memory. */
bool summary_add_option(
	struct summary *summary, const char *key, const char *value);
/* The value of an option; NULL if it is not set. */
const char *summary_find_option(const struct summary *summary, const char *key);

/* Adds to the count `prefix` + `name`. False if out of memory. */
bool summary_add_count(struct summary *summary, const char *prefix,
	const char *name, uint64_t count);
uint64_t summary_find_count(
	const struct summary *summary, const char *prefix, const char *name);
/* The same, and removes it. */
uint64_t summary_take_count(
	struct summary *summary, const char *prefix, const char *name);

/* Add an input that is in the sums, and one that is not. False if out of
 * memory. */
bool summary_add_input(struct summary *summary, struct summary_input input);
bool summary_add_lost(
	struct summary *summary, const char *path, const char *reason);

/* Sorts the latter by path and reason. */
void summary_sort_lost(struct summary *summary);

/* Adds to the count of a name. False if out of memory. */
bool summary_add_name(struct summary *summary, enum summary_name_kind kind,
	const char *name, uint64_t count);

/* Adds the census of a profile, whose calls were ranges. False if out of
 * memory. */
bool summary_add_census(struct summary *summary,
	const struct summary_input *input, const struct trace *trace,
	const struct profile *profile);

/* Adds the phases of an input, after phases_finish(), and their losses. False if
 * out of memory. */
bool summary_add_phases(struct summary *summary, const struct phases *phases);

/* The counts of the census of all inputs. */
void summary_get_census(const struct summary *summary, struct census *census);

/* The profile of a group; NULL if it is missing. The second adds an
 * empty one; NULL if out of memory, or if there are too many. */
struct profile *summary_find_profile(
	const struct summary *summary, const char *group);
struct profile *summary_profile(struct summary *summary, const char *group);

/* Moves a profile into a summary without one of this group, and out of it (NULL
 * if it is missing). `profile` is freed in any case; false if out of memory. */
bool summary_put_profile(
	struct summary *summary, const char *group, struct profile *profile);
struct profile *summary_take_profile(
	struct summary *summary, const char *group);

/* The ranks of the job; NULL if out of memory. */
struct ranks *summary_ranks(struct summary *summary);

/*
 * Adds `from`, which may be changed, but must still be freed. A summary without
 * options takes those of the other one.
 *
 * Errors: CTP_ERR_UNSUPPORTED if the options differ, with both values, and
 * nothing was added; CTP_ERR_NOMEM, and a part was added.
 */
enum ctp_status summary_add(
	struct summary *to, struct summary *from, struct ctp_error *err);

/* Errors: CTP_ERR_UNSUPPORTED if both have options, and these differ. */
enum ctp_status summary_check_options(const struct summary *one,
	const struct summary *other, struct ctp_error *err);

/* Errors: CTP_ERR_UNSUPPORTED if an input, or a rank of different parts, is in
 * the sums twice. */
enum ctp_status summary_check_inputs(
	struct summary *summary, struct ctp_error *err);

/* Writes the file; sorts the summary. Errors: CTP_ERR_NOMEM, CTP_ERR_LIMIT;
 * CTP_ERR_IO, which the stream shows too. */
enum ctp_status summary_write(
	struct summary *summary, FILE *out, struct ctp_error *err);

/* Whether a file begins like a summary: see struct format. */
unsigned summary_probe(const void *bytes, size_t size);

/*
 * Reads a file to its end, after `head`, the bytes already read from it. Rows of
 * unknown sections are counted in the losses of `trace`. Free the result with
 * summary_free().
 *
 * Errors: CTP_ERR_FORMAT, CTP_ERR_UNSUPPORTED for a newer version,
 * CTP_ERR_NOMEM, CTP_ERR_IO.
 */
struct summary_file {
	FILE *in;
	const void *head;
	size_t head_size;
};
enum ctp_status summary_read(struct summary_file file, struct trace *trace,
	struct summary **out, struct ctp_error *err);

#endif
