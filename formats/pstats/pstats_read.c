/* SPDX-License-Identifier: MIT */
/*
 * Reads the files of Python's cProfile and profile; see pstats.c for their
 * form. Files of Python 2, which Python 3 cannot load, are read too. If a file
 * is truncated or invalid, the part before that is used, and the rest is
 * counted.
 *
 * The root that pstats.c adds is read as calls without a caller, so that a file
 * that we wrote is the same profile as its source.
 *
 * The pure-Python `profile` gives callers call counts but no times: the
 * function's own times are divided in that proportion, as in gprof2dot.
 */
#include "pstats/pstats.h"

#include <math.h>
#include <string.h>

#include "profiles/inclusive_time.h"
#include "json/json_value.h"
#include "profiles/label.h"
#include "pstats/marshal.h"
#include "base/memory.h"
#include "profiles/profile_source.h"
#include "base/utf8.h"

#define FLAG_REF 0x80
#define NANOSECONDS 1e9
#define SECOND_DIGITS 9
#define READ_BYTES ((size_t)1 << 20)
/* Longer times, over 292 years, are invalid. */
#define TIME_MAX 9.2e18

struct pstats_in {
	struct profile_source *from;
	struct profile *profile; /* from's */
	struct marshal_in in;
	struct buffer text; /* scratch */
	struct buffer file_text;
};

/* Converts a str to zero-terminated UTF-8: Python 2's may be Latin-1. */
static bool set_text(struct buffer *out, const struct marshal_value *value)
{
	bool latin = value->kind == MARSHAL_BYTES &&
		     utf8_valid_prefix(value->text, value->size) != value->size;

	if (value->kind != MARSHAL_TEXT && value->kind != MARSHAL_BYTES)
		return false;
	out->used = 0;
	for (size_t i = 0; latin && i < value->size; i++) {
		uint8_t byte = (uint8_t)value->text[i];

		if (byte < 0x80) {
			utf8_add_nonzero(out, &value->text[i], 1);
			continue;
		}
		buffer_add_byte(out, (uint8_t)(0xc0 | byte >> 6));
		buffer_add_byte(out, (uint8_t)(0x80 | (byte & 0x3f)));
	}
	if (!latin)
		utf8_add_nonzero(out, value->text, value->size);
	buffer_add_byte(out, '\0');
	return !out->failed;
}

/* The three items of a function's key, as a function of the profile. */
static bool read_names(struct pstats_in *pstats, uint32_t *function)
{
	struct marshal_value file;
	struct marshal_value line;
	struct marshal_value name;
	const char *path;

	if (!marshal_next(&pstats->in, &file) ||
		!set_text(&pstats->file_text, &file) ||
		!marshal_next(&pstats->in, &line) || line.kind != MARSHAL_INT ||
		!marshal_next(&pstats->in, &name) ||
		!set_text(&pstats->text, &name))
		return false;
	path = (const char *)pstats->file_text.bytes;
	*function = profile_add_function(pstats->profile,
		(const char *)pstats->text.bytes,
		strcmp(path, PSTATS_NO_FILE) == 0 ? NULL : path,
		line.integer < 0 || line.integer > UINT32_MAX
			? 0
			: (uint32_t)line.integer);
	return *function != PROFILE_NONE;
}

/* A key whose first item was read. */
static bool read_key(struct pstats_in *pstats,
	const struct marshal_value *value, uint32_t *function)
{
	if (value->kind == MARSHAL_AGAIN)
		return marshal_recall(&pstats->in, value->slot, function);
	if (value->kind != MARSHAL_TUPLE || value->count != 3 ||
		!read_names(pstats, function))
		return false;
	marshal_remember(&pstats->in, value->slot, *function);
	return true;
}

/* pyinstrument, a sampling profiler, writes -1 for an unknown count: that is
 * one call, as for other sampled profiles. */
static bool to_count(const struct marshal_value *value, uint64_t *count)
{
	if (value->kind != MARSHAL_INT || value->integer < -1)
		return false;
	*count = value->integer < 0 ? 1 : (uint64_t)value->integer;
	return true;
}

static bool read_count(struct pstats_in *pstats, uint64_t *count)
{
	struct marshal_value value;

	return marshal_next(&pstats->in, &value) && to_count(&value, count);
}

/* Rounds halves away from zero. */
static int64_t nearest(double value)
{
	int64_t whole = (int64_t)value;
	double rest = value - (double)whole;

	return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Seconds as nanoseconds. Sums of floats may be slightly negative. */
static bool read_time(struct pstats_in *pstats, uint64_t *time_ns)
{
	struct marshal_value value;
	int64_t ns = 0;

	if (!marshal_next(&pstats->in, &value))
		return false;
	switch (value.kind) {
	case MARSHAL_INT:
		value.real = (double)value.integer;
		/* fallthrough */
	case MARSHAL_FLOAT:
		value.real *= NANOSECONDS;
		if (!(fabs(value.real) < TIME_MAX))
			return false;
		ns = nearest(value.real);
		break;
	case MARSHAL_DECIMAL:
		if (!json_value_scaled(
			    value.text, value.size, SECOND_DIGITS, &ns))
			return false;
		break;
	default:
		return false;
	}
	if (ns < 0)
		pstats->from->source.trace->losses[LOSS_BACKWARD_TIMES]++;
	*time_ns = ns < 0 ? 0 : (uint64_t)ns;
	return true;
}

static bool read_times(struct pstats_in *pstats, struct profile_cost *cost)
{
	return read_time(pstats, &cost->tottime_ns) &&
	       read_time(pstats, &cost->cumtime_ns);
}

/* One caller's value; here all calls come first. */
static bool read_caller(
	struct pstats_in *pstats, struct profile_cost *cost, bool *bare)
{
	struct marshal_value value;

	*cost = (struct profile_cost){0};
	if (!marshal_next(&pstats->in, &value))
		return false;
	*bare = value.kind == MARSHAL_INT;
	if (to_count(&value, &cost->ncalls)) {
		cost->pcalls = cost->ncalls;
		return true;
	}
	return value.kind == MARSHAL_TUPLE && value.count == 4 &&
	       read_count(pstats, &cost->ncalls) &&
	       read_count(pstats, &cost->pcalls) && read_times(pstats, cost);
}

/* The callers of a function with this cost. */
static bool read_callers(struct pstats_in *pstats, uint32_t function,
	const struct profile_cost *whole)
{
	struct marshal_value value;

	if (!marshal_next(&pstats->in, &value) || value.kind != MARSHAL_DICT)
		return false;
	while (marshal_next(&pstats->in, &value) &&
		value.kind != MARSHAL_DICT_END) {
		struct profile_cost cost;
		uint32_t caller;
		uint32_t edge;
		bool bare;

		if (!read_key(pstats, &value, &caller) ||
			!read_caller(pstats, &cost, &bare))
			return false;
		if (bare) {
			cost.tottime_ns = inclusive_time_share(
				whole->tottime_ns, cost.ncalls, whole->ncalls);
			cost.cumtime_ns = inclusive_time_share(
				whole->cumtime_ns, cost.ncalls, whole->ncalls);
		}
		edge = profile_add_edge(pstats->profile, caller, function);
		if (edge == PROFILE_NONE)
			return false;
		profile_cost_add(&pstats->profile->edges[edge].cost, &cost);
	}
	return value.kind == MARSHAL_DICT_END;
}

/* A function, from the current key to the end of its callers. */
static bool read_function(
	struct pstats_in *pstats, const struct marshal_value *key)
{
	struct profile_cost cost = {0};
	struct marshal_value value;
	uint32_t function;

	if (!read_key(pstats, key, &function) ||
		!marshal_next(&pstats->in, &value) ||
		value.kind != MARSHAL_TUPLE || value.count != 5 ||
		!read_count(pstats, &cost.pcalls) ||
		!read_count(pstats, &cost.ncalls) || !read_times(pstats, &cost))
		return false;
	/* yappi swaps the two. */
	if (cost.pcalls > cost.ncalls) {
		uint64_t ncalls = cost.pcalls;

		cost.pcalls = cost.ncalls;
		cost.ncalls = ncalls;
	}
	profile_cost_add(&pstats->profile->functions[function].cost, &cost);
	return read_callers(pstats, function, &cost);
}

/* Reads the file's functions; sets *end at the end of the file. */
static enum ctp_status read_all(
	struct pstats_in *pstats, bool *end, struct ctp_error *err)
{
	struct marshal_value value;
	uint64_t functions = 0;
	bool good =
		marshal_next(&pstats->in, &value) && value.kind == MARSHAL_DICT;

	*end = false;
	while (good && !*end) {
		good = marshal_next(&pstats->in, &value);
		*end = good && value.kind == MARSHAL_DICT_END;
		if (good && !*end)
			good = read_function(pstats, &value);
		functions += good && !*end;
	}
	if (pstats->in.no_memory || pstats->text.failed ||
		pstats->file_text.failed)
		return ctp_no_memory(err);
	if (!good && functions == 0) {
		pstats->profile->function_count = 0; /* of a part of one */
		return ctp_fail_at(err, CTP_ERR_FORMAT,
			pstats->from->head.used - pstats->in.cursor.left,
			"is not a Python profile, or is truncated in its first "
			"function");
	}
	return CTP_OK;
}

/* Reads the rest of the file after its head. */
static enum ctp_status read_file(
	struct profile_source *from, struct ctp_error *err)
{
	struct buffer *file = &from->head;
	size_t got = 1;

	while (got > 0) {
		if (!buffer_reserve(file, READ_BYTES))
			return ctp_no_memory(err);
		got = fread(file->bytes + file->used, 1,
			file->room - file->used, from->in);
		file->used += got;
		from->position = file->used;
	}
	return ferror(from->in) ? ctp_fail_at(err, CTP_ERR_IO, file->used,
					  "cannot be read")
				: CTP_OK;
}

/* The root that pstats.c adds; PROFILE_NONE: it is missing. A function of a
 * program may have its name, but has own time or a caller. */
static uint32_t find_root(const struct profile *profile, const bool *has_caller)
{
	uint32_t root = PROFILE_NONE;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (has_caller[i] || function->cost.ncalls == 0)
			continue;
		/* There is another function without a caller: Python summed
		 * our file and one of its own. */
		if (root != PROFILE_NONE || function->file[0] != '\0' ||
			function->line != 0 || function->cost.tottime_ns != 0 ||
			strcmp(function->name, LABEL_ROOT) != 0)
			return PROFILE_NONE;
		root = i;
	}
	return root;
}

/* Finds the calls without a caller. False if out of memory. */
static bool set_roots(struct profile *profile)
{
	bool *has_caller = memory_new_zeroed(
		(size_t)profile->function_count + 1, sizeof(*has_caller));
	uint32_t root;

	if (has_caller == NULL)
		return false;
	for (uint32_t i = 0; i < profile->edge_count; i++)
		has_caller[profile->edges[i].callee] = true;
	root = find_root(profile, has_caller);
	memory_free(has_caller);
	inclusive_time_find_roots(profile);
	profile->no_root = root == PROFILE_NONE;
	if (root != PROFILE_NONE)
		profile_remove_root(profile, root);
	return true;
}

enum ctp_status pstats_read(struct profile_source *from, struct ctp_error *err)
{
	struct pstats_in pstats = {.from = from, .profile = from->profile};
	struct trace *trace = from->source.trace;
	enum ctp_status status = read_file(from, err);
	bool end = true;

	marshal_in_init(&pstats.in, from->head.bytes, from->head.used);
	if (status == CTP_OK)
		status = read_all(&pstats, &end, err);
	if (status == CTP_OK) {
		trace_lose(trace, LOSS_TRUNCATED, !end);
		trace_lose(trace, LOSS_SKIPPED_BYTES, pstats.in.cursor.left);
		if (!set_roots(from->profile))
			status = ctp_no_memory(err);
	}
	marshal_in_clear(&pstats.in);
	buffer_clear(&pstats.text);
	buffer_clear(&pstats.file_text);
	return status;
}

/*
 * A dict whose first key is a tuple of three items, beginning with a str; or an
 * empty dict. Bits: each of these bytes has only a few valid values.
 */
unsigned pstats_probe(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint8_t codes[4] = {0};
	size_t text = 2;

	if (size < 2)
		return 0;
	for (size_t i = 0; i < 2; i++)
		codes[i] = at[i] & (FLAG_REF - 1);
	if (codes[0] != '{')
		return 0;
	if (codes[1] == '0')
		return size == 2 ? 16 : 0;
	if (codes[1] == ')' && size > 3 && at[2] == 3)
		text = 3;
	else if (codes[1] == '(' && size > 6 &&
		 memcmp(at + 2, "\3\0\0\0", 4) == 0)
		text = 6;
	else
		return 0;
	codes[2] = at[text] & (FLAG_REF - 1);
	return strchr("zZaAust", codes[2]) != NULL && codes[2] != 0
		       ? (unsigned)text * 7
		       : 0;
}
