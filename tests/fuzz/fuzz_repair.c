/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes, repaired. The output is JSON for the strictest
 * parser, and a trace that is valid JSON stays the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_case.h"
#include "json/json.h"
#include "base/memory.h"
#include "json_repair/repair.h"

/* The repaired text, to be freed; NULL if it cannot be repaired, or without
 * memory. */
static char *mend(const void *bytes, size_t size, size_t *out_size)
{
	char *text = NULL;
	FILE *in = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	FILE *out = open_memstream(&text, out_size);
	struct repair_result result;
	struct repair_job job = {.in = in, .out = out};
	enum ctp_status status;

	fuzz_require(in != NULL && out != NULL);
	status = repair_run(&job, &result, NULL);
	(void)fclose(in);
	(void)fclose(out);
	fuzz_require(status != CTP_ERR_NOMEM || memory_was_refused());
	if (status == CTP_OK) {
		fuzz_require(result.in_bytes == size);
		fuzz_require(result.out_bytes == *out_size);
		fuzz_require(result.slices <= result.events);
		return text;
	}
	free(text);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t once_size;
	size_t twice_size;
	char *once;
	char *twice;

	if (size == 0)
		return 0;
	memory_set_limit(FUZZ_MEMORY);
	once = mend(bytes, size, &once_size);
	if (once == NULL)
		return 0;
	fuzz_require(json_check(once, once_size));
	twice = mend(once, once_size, &twice_size);
	fuzz_require(twice != NULL || memory_was_refused());
	fuzz_require(twice == NULL || json_check(twice, twice_size));
	free(twice);
	free(once);
	return 0;
}
