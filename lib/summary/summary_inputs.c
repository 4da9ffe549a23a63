/* SPDX-License-Identifier: MIT */
/* Sections that describe the inputs: their options, counts, names and losses. */
#include "summary/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "summary/summary_section.h"

/* A copy of the text in the table; NULL if out of memory. */
static const char *keep(struct summary *summary, const char *text)
{
	uint32_t number = strtab_add(summary->text, text, strlen(text));

	return number == STRTAB_NONE ? NULL
				     : strtab_text(summary->text, number, NULL);
}

/* ---- options ---- */

const char *summary_find_option(const struct summary *summary, const char *key)
{
	for (size_t i = 0; i < summary->option_count; i++)
		if (strcmp(summary->options[i].key, key) == 0)
			return summary->options[i].value;
	return NULL;
}

bool summary_add_option(
	struct summary *summary, const char *key, const char *value)
{
	struct summary_option option = {
		keep(summary, key), keep(summary, value)};
	size_t at = summary->option_count;

	if (option.key == NULL || option.value == NULL ||
		!array_reserve(&summary->options, summary->option_count,
			&summary->option_room, sizeof(*summary->options)))
		return false;
	for (; at > 0 && strcmp(summary->options[at - 1].key, key) > 0; at--)
		summary->options[at] = summary->options[at - 1];
	summary->options[at] = option;
	summary->option_count++;
	return true;
}

static enum ctp_status write_options(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (size_t i = 0; i < summary->option_count; i++) {
		summary_out_row(out);
		summary_out_text(out, summary->options[i].key);
		summary_out_text(out, summary->options[i].value);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_option(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	const char *key = summary_in_text(in);
	const char *value = summary_in_text(in);

	if (summary_find_option(summary, key) != NULL)
		return summary_in_fail(in, "an option is there twice", err);
	return summary_add_option(summary, key, value) ? CTP_OK
						       : ctp_no_memory(err);
}

/* Each option of one must be in the other. */
static enum ctp_status compare_options(const struct summary *one,
	const struct summary *other, struct ctp_error *err)
{
	for (size_t i = 0; i < one->option_count; i++) {
		const struct summary_option *option = &one->options[i];
		const char *value = summary_find_option(other, option->key);

		if (value == NULL || strcmp(value, option->value) != 0)
			return ctp_fail(err, CTP_ERR_UNSUPPORTED,
				"cannot be merged: %s is '%s' in one, and '%s' "
				"in another one",
				option->key, option->value,
				value == NULL ? "" : value);
	}
	return CTP_OK;
}

enum ctp_status summary_check_options(const struct summary *one,
	const struct summary *other, struct ctp_error *err)
{
	enum ctp_status status;

	if (one->option_count == 0 || other->option_count == 0)
		return CTP_OK;
	status = compare_options(one, other, err);
	return status == CTP_OK ? compare_options(other, one, err) : status;
}

static enum ctp_status add_options(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	enum ctp_status status = summary_check_options(to, from, err);

	if (status != CTP_OK || to->option_count != 0)
		return status;
	for (size_t i = 0; i < from->option_count; i++)
		if (!summary_add_option(
			    to, from->options[i].key, from->options[i].value))
			return ctp_no_memory(err);
	return CTP_OK;
}

static void clear_options(struct summary *summary)
{
	memory_free(summary->options);
}

const struct summary_section summary_options_section = {
	.name = "options",
	.write = write_options,
	.read = read_option,
	.add = add_options,
	.clear = clear_options,
};

/* ---- counts ---- */

static struct summary_count *find_count(
	const struct summary *summary, const char *prefix, const char *name)
{
	size_t prefix_size = strlen(prefix);

	for (size_t i = 0; i < summary->count_count; i++) {
		const char *text = summary->counts[i].name;

		if (strncmp(text, prefix, prefix_size) == 0 &&
			strcmp(text + prefix_size, name) == 0)
			return &summary->counts[i];
	}
	return NULL;
}

uint64_t summary_find_count(
	const struct summary *summary, const char *prefix, const char *name)
{
	const struct summary_count *count = find_count(summary, prefix, name);

	return count == NULL ? 0 : count->count;
}

uint64_t summary_take_count(
	struct summary *summary, const char *prefix, const char *name)
{
	struct summary_count *found = find_count(summary, prefix, name);
	uint64_t count;

	if (found == NULL)
		return 0;
	count = found->count;
	summary->count_count--;
	memmove(found, found + 1,
		(summary->count_count - (size_t)(found - summary->counts)) *
			sizeof(*found));
	return count;
}

static bool insert_count(
	struct summary *summary, const char *name, uint64_t count)
{
	size_t at = summary->count_count;

	if (name == NULL ||
		!array_reserve(&summary->counts, summary->count_count,
			&summary->count_room, sizeof(*summary->counts)))
		return false;
	for (; at > 0 && strcmp(summary->counts[at - 1].name, name) > 0; at--)
		summary->counts[at] = summary->counts[at - 1];
	summary->counts[at] = (struct summary_count){name, count};
	summary->count_count++;
	return true;
}

bool summary_add_count(struct summary *summary, const char *prefix,
	const char *name, uint64_t count)
{
	struct summary_count *old = find_count(summary, prefix, name);
	char text[128];

	if (old != NULL) {
		old->count = saturate_sum(old->count, count);
		return true;
	}
	if (count == 0)
		return true;
	(void)snprintf(text, sizeof(text), "%s%s", prefix, name);
	return insert_count(summary, keep(summary, text), count);
}

static enum ctp_status write_counts(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (size_t i = 0; i < summary->count_count; i++) {
		summary_out_row(out);
		summary_out_text(out, summary->counts[i].name);
		summary_out_number(out, summary->counts[i].count);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

#define COUNTS_MAX 1024

static enum ctp_status read_count(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	const char *name = summary_in_text(in);
	uint64_t count = summary_in_number(in);

	if (summary->count_count == COUNTS_MAX || count == 0 ||
		strlen(name) > 100 || find_count(summary, "", name) != NULL)
		return summary_in_fail(in, "a wrong count", err);
	return insert_count(summary, keep(summary, name), count)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static enum ctp_status add_counts(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	for (size_t i = 0; i < from->count_count; i++)
		if (!summary_add_count(to, "", from->counts[i].name,
			    from->counts[i].count))
			return ctp_no_memory(err);
	return CTP_OK;
}

static void clear_counts(struct summary *summary)
{
	memory_free(summary->counts);
}

const struct summary_section summary_counts_section = {
	.name = "counts",
	.write = write_counts,
	.read = read_count,
	.add = add_counts,
	.clear = clear_counts,
};

/* ---- inputs ---- */

bool summary_add_input(struct summary *summary, struct summary_input input)
{
	input.path = keep(summary, input.path);
	if (input.path == NULL ||
		!array_reserve(&summary->inputs, summary->input_count,
			&summary->input_room, sizeof(*summary->inputs)))
		return false;
	summary->inputs[summary->input_count++] = input;
	return true;
}

static int compare_inputs(const void *a, const void *b)
{
	const struct summary_input *left = a;
	const struct summary_input *right = b;
	int order = strcmp(left->path, right->path);

	if (order != 0)
		return order;
	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? -1 : 1;
	return (left->rank > right->rank) - (left->rank < right->rank);
}

/* Skips "./", and slashes after it. */
static const char *skip_here(const char *path)
{
	while (path[0] == '.' && path[1] == '/') {
		path += 2;
		while (*path == '/')
			path++;
	}
	return path;
}

/* Compares paths that may be spelled differently: "a/b", "./a/b" and "a//b". */
static int compare_paths(const char *left, const char *right)
{
	left = skip_here(left);
	right = skip_here(right);
	while (*left == *right && *left != '\0') {
		bool is_slash = *left == '/';

		for (left++; is_slash && *left == '/';)
			left++;
		for (right++; is_slash && *right == '/';)
			right++;
		left = is_slash ? skip_here(left) : left;
		right = is_slash ? skip_here(right) : right;
	}
	return (unsigned char)*left - (unsigned char)*right;
}

static int compare_spellings(const void *a, const void *b)
{
	const struct summary_input *left = a;
	const struct summary_input *right = b;
	int order = compare_paths(left->path, right->path);

	return order != 0 ? order : compare_inputs(a, b);
}

static void sort_inputs(struct summary *summary,
	int (*compare)(const void *left, const void *right))
{
	if (summary->input_count != 0)
		qsort(summary->inputs, summary->input_count,
			sizeof(*summary->inputs), compare);
}

/* By rank, then by part. */
static int compare_ranks(const void *a, const void *b)
{
	const struct summary_input *left = a;
	const struct summary_input *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	if (left->part != right->part)
		return left->part < right->part ? -1 : 1;
	return compare_inputs(a, b);
}

enum ctp_status summary_check_inputs(
	struct summary *summary, struct ctp_error *err)
{
	sort_inputs(summary, compare_ranks);
	for (size_t i = 1; i < summary->input_count; i++) {
		const struct summary_input *one = &summary->inputs[i - 1];
		const struct summary_input *two = &summary->inputs[i];

		if (one->rank >= 0 && one->rank == two->rank &&
			one->part != two->part)
			return ctp_fail(err, CTP_ERR_UNSUPPORTED,
				"rank %" PRId64 " is there twice (see "
				"--allow-repeats): as %s and as %s",
				one->rank, one->path, two->path);
	}
	sort_inputs(summary, compare_spellings);
	for (size_t i = 1; i < summary->input_count; i++) {
		const struct summary_input *one = &summary->inputs[i - 1];
		const struct summary_input *two = &summary->inputs[i];

		if (compare_paths(one->path, two->path) != 0)
			continue;
		return strcmp(one->path, two->path) == 0
			       ? ctp_fail(err, CTP_ERR_UNSUPPORTED,
					 "input %s is there twice: with "
					 "%" PRIu64 " bytes and with %" PRIu64,
					 one->path, one->bytes, two->bytes)
			       : ctp_fail(err, CTP_ERR_UNSUPPORTED,
					 "input %s is there twice: as %s and "
					 "as %s",
					 one->path, one->path, two->path);
	}
	return CTP_OK;
}

static enum ctp_status write_inputs(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	sort_inputs(summary, compare_inputs);
	for (size_t i = 0; i < summary->input_count; i++) {
		const struct summary_input *input = &summary->inputs[i];

		summary_out_row(out);
		summary_out_text(out, input->path);
		summary_out_number(out, input->bytes);
		summary_out_number(out, (uint64_t)(input->rank + 1));
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_input(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct summary_input input = {
		.path = summary_in_text(in),
		.bytes = summary_in_number(in),
	};

	input.rank = (int64_t)summary_in_index(in, INT32_MAX) - 1;
	return summary_add_input(summary, input) ? CTP_OK : ctp_no_memory(err);
}

static enum ctp_status add_inputs(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	for (size_t i = 0; i < from->input_count; i++)
		if (!summary_add_input(to, from->inputs[i]))
			return ctp_no_memory(err);
	return CTP_OK;
}

static void clear_inputs(struct summary *summary)
{
	memory_free(summary->inputs);
}

const struct summary_section summary_inputs_section = {
	.name = "inputs",
	.write = write_inputs,
	.read = read_input,
	.add = add_inputs,
	.clear = clear_inputs,
};

/* ---- lost inputs ---- */

bool summary_add_lost(
	struct summary *summary, const char *path, const char *reason)
{
	struct summary_lost lost = {keep(summary, path), keep(summary, reason)};

	if (lost.path == NULL || lost.reason == NULL ||
		!array_reserve(&summary->lost, summary->lost_count,
			&summary->lost_room, sizeof(*summary->lost)))
		return false;
	summary->lost[summary->lost_count++] = lost;
	return true;
}

static int compare_lost(const void *a, const void *b)
{
	const struct summary_lost *left = a;
	const struct summary_lost *right = b;
	int order = strcmp(left->path, right->path);

	return order != 0 ? order : strcmp(left->reason, right->reason);
}

void summary_sort_lost(struct summary *summary)
{
	if (summary->lost_count != 0)
		qsort(summary->lost, summary->lost_count,
			sizeof(*summary->lost), compare_lost);
}

static enum ctp_status write_lost(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	summary_sort_lost(summary);
	for (size_t i = 0; i < summary->lost_count; i++) {
		summary_out_row(out);
		summary_out_text(out, summary->lost[i].path);
		summary_out_text(out, summary->lost[i].reason);
		summary_out_end_row(out);
	}
	return CTP_OK;
}

static enum ctp_status read_lost(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	const char *path = summary_in_text(in);
	const char *reason = summary_in_text(in);

	return summary_add_lost(summary, path, reason) ? CTP_OK
						       : ctp_no_memory(err);
}

static enum ctp_status add_lost(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	for (size_t i = 0; i < from->lost_count; i++)
		if (!summary_add_lost(
			    to, from->lost[i].path, from->lost[i].reason))
			return ctp_no_memory(err);
	return CTP_OK;
}

static void clear_lost(struct summary *summary)
{
	memory_free(summary->lost);
}

const struct summary_section summary_lost_section = {
	.name = "lost",
	.write = write_lost,
	.read = read_lost,
	.add = add_lost,
	.clear = clear_lost,
};
