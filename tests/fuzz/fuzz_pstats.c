/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a profile of Python, read and written again; the
 * written profile must be read as the same profile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_case.h"
#include "base/memory.h"
#include "profile/estimated_tree.h"
#include "format.h"
#include "pstats/pstats.h"

/* Reads bytes into a profile; NULL if that fails, as it may. */
static struct profile *read_bytes(const void *bytes, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	struct profile *profile = NULL;
	struct event_source *source;
	struct ctp_error err;

	fuzz_require(file != NULL);
	fuzz_require(format_open(&pstats_format, file, NULL, 0, NULL, &source,
			     &err) == CTP_OK);
	if (source->read_profile(source, &profile, &err) != CTP_OK)
		profile = NULL;
	fuzz_require(source->position(source) <= size);
	source->close(source);
	(void)fclose(file);
	return profile;
}

static void check_edges(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->edge_count; i++)
		fuzz_require(
			profile->edges[i].caller < profile->function_count &&
			profile->edges[i].callee < profile->function_count);
}

/* Writes the profile; the caller frees the bytes. */
static char *write_profile(const struct profile *profile, size_t *size)
{
	char *bytes = NULL;
	struct ctp_error err;
	FILE *out = open_memstream(&bytes, size);

	fuzz_require(out != NULL);
	fuzz_require(pstats_write(out, profile, false, &err) == CTP_OK);
	fuzz_require(fclose(out) == 0);
	return bytes;
}

static void check_again(struct profile *profile)
{
	size_t size;
	char *bytes = write_profile(profile, &size);
	struct profile *again = read_bytes(bytes, size);
	size_t second_size;
	char *second;

	if (again != NULL) {
		second = write_profile(again, &second_size);
		fuzz_require(size == second_size &&
			     memcmp(bytes, second, size) == 0);
		free(second);
		profile_free(again);
	}
	free(bytes);
}

static void check_tree(struct profile *profile)
{
	struct ctp_error err;

	if (profile_estimate_tree(profile, &err) != CTP_OK)
		return;
	for (uint32_t i = 1; i < profile->node_count; i++)
		fuzz_require(
			profile->nodes[i].parent < i &&
			profile->nodes[i].function < profile->function_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct profile *profile;

	if (size == 0)
		return 0;
	memory_set_limit(FUZZ_MEMORY);
	(void)pstats_probe(bytes, size);
	profile = read_bytes(bytes, size);
	if (profile == NULL)
		return 0;
	check_edges(profile);
	check_again(profile);
	check_tree(profile);
	profile_free(profile);
	return 0;
}
