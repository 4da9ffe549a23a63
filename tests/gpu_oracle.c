/* SPDX-License-Identifier: MIT */
/*
 * Compares the fake libcupti with NVIDIA's, LIBCUPTI, which needs no GPU for
 * it: its own cuptiActivityGetNextRecord() finds the records in what the fake
 * writes, as it lays them out for that version; and calls have the same names.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fake/cupti_names.h"
#include "fake/cupti_record.h"
#include "fake/fake_abi.h"

#define BYTES 65536
#define ROUNDS 20
#define CBIDS 1024

static int (*get_version)(uint32_t *version);
static int (*get_next)(uint8_t *bytes, size_t valid, uint8_t **record);
static int (*get_name)(int domain, uint32_t cbid, const char **name);

/* The records that the fake's program causes have the thread's number. */
bool cupti_ids_are_system(void);
bool cupti_ids_are_system(void)
{
	return true;
}

/* Which of the fake's versions it is; NULL: none of them. */
static const char *layout_of(uint32_t version)
{
	if (version == 18)
		return "11.8";
	if (version == 22)
		return "12.4";
	return version >= 130000 && version < 130100 ? "13.0" : NULL;
}

static size_t write_records(uint8_t *bytes, size_t *offsets, uint32_t *count)
{
	static const enum fake_kind kinds[] = {FAKE_CONCURRENT_KERNEL,
		FAKE_MEMCPY, FAKE_MEMCPY2, FAKE_MEMSET, FAKE_SYNCHRONIZATION,
		FAKE_OVERHEAD, FAKE_RUNTIME, FAKE_DRIVER, FAKE_KERNEL};
	const struct fake_kernel kernel = {
		.name = "kernel", .grid = {1, 2, 3}, .block = {4, 5, 6}};
	const struct fake_copy copy = {.kind = 1, .source = 1, .target = 3};
	size_t used = 0;

	*count = 0;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
			/* In every order. */
			const struct fake_activity activity = {
				.kind = kinds[(i * (size_t)(round + 1)) % 9],
				.start_ns = 1000,
				.end_ns = 2000,
				.kernel = &kernel,
				.name = kernel.name,
				.copy = &copy,
			};

			cupti_record_write(bytes + used, &activity);
			offsets[(*count)++] = used;
			used += cupti_record_size(activity.kind);
		}
	}
	return used;
}

static bool walks(void)
{
	static uint8_t bytes[BYTES] __attribute__((aligned(64)));
	static size_t offsets[BYTES / 16];
	uint32_t count;
	uint32_t found = 0;
	size_t used = write_records(bytes, offsets, &count);
	uint8_t *record = NULL;
	int result;

	while ((result = get_next(bytes, used, &record)) == FAKE_OK) {
		if (found == count ||
			(size_t)(record - bytes) != offsets[found]) {
			printf("record %" PRIu32 " is at %td\n", found,
				record - bytes);
			return false;
		}
		found++;
	}
	printf("%" PRIu32 " of %" PRIu32 " records\n", found, count);
	return result == FAKE_MAX_LIMIT_REACHED && found == count;
}

/* Those that the fake invents do not count. */
static bool names_agree(void)
{
	bool agree = true;

	for (int domain = FAKE_DRIVER_API; domain <= FAKE_RUNTIME_API; domain++)
		for (uint32_t cbid = 1; cbid < CBIDS; cbid++) {
			const char *ours = cupti_name(domain, cbid);
			const char *theirs = NULL;
			int result = get_name(domain, cbid, &theirs);

			if ((ours == NULL) != (result != FAKE_OK)) {
				printf("call %" PRIu32 " of %d is there, or "
				       "not\n",
					cbid, domain);
				agree = false;
			} else if (ours != NULL &&
				   strstr(ours, "Call") == NULL &&
				   strcmp(ours, theirs) != 0) {
				printf("call %" PRIu32 " is %s, not %s\n", cbid,
					theirs, ours);
				agree = false;
			}
		}
	return agree;
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	uint32_t version;

	if (library == NULL) {
		printf("%s\n", argc == 2 ? dlerror() : "which library?");
		return 2;
	}
	*(void **)&get_version = dlsym(library, "cuptiGetVersion");
	*(void **)&get_next = dlsym(library, "cuptiActivityGetNextRecord");
	*(void **)&get_name = dlsym(library, "cuptiGetCallbackName");
	if (get_version == NULL || get_next == NULL || get_name == NULL ||
		get_version(&version) != FAKE_OK)
		return 2;
	if (layout_of(version) == NULL) {
		printf("the fake is none of version %" PRIu32 "\n", version);
		return 77;
	}
	cupti_record_choose(layout_of(version));
	return walks() && names_agree() ? 0 : 1;
}
