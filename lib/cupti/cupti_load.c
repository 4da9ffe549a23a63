/* SPDX-License-Identifier: MIT */
/*
 * Chooses the libcupti: a process must never have two of them. One without a
 * subscriber reports nothing, without an error.
 */
#include "cupti/cupti_load.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"

/* Newest first: an older CUPTI works with a newer driver, but not vice
 * versa. */
static const struct soname {
	int major; /* of its driver; 0: any */
	const char *name;
} sonames[] = {
	{13, "libcupti.so.13"},
	{12, "libcupti.so.12"},
	{11, "libcupti.so.11.8"},
	{11, "libcupti.so.11.7"},
	{11, "libcupti.so.11.6"},
	{11, "libcupti.so.11.5"},
	{11, "libcupti.so.11.4"},
	{11, "libcupti.so.11.3"},
	{11, "libcupti.so.11.2"},
	{11, "libcupti.so.11.1"},
	{0, "libcupti.so"},
};

/* Its places relative to CUDA's runtime: in Python packages and in the toolkit,
 * whose libraries are in lib64 or targets/ARCH-linux/lib. */
static const char *const beside[] = {".", "../../cu13/lib",
	"../../cuda_cupti/lib", "../../nvidia/cu13/lib",
	"../../nvidia/cuda_cupti/lib", "../extras/CUPTI/lib64",
	"../../extras/CUPTI/lib64", "../../../extras/CUPTI/lib64"};

static const char *const toolkit[] = {
	"/usr/local/cuda/lib64",
	"/usr/local/cuda/extras/CUPTI/lib64",
#ifdef __aarch64__ /* servers; lib64 may be missing */
	"/usr/local/cuda/targets/sbsa-linux/lib",
#endif
};

struct mapped {
	char cupti[PATH_MAX];
	char runtime[PATH_MAX];
};

static void set_if_empty(char *out, const char *path)
{
	if (out[0] == '\0')
		(void)snprintf(out, PATH_MAX, "%s", path);
}

static int find_mapped(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name;
	const char *base = path == NULL ? NULL : strrchr(path, '/');
	struct mapped *mapped = data;

	(void)size;
	if (path == NULL)
		return 0;
	base = base == NULL ? path : base + 1;
	if (strncmp(base, "libcupti.so", 11) == 0)
		set_if_empty(mapped->cupti, path);
	else if (strncmp(base, "libcudart.so", 12) == 0 ||
		 strncmp(base, "libtorch_cuda.so", 16) == 0)
		set_if_empty(mapped->runtime, path);
	return 0;
}

static void *open_path(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *cupti_load_driver(void)
{
	return dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
}

int cupti_load_driver_version(void)
{
	void *driver = cupti_load_driver();
	void *found =
		driver == NULL ? NULL : dlsym(driver, "cuDriverGetVersion");
	int (*get)(int *);
	int version = 0;

	if (found == NULL)
		return 0;
	memcpy(&get, &found, sizeof(get));
	return get(&version) == 0 ? version : 0;
}

/* Opens the first name that exists in the directory; "": searched by the
 * dynamic linker. None newer than the driver, if known. */
static void *open_in(const char *directory, int driver_major)
{
	char path[PATH_MAX + 64];
	void *handle = NULL;

	for (size_t i = 0;
		handle == NULL && i < sizeof(sonames) / sizeof(sonames[0]);
		i++) {
		if (driver_major != 0 && sonames[i].major > driver_major)
			continue;
		(void)snprintf(path, sizeof(path), "%s%s%s", directory,
			directory[0] == '\0' ? "" : "/", sonames[i].name);
		if (directory[0] == '\0' || access(path, R_OK) == 0)
			handle = open_path(path);
	}
	return handle;
}

static void *open_beside(const char *runtime, int driver_major)
{
	char directory[PATH_MAX];
	char place[PATH_MAX + 64];
	char *slash;
	void *handle = NULL;

	(void)snprintf(directory, sizeof(directory), "%s", runtime);
	slash = strrchr(directory, '/');
	if (slash == NULL)
		return NULL;
	*slash = '\0';
	for (size_t i = 0;
		handle == NULL && i < sizeof(beside) / sizeof(beside[0]); i++) {
		(void)snprintf(
			place, sizeof(place), "%s/%s", directory, beside[i]);
		handle = open_in(place, driver_major);
	}
	return handle;
}

/* Opens one that is loaded already. */
static void *open_mapped(const char *path)
{
	if (path[0] != '\0')
		return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (dlsym(RTLD_DEFAULT, "cuptiActivityEnable") != NULL)
		return dlopen(NULL, RTLD_NOW);
	return NULL;
}

static void *open_any(void)
{
	int major = cupti_load_driver_version() / 1000;
	struct mapped mapped = {"", ""};
	void *handle;

	(void)dl_iterate_phdr(find_mapped, &mapped);
	handle = open_mapped(mapped.cupti);
	if (handle == NULL && mapped.runtime[0] != '\0')
		handle = open_beside(mapped.runtime, major);
	if (handle == NULL)
		handle = open_in("", major);
	for (size_t i = 0;
		handle == NULL && i < sizeof(toolkit) / sizeof(toolkit[0]); i++)
		handle = open_in(toolkit[i], major);
	return handle;
}

/*
 * Opens the library in CTPROF_CUPTI_LIB; else one that is loaded already, even
 * linked statically; else the one beside CUDA's runtime; else the dynamic
 * linker's, the driver's own version first; else the toolkit's default. It is
 * never closed: CUPTI's threads and handlers outlive any use. NULL, with
 * `reason`, if there is none.
 */
static void *find_library(char *reason, size_t size)
{
	const char *given = environment_find("CTPROF_CUPTI_LIB");
	const bool is_given = given != NULL && given[0] != '\0';
	void *handle = is_given ? open_path(given) : open_any();
	const char *why = dlerror();

	if (handle == NULL && is_given)
		(void)snprintf(reason, size, "cannot load %s: %s", given,
			why == NULL ? "" : why);
	else if (handle == NULL)
		(void)snprintf(reason, size,
			"libcupti not found; set CTPROF_CUPTI_LIB=PATH");
	return handle;
}

#define PROBE_BYTES 4096 /* two records of any kind */

struct cupti_library cupti_library;

/* Versions from cuptiGetVersion(): 18 is 11.8, and 12.0 and 12.1 as well; 24 is
 * 12.6, and from 13.0 on 130000 and so on. */
static const struct quirk {
	uint32_t from, below;
	enum cupti_quirk quirk;
	const char *words;
} quirks[] = {
	{0, 24, CUPTI_QUIRK_NO_THREAD_BUFFERS,
		"no buffers per thread before CUDA 12.6"},
	{130000, 130001, CUPTI_QUIRK_NEVER_DISABLE,
		"CUDA 13.0 GA: kinds are never disabled"},
};

static const struct function {
	const char *name;
	size_t offset;
	bool needed;
} functions[] = {
#define NEED(function, parameters) \
	{#function, offsetof(struct cupti, function), true},
#define MAY(function, parameters) \
	{#function, offsetof(struct cupti, function), false},
	CUPTI_FUNCTIONS(NEED, MAY)
#undef NEED
#undef MAY
};

static bool resolve(void *handle, char *reason, size_t size)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(handle, functions[i].name);

		if (found == NULL && functions[i].needed) {
			(void)snprintf(reason, size, "libcupti has no %s",
				functions[i].name);
			return false;
		}
		memcpy((char *)&cupti_library.cupti + functions[i].offset,
			&found, sizeof(found));
	}
	return true;
}

static void set_path(void)
{
	Dl_info info;
	void *address;

	memcpy(&address, &cupti_library.cupti.cuptiSubscribe, sizeof(address));
	if (dladdr(address, &info) != 0 && info.dli_fname != NULL)
		(void)snprintf(cupti_library.path, sizeof(cupti_library.path),
			"%s", info.dli_fname);
}

/* Measures the library's own record size by its step from one record to the
 * next. Source: found to hold in 11.7 to 13.5; see doc/GPU.md. */
static uint16_t probe(uint32_t kind)
{
	static uint32_t words[PROBE_BYTES / sizeof(uint32_t)]
		__attribute__((aligned(64)));
	uint8_t *bytes = (uint8_t *)words;
	void *first = NULL;
	void *second;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = kind;
	if (cupti_library.cupti.cuptiActivityGetNextRecord(
		    bytes, sizeof(words), &first) != CUPTI_OK)
		return 0;
	second = first;
	if (cupti_library.cupti.cuptiActivityGetNextRecord(
		    bytes, sizeof(words), &second) != CUPTI_OK ||
		(uint8_t *)second <= (uint8_t *)first)
		return 0;
	return (uint16_t)((uint8_t *)second - (uint8_t *)first);
}

static void find_quirks(void)
{
	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
		if (cupti_library.version >= quirks[i].from &&
			cupti_library.version < quirks[i].below)
			cupti_library.quirks |= quirks[i].quirk;
}

bool cupti_load(char *reason, size_t size)
{
	void *handle = find_library(reason, size);
	char words[64];
	int result;

	if (handle == NULL || !resolve(handle, reason, size))
		return false;
	set_path();
	result = cupti_library.cupti.cuptiGetVersion(&cupti_library.version);
	if (result != CUPTI_OK) { /* from 13.2 on, it calls the driver first */
		cupti_load_result(words, sizeof(words), result);
		(void)snprintf(reason, size,
			"CUPTI finds no usable driver: cuptiGetVersion: %s",
			words);
		return false;
	}
	find_quirks();
	for (uint32_t kind = 1; kind < CUPTI_KIND_LIMIT; kind++)
		cupti_library.sizes[kind] = probe(kind);
	if (cupti_library.sizes[CUPTI_CONCURRENT_KERNEL] < CUPTI_KERNEL_LEAST) {
		(void)snprintf(reason, size,
			"libcupti is too old: CUDA 11.1 or later is needed");
		return false;
	}
	return true;
}

void cupti_load_quirks(char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++) {
		size_t used = strlen(out);

		if ((cupti_library.quirks & quirks[i].quirk) != 0)
			(void)snprintf(out + used, size - used, "%s%s",
				used == 0 ? "" : "; ", quirks[i].words);
	}
}

void cupti_load_result(char *out, size_t size, int result)
{
	const char *text = NULL;

	if (cupti_library.cupti.cuptiGetResultString(result, &text) !=
			CUPTI_OK ||
		text == NULL)
		text = "unknown result";
	(void)snprintf(out, size, "%s (%d)", text, result);
}

size_t cupti_load_size(const uint8_t *bytes, size_t left)
{
	uint32_t kind;
	size_t size;

	if (left < sizeof(kind))
		return 0;
	memcpy(&kind, bytes, sizeof(kind));
	size = kind < CUPTI_KIND_LIMIT ? cupti_library.sizes[kind] : 0;
	return size <= left ? size : 0;
}
