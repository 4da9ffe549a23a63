/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a summary. One that is read is written, read again
 * and written as the same bytes, and can be merged with itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz_case.h"
#include "ranks/stragglers.h"
#include "summary/summary.h"

static struct summary *read_bytes(const void *bytes, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	struct trace *trace = trace_new(NULL);
	struct summary *summary = NULL;
	struct ctp_error err;

	fuzz_require(file != NULL && trace != NULL);
	if (summary_read((struct summary_file){.in = file}, trace, &summary,
		    &err) != CTP_OK)
		summary = NULL;
	trace_free(trace);
	(void)fclose(file);
	return summary;
}

/* The caller frees the bytes. */
static char *write_bytes(struct summary *summary, size_t *size)
{
	char *bytes = NULL;
	struct ctp_error err;
	FILE *out = open_memstream(&bytes, size);

	fuzz_require(out != NULL);
	fuzz_require(summary_write(summary, out, &err) == CTP_OK);
	fuzz_require(fclose(out) == 0);
	return bytes;
}

static void check_again(struct summary *summary)
{
	size_t size;
	size_t second_size;
	char *bytes = write_bytes(summary, &size);
	struct summary *again = read_bytes(bytes, size);
	struct ctp_error err;
	char *second;

	fuzz_require(again != NULL);
	second = write_bytes(again, &second_size);
	fuzz_require(size == second_size && memcmp(bytes, second, size) == 0);
	fuzz_require(summary_add(summary, again, &err) == CTP_OK);
	(void)summary_check_inputs(summary, &err);
	free(bytes);
	free(second);
	summary_free(again);
}

/* The sums that `ctprof ranks` shows. */
static void check_ranks(struct ranks *ranks)
{
	static const struct stragglers_by all[] = {
		{.host = false}, {.host = true}, {.ranks = 2}};
	struct stragglers found;
	struct collective_sums *sums;

	fuzz_require(ranks_sort(ranks));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		fuzz_require(stragglers_find(&found, ranks, all[i]));
		fuzz_require(found.count <= ranks->row_count);
		stragglers_clear(&found);
	}
	sums = collectives_sum(&ranks->collectives);
	fuzz_require(sums != NULL);
	memory_free(sums);
	for (uint32_t i = 0; i < ranks->item_count; i++) {
		const struct spread *spread = &ranks->items[i].self;
		uint64_t median_ns = spread_quantile(spread, 50);

		fuzz_require(median_ns >= spread->min_ns &&
			     median_ns <= spread->max_ns);
		(void)spread_deviation(spread);
		(void)spread_lost(spread);
	}
}

static void use(const void *bytes, size_t size)
{
	struct summary *summary = read_bytes(bytes, size);

	(void)summary_probe(bytes, size);
	if (summary != NULL)
		check_again(summary);
	if (summary != NULL && summary->ranks != NULL)
		check_ranks(summary->ranks);
	summary_free(summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	memory_set_limit(FUZZ_MEMORY);
	fuzz_with_log(bytes, size, use);
	return 0;
}
