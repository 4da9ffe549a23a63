/* SPDX-License-Identifier: MIT */
/*
 * The least cost of a profiler on CUPTI, with which ctprof's cost per launch is
 * compared. Loaded as CUDA's injection library, it records activities of
 * kernels, copies and memsets and throws them away. Its buffers are reused, and
 * zeroed on return; otherwise CUPTI would zero them while the program launches.
 * FLOOR_CALLBACK=1: launches call an empty callback as well.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)4 << 20)
#define ALIGNMENT 64
#define BUFFERS 64
#define ATTRIBUTE_ZEROED_OUT 5
#define KIND_MEMCPY 1
#define KIND_MEMSET 2
#define KIND_CONCURRENT_KERNEL 10
#define KIND_MEMCPY2 22
#define DOMAIN_DRIVER 1
#define LAUNCH_KERNEL 307
#define LAUNCH_KERNEL_PTSZ 442
#define GRAPH_LAUNCH 514
#define GRAPH_LAUNCH_PTSZ 515

__attribute__((visibility("default"))) int InitializeInjection(void);

static uint8_t *_Atomic spare[BUFFERS];

static uint8_t *take_spare(void)
{
	uint8_t *found = NULL;

	for (size_t i = 0; i < BUFFERS && found == NULL; i++)
		found = atomic_exchange(&spare[i], NULL);
	return found;
}

static uint8_t *make_buffer(void)
{
	uint8_t *made = aligned_alloc(ALIGNMENT, BUFFER_BYTES);

	if (made != NULL)
		memset(made, 0, BUFFER_BYTES);
	return made;
}

static void request(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = take_spare();
	if (*buffer == NULL)
		*buffer = make_buffer();
	*size = *buffer == NULL ? 0 : BUFFER_BYTES;
	*records = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer,
	size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	memset(buffer, 0, valid);
	for (size_t i = 0; i < BUFFERS; i++) {
		uint8_t *none = NULL;

		if (atomic_compare_exchange_strong(&spare[i], &none, buffer))
			return;
	}
	free(buffer);
}

static void empty(void *user, int domain, uint32_t call, const void *data)
{
	(void)user;
	(void)domain;
	(void)call;
	(void)data;
}

static void *find(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (found == NULL) {
		(void)fprintf(stderr, "floor: no %s\n", name);
		exit(1);
	}
	return found;
}

static void must(int result, const char *what)
{
	if (result == 0)
		return;
	(void)fprintf(stderr, "floor: %s: %d\n", what, result);
	exit(1);
}

static void call_back(void *library)
{
	static const uint32_t calls[] = {LAUNCH_KERNEL, LAUNCH_KERNEL_PTSZ,
		GRAPH_LAUNCH, GRAPH_LAUNCH_PTSZ};
	int (*enable)(uint32_t on, void *subscriber, int domain, uint32_t call);
	void *found = find(library, "cuptiEnableCallback");
	int (*subscribe)(void **subscriber,
		void (*callback)(void *, int, uint32_t, const void *),
		void *user);
	void *subscriber;

	memcpy(&enable, &found, sizeof(enable));
	found = find(library, "cuptiSubscribe");
	memcpy(&subscribe, &found, sizeof(subscribe));
	must(subscribe(&subscriber, empty, NULL), "subscribe");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		must(enable(1, subscriber, DOMAIN_DRIVER, calls[i]),
			"enable a callback");
}

static void promise_zeroes(void *library)
{
	int (*set)(int attribute, size_t *size, void *value);
	void *found = find(library, "cuptiActivitySetAttribute");
	uint8_t on = 1;
	size_t size = sizeof(on);

	memcpy(&set, &found, sizeof(set));
	must(set(ATTRIBUTE_ZEROED_OUT, &size, &on), "promise zeroes");
}

int InitializeInjection(void)
{
	static const int kinds[] = {
		KIND_CONCURRENT_KERNEL, KIND_MEMCPY, KIND_MEMSET, KIND_MEMCPY2};
	const char *path = getenv("CTPROF_CUPTI_LIB");
	const char *with_callback = getenv("FLOOR_CALLBACK");
	void *library = dlopen(path == NULL ? "libcupti.so" : path, RTLD_NOW);
	int (*enable)(int kind);
	int (*buffers)(void (*request)(uint8_t **, size_t *, size_t *),
		void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t));
	void *found;

	if (library == NULL) {
		(void)fprintf(stderr, "floor: %s\n", dlerror());
		exit(1);
	}
	if (with_callback != NULL && with_callback[0] == '1')
		call_back(library);
	promise_zeroes(library);
	found = find(library, "cuptiActivityRegisterCallbacks");
	memcpy(&buffers, &found, sizeof(buffers));
	must(buffers(request, complete), "register the buffers");
	found = find(library, "cuptiActivityEnable");
	memcpy(&enable, &found, sizeof(enable));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		must(enable(kinds[i]), "enable activities");
	return 1;
}
