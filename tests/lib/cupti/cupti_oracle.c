/* SPDX-License-Identifier: MIT */
/*
 * Compares the fake libcupti with NVIDIA's LIBCUPTI, which needs no GPU for
 * that. NVIDIA's cuptiActivityGetNextRecord() must find the records that the
 * fake writes in the layout of that version, and the names of calls must be
 * equal.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/cupti_names.h"
#include "fake/cupti_record.h"
#include "fake/fake_abi.h"

#define BYTES 65536
#define ROUNDS 20
#define CBIDS 1024
#define PROBE_BYTES 4096

#define SKIPPED 77
#define CRASHES 78

static int (*get_version)(uint32_t *version);
static int (*get_next)(uint8_t *bytes, size_t valid, uint8_t **record);
static int (*get_name)(int domain, uint32_t cbid, const char **name);

/* The records of the fake's program contain the thread's number. */
bool cupti_ids_are_system(void);
bool cupti_ids_are_system(void)
{
	return true;
}

/* By LIBCUPTI's reading of a buffer that is filled with its number; 0 if
 * unknown. */
static size_t size_of(enum fake_kind kind)
{
	static uint32_t words[PROBE_BYTES / sizeof(uint32_t)]
		__attribute__((aligned(64)));
	uint8_t *first = NULL;
	uint8_t *second;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		words[i] = kind;
	if (get_next((uint8_t *)words, sizeof(words), &first) != FAKE_OK)
		return 0;
	second = first;
	if (get_next((uint8_t *)words, sizeof(words), &second) != FAKE_OK)
		return 0;
	return (size_t)(second - first);
}

/* The version of the fake for this library; NULL: none. 12.0 and 12.1 report
 * the version of 11.8, and have longer records. */
static const char *layout_of(uint32_t version)
{
	if (version == 18 && size_of(FAKE_CONCURRENT_KERNEL) == 200)
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

/* The fake's invented ones do not count. */
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

/* The library's version, asked in a child. Without a suitable driver, 13.2
 * calls itself until the stack is exhausted, and later versions return no
 * version. Returns 0 if it gives its version. */
static int ask_version(uint32_t *version)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(get_version(version) != FAKE_OK);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 2;
	if (!WIFEXITED(status)) {
		printf("it crashes without a driver\n");
		return CRASHES;
	}
	if (WEXITSTATUS(status) != 0 || get_version(version) != FAKE_OK) {
		printf("it has no version without a driver\n");
		return SKIPPED;
	}
	return 0;
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	uint32_t version = 0;
	int result;

	if (library == NULL) {
		printf("%s\n", argc == 2 ? dlerror() : "which library?");
		return 2;
	}
	*(void **)&get_version = dlsym(library, "cuptiGetVersion");
	*(void **)&get_next = dlsym(library, "cuptiActivityGetNextRecord");
	*(void **)&get_name = dlsym(library, "cuptiGetCallbackName");
	if (get_version == NULL || get_next == NULL || get_name == NULL)
		return 2;
	result = ask_version(&version);
	if (result != 0)
		return result;
	if (layout_of(version) == NULL) {
		printf("the fake is not of version %" PRIu32 "\n", version);
		return SKIPPED;
	}
	cupti_record_choose(layout_of(version));
	return walks() && names_agree() ? 0 : 1;
}
