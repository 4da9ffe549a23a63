/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the timeline of a page, made from a log. The first two bytes are
 * the numbers of slices and bins; the rest is the log, as in fuzz_log.c. The
 * slices that are kept and the sums of the others have the time and the number
 * of all slices of each lane, however far they are reduced.
 */
#include <stdio.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "digest/digest.h"
#include "format.h"
#include "fuzz_case.h"

static uint8_t slice_count;
static uint8_t bin_count;

static void check_lane(const struct digest *digest, uint32_t number)
{
	const struct digest_lane *lane = &digest->lanes[number];
	uint64_t time_ns = 0;
	uint64_t count = 0;

	for (uint32_t i = 0; i < digest->store.count; i++) {
		const struct digest_slice *slice = &digest->store.slices[i];

		if (slice->lane != number)
			continue;
		time_ns = saturate_sum(time_ns, slice->dur_ns);
		count++;
		fuzz_require(slice->row < DIGEST_ROWS);
	}
	for (uint32_t i = 0; i < digest->bins.count; i++) {
		const struct slice_bin *bin = &digest->bins.bins[i];

		if (bin->lane != number)
			continue;
		time_ns = saturate_sum(time_ns, bin->busy_ns);
		count += bin->count;
		fuzz_require(bin->lead_ns <= bin->busy_ns);
	}
	fuzz_require(time_ns == lane->time_ns);
	fuzz_require(count == lane->count);
}

static void check_digest(struct digest *digest)
{
	for (unsigned half = 0; half < 3; half++) {
		if (!digest_reduce(
			    digest, slice_count >> half, bin_count >> half))
			return;
		for (uint32_t i = 0; i < digest->lane_count; i++)
			check_lane(digest, i);
	}
}

static void read_log(const void *log, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)log, size, "rb");
	struct event_source *source;
	struct fuzz_source limited;
	struct digest *digest;
	struct event event;
	enum ctp_status status;

	fuzz_require(file != NULL);
	fuzz_require(format_find("log")->open_events(
			     file, NULL, 0, NULL, &source, NULL) == CTP_OK);
	fuzz_source_init(&limited, source);
	digest = digest_new(source->trace, slice_count, bin_count);
	if (digest != NULL) {
		while ((status = limited.source.next(
				&limited.source, &event, NULL)) == CTP_OK)
			if (digest_add(digest, &event, NULL, NULL) != CTP_OK)
				break;
		if (digest_finish(digest, NULL) == CTP_OK)
			check_digest(digest);
		digest_free(digest);
	}
	source->close(source);
	(void)fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size < 2)
		return 0;
	memory_set_limit(FUZZ_MEMORY);
	slice_count = (uint8_t)(bytes[0] | 1);
	bin_count = (uint8_t)(bytes[1] | 1);
	fuzz_with_log(bytes + 2, size - 2, read_log);
	return 0;
}
