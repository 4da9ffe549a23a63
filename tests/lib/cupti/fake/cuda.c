/* SPDX-License-Identifier: MIT */
/*
 * The fake libcuda.so.1: cuInit() loads the library in CUDA_INJECTION64_PATH,
 * as the driver does, and queries of devices answer roughly as for an H100.
 * FAKE_CUDA_INIT is cuInit()'s result, FAKE_CUDA_DEVICES the number of devices,
 * FAKE_CUDA_PART the share of each that is available.
 */
#include "cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

enum {
	CUDA_INVALID_VALUE = 1,
	CUDA_NOT_INITIALIZED = 3,
	CUDA_INVALID_DEVICE = 101,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int result = CUDA_NOT_INITIALIZED;

static int number(const char *variable, int otherwise)
{
	const char *text = getenv(variable);

	return text == NULL ? otherwise : atoi(text);
}

/* Reports each load, for programs that must not load it. */
__attribute__((constructor)) static void loaded(void)
{
	truth_tell("{\"what\":\"loaded\",\"library\":\"libcuda\"}");
}

static void initialise(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	int (*inject)(void);
	void *library;

	result = number("FAKE_CUDA_INIT", 0);
	if (result != 0 || path == NULL || strcmp(path, "none") == 0)
		return;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		truth_tell("{\"what\":\"injection\",\"result\":null}");
		return;
	}
	*(void **)&inject = dlsym(library, "InitializeInjection");
	truth_tell("{\"what\":\"injection\",\"result\":%d}",
		inject == NULL ? -1 : inject());
}

bool cuda_is_up(void)
{
	return result == 0;
}

int cuInit(unsigned int flags)
{
	if (flags != 0)
		return CUDA_INVALID_VALUE;
	(void)pthread_once(&once, initialise);
	return result;
}

int cuDriverGetVersion(int *version)
{
	*version = number("FAKE_CUDA_VERSION", 13000);
	return 0;
}

static int device_count(void)
{
	return number("FAKE_CUDA_DEVICES", 2);
}

int cuDeviceGetCount(int *count)
{
	*count = cuda_is_up() ? device_count() : 0;
	return result;
}

int cuDeviceGet(int *device, int ordinal)
{
	if (!cuda_is_up())
		return result;
	if (ordinal < 0 || ordinal >= device_count())
		return CUDA_INVALID_DEVICE;
	*device = ordinal;
	return 0;
}

/* The error of a query about the device; 0: none. */
static int refuse(int device)
{
	if (!cuda_is_up())
		return result;
	return device < 0 || device >= device_count() ? CUDA_INVALID_DEVICE : 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
	const char *part = getenv("FAKE_CUDA_PART");

	if (refuse(device) != 0)
		return refuse(device);
	(void)snprintf(name, (size_t)size, "Fake GPU %c%s", 'A' + device,
		part == NULL ? "" : part);
	return 0;
}

int cuDeviceGetUuid(unsigned char *uuid, int device)
{
	if (refuse(device) != 0)
		return refuse(device);
	for (int i = 0; i < 16; i++)
		uuid[i] = (unsigned char)(16 * device + i);
	return 0;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
	return cuDeviceGetUuid(uuid, device);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	if (refuse(device) != 0)
		return refuse(device);
	*bytes = (size_t)80 << 30;
	return 0;
}

int cuDeviceGetPCIBusId(char *id, int size, int device)
{
	if (refuse(device) != 0)
		return refuse(device);
	(void)snprintf(id, (size_t)size, "0000:%02X:00.0", 0x18 + device);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	static const struct {
		int attribute, value;
	} attributes[] = {{1, 1024}, {8, 49152}, {10, 32}, {12, 65536},
		{13, 1980000}, {16, 132}, {32, 1}, {36, 2619000}, {37, 5120},
		{38, 52428800}, {39, 2048}, {75, 9}, {76, 0}, {81, 233472},
		{82, 65536}, {97, 232448}, {106, 32}, {111, 1024}};

	if (refuse(device) != 0)
		return refuse(device);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		if (attributes[i].attribute != attribute)
			continue;
		*value = attributes[i].value;
		return 0;
	}
	return CUDA_INVALID_VALUE;
}

int cuCtxGetCurrent(void **context)
{
	static int the_context;

	*context = cuda_is_up() ? &the_context : NULL;
	return result;
}
