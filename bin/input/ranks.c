/* SPDX-License-Identifier: MIT */
#include "input/ranks.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Rank numbers have at most this many digits; longer numbers are times. */
#define RANK_DIGITS 7

/* Kineto: {"backend": "nccl", "rank": 3, "world_size": 8, ...}. The rank in a job
 * of at least `least` processes. */
static int64_t find_recorded(const struct trace *trace, json_int_t least)
{
	const char *text = trace_find_fact(trace, TRACE_DISTRIBUTED);
	json_t *root = text == NULL ? NULL : json_loads(text, 0, NULL);
	const json_t *number = json_object_get(root, "rank");
	const json_t *size = json_object_get(root, "world_size");
	int64_t found = -1;

	if (json_is_integer(size) && json_integer_value(size) < least)
		number = NULL;

	if (json_is_integer(number) && json_integer_value(number) >= 0)
		found = json_integer_value(number);
	json_decref(root);
	return found;
}

static int64_t recorded_rank(const struct rank *rank)
{
	return find_recorded(rank->trace, 0);
}

/* Reads the number that begins here; -1 if none. */
static int64_t read_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && digits <= RANK_DIGITS ? strtol(text, NULL, 10)
						   : -1;
}

/* Our own logs have it from the environment. */
static int64_t logged_rank(const struct rank *rank)
{
	const char *text = trace_find_fact(rank->trace, TRACE_RANK);

	return text == NULL ? -1 : read_number(text);
}

/* "rank3", "Rank_3", "worker-3", anywhere in the file name. */
static int64_t rank_in_name(const struct rank *rank)
{
	static const char *const words[] = {"rank", "worker"};

	for (const char *at = basename(rank->path); *at != '\0'; at++)
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			size_t size = strlen(words[i]);
			int64_t number;

			if (strncasecmp(at, words[i], size) != 0)
				continue;
			number =
				read_number(at + size +
					    (strchr("_-.=", at[size]) != NULL &&
						    at[size] != '\0'));
			if (number >= 0)
				return number;
		}
	return -1;
}

int64_t ranks_find(const char *path, const struct trace *trace)
{
	const struct rank rank = {.path = path, .trace = trace};
	/* A process alone is not a rank of a job. */
	int64_t number = find_recorded(trace, 2);

	/* The names of its processes have the ranks. */
	if (trace_find_fact(trace, TRACE_MERGED) != NULL)
		return -1;
	if (number < 0)
		number = logged_rank(&rank);
	return number < 0 ? rank_in_name(&rank) : number;
}

/* Length of the file name without its suffixes. */
static size_t stem_size(const char *base)
{
	size_t size = strcspn(base, ".");

	return size == 0 ? strlen(base) : size;
}

/* "step_3.json", "3.json" */
static int64_t last_number(const struct rank *rank)
{
	const char *base = basename(rank->path);
	size_t size = stem_size(base);
	size_t at = size;

	while (at > 0 && isdigit((unsigned char)base[at - 1]))
		at--;
	return at == size ? -1 : read_number(base + at);
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a;
	int64_t right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

/* Takes the numbers if all inputs have one. Numbers from names must be unique,
 * and arbitrary numbers must not be far above their count. */
static bool find_numbers(struct rank *ranks, size_t count,
	int64_t (*find)(const struct rank *rank), bool *failed)
{
	int64_t *numbers = calloc(count + 1, sizeof(*numbers));
	size_t used = 0;
	bool done = numbers != NULL;

	*failed = numbers == NULL;
	for (size_t i = 0; i < count && done; i++) {
		if (ranks[i].merged)
			continue;
		ranks[i].number = find(&ranks[i]);
		done = ranks[i].number >= 0;
		numbers[used++] = ranks[i].number;
	}
	if (done && find != recorded_rank) {
		qsort(numbers, used, sizeof(*numbers), compare_numbers);
		for (size_t i = 1; i < used && done; i++)
			done = numbers[i] != numbers[i - 1];
		if (find == last_number && used > 0)
			done = done &&
			       numbers[used - 1] < (int64_t)(4 * used + 16);
	}
	for (size_t i = 0; i < count && !done; i++)
		ranks[i].number = -1;
	free(numbers);
	return done;
}

/* By number, then in the order given. */
static int compare_ranks(const void *a, const void *b)
{
	const struct rank *left = *(const struct rank *const *)a;
	const struct rank *right = *(const struct rank *const *)b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left < right ? -1 : left > right;
}

static bool set_order(struct rank *ranks, size_t count)
{
	struct rank **sorted = calloc(count + 1, sizeof(*sorted));

	if (sorted == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &ranks[i];
	qsort(sorted, count, sizeof(*sorted), compare_ranks);
	for (size_t i = 0; i < count; i++)
		sorted[i]->order = (uint32_t)i + 1;
	free(sorted);
	return true;
}

/* Without numbers, the label is the file name without its last suffix. */
static void label_by_name(struct rank *rank)
{
	const char *base = basename(rank->path);
	const char *end = strrchr(base, '.');
	size_t size = end == NULL || end == base ? strlen(base)
						 : (size_t)(end - base);

	if (size > 3 && strncmp(base + size, ".gz", 3) == 0) {
		end = memrchr(base, '.', size);
		if (end != NULL && end != base)
			size = (size_t)(end - base);
	}
	(void)snprintf(rank->label, sizeof(rank->label), "%.*s",
		size >= RANKS_LABEL ? RANKS_LABEL - 1 : (int)size, base);
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* True if out of memory, too: numbers are unique in any case. */
static bool has_duplicates(const struct rank *ranks, size_t count)
{
	const char **labels = calloc(count + 1, sizeof(*labels));
	size_t used = 0;
	bool found = labels == NULL;

	for (size_t i = 0; i < count && !found; i++)
		if (!ranks[i].merged)
			labels[used++] = ranks[i].label;
	if (used > 0)
		qsort(labels, used, sizeof(*labels), compare_labels);
	for (size_t i = 1; i < used && !found; i++)
		found = strcmp(labels[i - 1], labels[i]) == 0;
	free(labels);
	return found;
}

static void set_labels(struct rank *ranks, size_t count, bool numbered)
{
	for (size_t i = 0; i < count; i++) {
		struct rank *rank = &ranks[i];

		if (rank->merged)
			rank->label[0] = '\0';
		else if (numbered)
			(void)snprintf(rank->label, sizeof(rank->label),
				"rank %" PRId64, rank->number);
		else
			label_by_name(rank);
	}
	if (numbered || !has_duplicates(ranks, count))
		return;
	for (size_t i = 0; i < count; i++)
		if (!ranks[i].merged)
			(void)snprintf(ranks[i].label, sizeof(ranks[i].label),
				"input %" PRIu32, ranks[i].order);
}

bool ranks_label(struct rank *ranks, size_t count)
{
	static int64_t (*const find[])(const struct rank *rank) = {
		recorded_rank, logged_rank, rank_in_name, last_number};
	bool numbered = false;
	bool failed = false;

	for (size_t i = 0; i < count; i++) {
		ranks[i].merged =
			trace_find_fact(ranks[i].trace, TRACE_MERGED) != NULL;
		ranks[i].number = -1;
	}
	for (size_t i = 0;
		i < sizeof(find) / sizeof(find[0]) && !numbered && !failed; i++)
		numbered = find_numbers(ranks, count, find[i], &failed);
	if (failed || !set_order(ranks, count))
		return false;
	set_labels(ranks, count, numbered);
	return true;
}
