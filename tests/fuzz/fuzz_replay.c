/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a log converted to any format that is written, as `ctprof
 * convert` does it. The first byte chooses the format, the second the options;
 * the rest is the log, as in fuzz_log.c. Conversion succeeds or reports an
 * error of the input; it never runs out of memory or hangs.
 */
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "fuzz_case.h"
#include "base/memory.h"

static struct convert_job job;

static const struct format *choose(uint8_t number)
{
	const struct format *written[16];
	size_t count = 0;

	for (const struct format *const *at = formats; *at != NULL; at++)
		/* The format svg runs other programs on dot's output. */
		if (((*at)->new_timeline != NULL ||
			    (*at)->write_profile != NULL) &&
			strcmp((*at)->name, "svg") != 0)
			written[count++] = *at;
	return written[number % count];
}

static void convert(const void *log, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)log, size, "rb");
	struct ctp_error err = {0};
	struct event_source *source;
	struct fuzz_source limited;
	struct read_request request = {.names = READ_NAMES_FULL};
	enum ctp_status status;

	fuzz_require(file != NULL);
	convert_set_request(job.to, &request);
	fuzz_require(format_find("log")->open_events(
			     file, NULL, 0, &request, &source, &err) == CTP_OK);
	fuzz_source_init(&limited, source);
	status = convert_run(&limited.source, &job, &err);
	fuzz_require(status == CTP_OK || status == CTP_ERR_FORMAT ||
		     status == CTP_ERR_UNSUPPORTED || memory_was_refused());
	source->close(source);
	(void)fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t options;

	if (size < 2)
		return 0;
	options = bytes[1];
	memory_set_limit(FUZZ_MEMORY);
	job = (struct convert_job){.to = choose(bytes[0]),
		.out = fopen("/dev/null", "wb"),
		.options.title = (options & 1) != 0 ? "title" : NULL,
		.all_edge_times = (options & 2) != 0,
		.device = (enum replay_device)((options >> 6) % 3),
		.top = options >> 2 & 3,
		.min_parts = (options & 16) != 0 ? CONVERT_PARTS / 100 : 0,
		.min_cumtime_ns = (options & 32) != 0 ? 100 : 0};
	fuzz_require(job.out != NULL);
	fuzz_with_log(bytes + 2, size - 2, convert);
	(void)fclose(job.out);
	return 0;
}
