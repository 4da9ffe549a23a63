/* SPDX-License-Identifier: MIT */
/*
 * pstats: the file of Python's cProfile, {(file, line, name): (pcalls, ncalls,
 * tottime, cumtime, {caller: (ncalls, pcalls, tottime, cumtime)})}. Note that a
 * function starts with its primitive calls, a caller with all of its calls.
 * Source: CPython, Lib/cProfile.py, snapshot_stats(); Lib/pstats.py.
 *
 * All calls without a caller get one, a root of our own. snakeviz draws only
 * the largest function without a caller; with the root it shows the whole
 * profile, with any threads and recursions. Also, an empty profile becomes a
 * file that pstats loads (it rejects an empty dict). Profiles of Python
 * programs get no root: their file must equal cProfile's.
 *
 * Names that become equal in UTF-8 would overwrite each other, so we sum them
 * by copying the profile under its new names.
 */
#include "format.h"

#include <string.h>

#include "base/buffer.h"
#include "profiles/label.h"
#include "pstats/marshal.h"
#include "pstats/pstats.h"
#include "base/memory.h"
#include "base/utf8.h"

#define NANOSECONDS 1e9

/*
 * snakeviz writes names into a <script>, which these could end or change: a
 * visible backslash after the '<' prevents that.
 */
static bool ends_script(const char *text)
{
	static const char end[] = "</script";
	size_t i = 0;

	/* Not strncasecmp(), which depends on the locale. */
	while (end[i] != '\0' &&
		(end[i] == '/' ? text[i] : text[i] | 0x20) == end[i])
		i++;
	return end[i] == '\0' || strncmp(text, "<!--", 4) == 0;
}

static void add_safe(struct buffer *out, const char *text)
{
	const char *angle;

	for (; (angle = strchr(text, '<')) != NULL; text = angle + 1) {
		(void)utf8_add_valid(out, text, (size_t)(angle - text) + 1);
		if (ends_script(angle))
			buffer_add_byte(out, '\\');
	}
	(void)utf8_add_valid(out, text, strlen(text));
}

/* Makes `out` the zero-terminated text that the file will hold. */
static void set_text(struct buffer *out, const char *text, bool printable)
{
	out->used = 0;
	if (printable)
		utf8_add_printable(out, text, strlen(text));
	else
		add_safe(out, text);
	buffer_add_byte(out, '\0');
}

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(
		err, CTP_ERR_NOMEM, "out of memory while writing pstats");
}

static enum ctp_status check_text(
	const struct buffer *text, struct ctp_error *err)
{
	if (text->failed)
		return no_memory(err);
	if (text->used > MARSHAL_TEXT_MAX)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"a name is too long for pstats");
	return CTP_OK;
}

/* Adds the functions under their new names; map[] has their new numbers. */
static enum ctp_status copy_functions(struct profile *copy,
	const struct profile *profile, bool printable, uint32_t *map,
	struct ctp_error *err)
{
	struct buffer name = BUFFER_INIT;
	struct buffer file = BUFFER_INIT;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		set_text(&name, function->name, printable);
		set_text(&file,
			function->file[0] == '\0' ? PSTATS_NO_FILE
						  : function->file,
			printable);
		status = check_text(&name, err);
		if (status == CTP_OK)
			status = check_text(&file, err);
		if (status != CTP_OK)
			break;
		map[i] = profile_add_function(copy, (const char *)name.bytes,
			(const char *)file.bytes, function->line);
		if (map[i] == PROFILE_NONE) {
			status = no_memory(err);
			break;
		}
		profile_cost_add(
			&copy->functions[map[i]].cost, &function->cost);
	}
	buffer_clear(&name);
	buffer_clear(&file);
	return status;
}

/* Adds a root with a name that no function has; PROFILE_NONE if out of
 * memory. */
static uint32_t add_root(struct profile *copy)
{
	char name[sizeof(LABEL_ROOT) + 16];
	uint32_t before = copy->function_count;
	uint32_t root =
		profile_add_function(copy, LABEL_ROOT, PSTATS_NO_FILE, 0);

	for (unsigned i = 2; root < before; i++) {
		(void)snprintf(name, sizeof(name), "<all threads, %u>", i);
		root = profile_add_function(copy, name, PSTATS_NO_FILE, 0);
	}
	if (root != PROFILE_NONE)
		copy->functions[root].cost =
			(struct profile_cost){.ncalls = 1, .pcalls = 1};
	return root;
}

static bool add_edge(struct profile *copy, uint32_t caller, uint32_t callee,
	const struct profile_cost *cost)
{
	uint32_t edge = profile_add_edge(copy, caller, callee);

	if (edge == PROFILE_NONE)
		return false;
	profile_cost_add(&copy->edges[edge].cost, cost);
	return true;
}

/* Adds the root, with an edge to each function it calls. */
static bool copy_roots(struct profile *copy, const struct profile *profile,
	const uint32_t *map)
{
	uint32_t root = add_root(copy);
	bool ok = root != PROFILE_NONE;

	for (uint32_t i = 0; i < profile->function_count && ok; i++) {
		const struct profile_cost *cost = &profile->functions[i].root;

		if (cost->ncalls == 0)
			continue;
		copy->functions[root].cost.cumtime_ns += cost->cumtime_ns;
		ok = add_edge(copy, root, map[i], cost);
	}
	return ok;
}

static bool copy_edges(struct profile *copy, const struct profile *profile,
	const uint32_t *map)
{
	bool ok = profile->no_root || copy_roots(copy, profile, map);

	for (uint32_t i = 0; i < profile->edge_count && ok; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		ok = add_edge(copy, map[edge->caller], map[edge->callee],
			&edge->cost);
	}
	return ok;
}

static void write_key(FILE *out, const struct profile_function *function)
{
	marshal_tuple(out, 3);
	marshal_text(out, function->file, strlen(function->file));
	marshal_int(out, function->line);
	marshal_text(out, function->name, strlen(function->name));
}

static void write_times(FILE *out, const struct profile_cost *cost)
{
	marshal_float(out, (double)cost->tottime_ns / NANOSECONDS);
	marshal_float(out, (double)cost->cumtime_ns / NANOSECONDS);
}

static void write_contents(
	FILE *out, const struct profile *profile, const uint32_t *first)
{
	marshal_begin_dict(out);
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		write_key(out, function);
		marshal_tuple(out, 5);
		marshal_int(out, function->cost.pcalls);
		marshal_int(out, function->cost.ncalls);
		write_times(out, &function->cost);
		marshal_begin_dict(out);
		for (uint32_t j = first[i]; j < first[i + 1]; j++) {
			const struct profile_edge *edge = &profile->edges[j];

			write_key(out, &profile->functions[edge->caller]);
			marshal_tuple(out, 4);
			marshal_int(out, edge->cost.ncalls);
			marshal_int(out, edge->cost.pcalls);
			write_times(out, &edge->cost);
		}
		marshal_end_dict(out);
	}
	marshal_end_dict(out);
}

/* Copies the profile under the file's names, in the same order. */
static enum ctp_status fill_copy(struct profile *copy,
	const struct profile *profile, bool printable, struct ctp_error *err)
{
	uint32_t *map = memory_new(
		((size_t)profile->function_count + 1) * sizeof(*map));
	enum ctp_status status;

	if (map == NULL)
		return no_memory(err);
	status = copy_functions(copy, profile, printable, map, err);
	if (status == CTP_OK && !copy_edges(copy, profile, map))
		status = no_memory(err);
	memory_free(map);
	if (status == CTP_OK)
		status = profile_sort(copy, err);
	return status;
}

enum ctp_status pstats_write(FILE *out, const struct profile *profile,
	bool printable, struct ctp_error *err)
{
	struct profile *copy = profile_new();
	uint32_t *first = NULL;
	enum ctp_status status;

	if (copy == NULL)
		return no_memory(err);
	status = fill_copy(copy, profile, printable, err);
	if (status == CTP_OK) {
		first = profile_callers(copy);
		if (first == NULL)
			status = no_memory(err);
	}
	if (status == CTP_OK)
		write_contents(out, copy, first);
	memory_free(first);
	profile_free(copy);
	return status;
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	(void)options;
	return pstats_write(out, profile, false, err);
}

const struct format pstats_format = {
	.name = "pstats",
	.suffix = ".pstats",
	.summary = "Python profile, for pstats, snakeviz and gprof2dot",
	.binary = true,
	.probe = pstats_probe,
	.read_profile = pstats_read,
	.write_profile = write_profile,
};
