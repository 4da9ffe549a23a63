/* SPDX-License-Identifier: MIT */
/*
 * Merges summaries as random trees, in part through files: the result must be
 * the same file each time.
 *
 *	merge_trees TREES RESULT PART...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary/summary.h"

#define PARTS_MAX 64

static struct ctp_error err;

static void require(bool condition, const char *what)
{
	if (condition)
		return;
	(void)fprintf(stderr, "merge_trees: %s: %s\n", what, err.message);
	exit(1);
}

static struct summary *read_stream(FILE *in, const char *name)
{
	struct trace *trace = trace_new(NULL);
	struct summary *summary = NULL;

	require(in != NULL && trace != NULL &&
			summary_read((struct summary_file){.in = in}, trace,
				&summary, &err) == CTP_OK,
		name);
	trace_free(trace);
	(void)fclose(in);
	return summary;
}

/* The caller frees the bytes and the summary. */
static char *write_bytes(struct summary *summary, size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	require(out != NULL && summary_write(summary, out, &err) == CTP_OK,
		"write");
	require(fclose(out) == 0, "write");
	return bytes;
}

static struct summary *through_file(struct summary *summary)
{
	size_t size;
	char *bytes = write_bytes(summary, &size);
	struct summary *again =
		read_stream(fmemopen(bytes, size, "rb"), "read again");

	free(bytes);
	summary_free(summary);
	return again;
}

static struct summary *merge_tree(char **paths, size_t count)
{
	struct summary *parts[PARTS_MAX];

	for (size_t i = 0; i < count; i++)
		parts[i] = read_stream(fopen(paths[i], "rb"), paths[i]);
	while (count > 1) {
		size_t to = (size_t)rand() % count;
		size_t from = (size_t)rand() % count;

		if (to == from)
			continue;
		if (rand() % 4 == 0)
			parts[to] = through_file(parts[to]);
		require(summary_add(parts[to], parts[from], &err) == CTP_OK,
			"add");
		summary_free(parts[from]);
		parts[from] = parts[--count];
	}
	return parts[0];
}

int main(int argc, char **argv)
{
	int trees = argc > 3 ? atoi(argv[1]) : 0;
	struct summary *result;
	size_t expected_size;
	char *expected;

	require(trees > 0 && argc - 3 <= PARTS_MAX,
		"usage: merge_trees TREES RESULT PART...");
	result = read_stream(fopen(argv[2], "rb"), argv[2]);
	expected = write_bytes(result, &expected_size);
	summary_free(result);
	for (int i = 0; i < trees; i++) {
		struct summary *sum;
		size_t size;
		char *bytes;

		srand((unsigned)i);
		sum = merge_tree(argv + 3, (size_t)argc - 3);
		bytes = write_bytes(sum, &size);
		require(size == expected_size &&
				memcmp(bytes, expected, size) == 0,
			"another result");
		summary_free(sum);
		free(bytes);
	}
	free(expected);
	(void)printf("%d trees\n", trees);
	return 0;
}
