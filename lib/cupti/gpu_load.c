/* SPDX-License-Identifier: MIT */
#include "cupti/gpu_load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cupti/gpu_find.h"

#define PROBE_BYTES 4096 /* two records of any kind */

struct gpu_library gpu_library;

/* Versions as cuptiGetVersion() gives them: 18 is 11.8, and 12.0 and 12.1 as
 * well; 24 is 12.6, and from 13.0 on 130000 and so on. */
static const struct quirk {
	uint32_t from, below;
	enum gpu_quirk quirk;
	const char *words;
} quirks[] = {
	{0, 24, GPU_QUIRK_NO_THREAD_BUFFERS,
		"no buffers by thread before CUDA 12.6"},
	{130000, 130001, GPU_QUIRK_NEVER_DISABLE,
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
		memcpy((char *)&gpu_library.cupti + functions[i].offset, &found,
			sizeof(found));
	}
	return true;
}

static void note_path(void)
{
	Dl_info info;
	void *address;

	memcpy(&address, &gpu_library.cupti.cuptiSubscribe, sizeof(address));
	if (dladdr(address, &info) != 0 && info.dli_fname != NULL)
		(void)snprintf(gpu_library.path, sizeof(gpu_library.path), "%s",
			info.dli_fname);
}

/* The library's own idea of the size: it steps from one record to the next by
 * it. Source: found to hold in 11.7 to 13.5; see doc/GPU.md. */
static uint16_t probe(uint32_t kind)
{
	static uint32_t words[PROBE_BYTES / sizeof(uint32_t)]
		__attribute__((aligned(64)));
	uint8_t *bytes = (uint8_t *)words;
	void *first = NULL;
	void *second;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = kind;
	if (gpu_library.cupti.cuptiActivityGetNextRecord(
		    bytes, sizeof(words), &first) != CUPTI_OK)
		return 0;
	second = first;
	if (gpu_library.cupti.cuptiActivityGetNextRecord(
		    bytes, sizeof(words), &second) != CUPTI_OK ||
		(uint8_t *)second <= (uint8_t *)first)
		return 0;
	return (uint16_t)((uint8_t *)second - (uint8_t *)first);
}

static void find_quirks(void)
{
	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
		if (gpu_library.version >= quirks[i].from &&
			gpu_library.version < quirks[i].below)
			gpu_library.quirks |= quirks[i].quirk;
}

bool gpu_load(char *reason, size_t size)
{
	void *handle = gpu_find(reason, size);
	char words[64];
	int result;

	if (handle == NULL || !resolve(handle, reason, size))
		return false;
	note_path();
	result = gpu_library.cupti.cuptiGetVersion(&gpu_library.version);
	if (result != CUPTI_OK) { /* from 13.2 on, it asks the driver first */
		gpu_load_result(words, sizeof(words), result);
		(void)snprintf(reason, size,
			"CUPTI finds no driver that it can use: "
			"cuptiGetVersion: %s",
			words);
		return false;
	}
	find_quirks();
	for (uint32_t kind = 1; kind < CUPTI_KIND_LIMIT; kind++)
		gpu_library.sizes[kind] = probe(kind);
	if (gpu_library.sizes[CUPTI_CONCURRENT_KERNEL] < CUPTI_KERNEL_LEAST) {
		(void)snprintf(reason, size,
			"libcupti is too old: it is of before CUDA 11.1");
		return false;
	}
	return true;
}

void gpu_load_quirks(char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++) {
		size_t used = strlen(out);

		if ((gpu_library.quirks & quirks[i].quirk) != 0)
			(void)snprintf(out + used, size - used, "%s%s",
				used == 0 ? "" : "; ", quirks[i].words);
	}
}

void gpu_load_result(char *out, size_t size, int result)
{
	const char *text = NULL;

	if (gpu_library.cupti.cuptiGetResultString(result, &text) != CUPTI_OK ||
		text == NULL)
		text = "unknown result";
	(void)snprintf(out, size, "%s (%d)", text, result);
}

size_t gpu_load_size(const uint8_t *bytes, size_t left)
{
	uint32_t kind;
	size_t size;

	if (left < sizeof(kind))
		return 0;
	memcpy(&kind, bytes, sizeof(kind));
	size = kind < CUPTI_KIND_LIMIT ? gpu_library.sizes[kind] : 0;
	return size <= left ? size : 0;
}
