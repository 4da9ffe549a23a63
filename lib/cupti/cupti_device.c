/* SPDX-License-Identifier: MIT */
/*
 * Properties of devices, with the names of PyTorch's profiler. They are from
 * the driver: the numbers of its attributes never change, unlike the structures
 * of CUDA's runtime.
 */
#include "cupti/cupti_device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "recorder/device_link.h"
#include "cupti/cupti_load.h"
#include "cupti/cupti_table.h"
#include "log/log_block.h"

#define DEVICES 64 /* most devices described */
#define UUID_BYTES 16

static const struct attribute {
	const char *key;
	int number; /* CU_DEVICE_ATTRIBUTE_… */
} attributes[] = {
	{"computeMajor", 75},
	{"computeMinor", 76},
	{"maxThreadsPerBlock", 1},
	{"maxThreadsPerMultiprocessor", 39},
	{"regsPerBlock", 12},
	{"warpSize", 10},
	{"sharedMemPerBlock", 8},
	{"numSms", 16},
	{"regsPerMultiprocessor", 82},
	{"sharedMemPerBlockOptin", 97},
	{"sharedMemPerMultiprocessor", 81},
	{"maxBlocksPerMultiprocessor", 106},
	{"reservedSharedMemPerBlock", 111},
	{"clockRate", 13},
	{"memoryClockRate", 36},
	{"memoryBusWidth", 37},
	{"l2CacheSize", 38},
	{"ecc", 32},
};

#define ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))

/* Functions of the driver; NULL if missing. */
struct driver {
	int (*get)(int *device, int ordinal);
	int (*attribute)(int *value, int attribute, int device);
	int (*name)(char *name, int size, int device);
	int (*memory)(size_t *bytes, int device);
	int (*uuid)(char *uuid, int device);
	int (*bus)(char *id, int size, int device);
};

static struct {
	pthread_mutex_t lock;         /* protects the next */
	struct cupti_table by_number; /* context to device + 1 */
} contexts = {PTHREAD_MUTEX_INITIALIZER, CUPTI_TABLE_INIT(1)};

static bool described[DEVICES]; /* or tried */

/* A context's entry: the device plus 1, and above it the default stream plus 1
 * (0 if unknown). */
#define STREAM_SHIFT 32

void cupti_device_context(struct device_place place, uint32_t null_stream)
{
	const uint64_t key = place.context;

	(void)pthread_mutex_lock(&contexts.lock);
	(void)cupti_table_set(&contexts.by_number, &key,
		((uint64_t)null_stream + 1) << STREAM_SHIFT |
			((uint64_t)place.device + 1));
	(void)pthread_mutex_unlock(&contexts.lock);
}

/* Returns the entry; 0 if unknown. */
static uint64_t find_context(uint32_t context)
{
	const uint64_t key = context;
	uint64_t found;

	(void)pthread_mutex_lock(&contexts.lock);
	found = cupti_table_find(&contexts.by_number, &key);
	(void)pthread_mutex_unlock(&contexts.lock);
	return found;
}

uint32_t cupti_device_of(uint32_t context)
{
	uint32_t entry = (uint32_t)find_context(context);

	return entry == 0 ? 0 : entry - 1;
}

bool cupti_device_is_default(uint32_t context, int64_t stream)
{
	return stream >= 0 &&
	       find_context(context) >> STREAM_SHIFT == (uint64_t)stream + 1;
}

void cupti_device_forget(void)
{
	memset(described, 0, sizeof(described));
}

/* Stores the function's address in the pointer at `out`. */
static void resolve(void *handle, const char *name, void *out)
{
	void *found = dlsym(handle, name);

	memcpy(out, &found, sizeof(found));
}

/* False if there is no driver. */
static bool find_driver(struct driver *driver)
{
	void *handle = cupti_load_driver();

	if (handle == NULL)
		return false;
	resolve(handle, "cuDeviceGet", &driver->get);
	resolve(handle, "cuDeviceGetAttribute", &driver->attribute);
	resolve(handle, "cuDeviceGetName", &driver->name);
	resolve(handle, "cuDeviceTotalMem_v2", &driver->memory);
	resolve(handle, "cuDeviceGetUuid_v2", &driver->uuid);
	if (driver->uuid == NULL)
		resolve(handle, "cuDeviceGetUuid", &driver->uuid);
	resolve(handle, "cuDeviceGetPCIBusId", &driver->bus);
	return driver->get != NULL && driver->attribute != NULL;
}

/*
 * Formatted as in NVIDIA's tools. For a part of a device, recognized by its
 * name, the driver returns the part's own UUID.
 * Source: NVIDIA's MIG user guide, "Device Enumeration".
 */
static void add_uuid(msgpack_packer *out, const char *uuid, const char *name)
{
	const char *prefix = strstr(name, " MIG ") == NULL ? "GPU" : "MIG";
	const uint8_t *b = (const uint8_t *)uuid;
	char text[48];

	(void)snprintf(text, sizeof(text),
		"%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
		"%02x%02x%02x%02x%02x%02x",
		prefix, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8],
		b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
	msgpack_out_pair(out, "uuid", text);
}

/* Adds the known texts; returns the number of keys. */
static uint32_t add_texts(
	msgpack_packer *out, const struct driver *driver, int device)
{
	char text[256] = "";
	char uuid[UUID_BYTES];
	size_t bytes;
	uint32_t count = 0;

	if (driver->name != NULL &&
		driver->name(text, sizeof(text) - 1, device) == 0) {
		msgpack_out_pair(out, "name", text);
		count++;
	}
	if (driver->uuid != NULL && driver->uuid(uuid, device) == 0) {
		add_uuid(out, uuid, text);
		count++;
	}
	if (driver->bus != NULL &&
		driver->bus(text, sizeof(text) - 1, device) == 0) {
		msgpack_out_pair(out, "pciBusId", text);
		count++;
	}
	if (driver->memory != NULL && driver->memory(&bytes, device) == 0) {
		msgpack_out_pair_uint(out, "totalGlobalMem", bytes);
		count++;
	}
	return count;
}

static uint32_t add_attributes(
	msgpack_packer *out, const struct driver *driver, int device)
{
	uint32_t count = 0;
	int value;

	for (size_t i = 0; i < ATTRIBUTES; i++) {
		if (driver->attribute(&value, attributes[i].number, device) !=
			0)
			continue;
		msgpack_out_pair_int(out, attributes[i].key, value);
		count++;
	}
	return count;
}

/* [10, device, {key: value}] */
static void describe(const struct driver *driver, uint32_t number)
{
	struct buffer keys = BUFFER_INIT;
	struct buffer block = BUFFER_INIT;
	msgpack_packer out = msgpack_out(&keys);
	uint32_t count = 0;
	int device;

	if (driver->get(&device, (int)number) == 0) {
		count = add_texts(&out, driver, device);
		count += add_attributes(&out, driver, device);
	}
	out = log_block_begin(&block, LOG_DEVICE, 3);
	(void)msgpack_pack_uint32(&out, number);
	(void)msgpack_pack_map(&out, count);
	buffer_add(&block, keys.bytes, keys.used);
	if (!keys.failed && !block.failed)
		(void)ctp_private_block(LOG_DEVICE, block.bytes, block.used);
	buffer_clear(&keys);
	buffer_clear(&block);
}

void cupti_device_describe(uint32_t device)
{
	struct driver driver;

	if (device >= DEVICES || described[device])
		return;
	described[device] = true;
	if (find_driver(&driver))
		describe(&driver, device);
}
