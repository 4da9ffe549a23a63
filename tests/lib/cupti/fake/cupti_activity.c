/* SPDX-License-Identifier: MIT */
/*
 * The fake libcupti: activities. FAKE_CUPTI_ENABLE="10:14,38:21" gives the
 * results of enabling these kinds. FAKE_CUPTI_SILENT: devices are not reported.
 */
#include <stdatomic.h>
#include <string.h>

#include "cupti_buffer.h"
#include "cupti_record.h"

#define CBIDS 1024

static _Atomic bool enabled[FAKE_KIND_LIMIT];
static _Atomic bool silenced[2][CBIDS];
static _Atomic uint32_t thread_id_type;
static bool registered;

bool cupti_wants(enum fake_kind kind, uint32_t cbid)
{
	if (cupti_setting("FAKE_CUPTI_SILENT", 0) != 0)
		return false;
	if (kind == FAKE_DRIVER || kind == FAKE_RUNTIME)
		return atomic_load(&enabled[kind]) &&
		       !atomic_load(&silenced[kind - FAKE_DRIVER][cbid]);
	return atomic_load(&enabled[kind]);
}

bool cupti_ids_are_system(void)
{
	return atomic_load(&thread_id_type) == 1;
}

static int enable(uint32_t kind)
{
	int result = cupti_setting_of("FAKE_CUPTI_ENABLE", kind);

	if (cupti_driver() == NULL)
		return cupti_no_driver();
	if (result != FAKE_OK)
		return result;
	if (cupti_record_size(kind) == 0)
		return FAKE_INVALID_KIND;
	atomic_store(&enabled[kind], true);
	return FAKE_OK;
}

int cuptiActivityEnable(uint32_t kind)
{
	cupti_enter(__func__);
	return cupti_told(__func__, kind, enable(kind));
}

int cuptiActivityEnableAndDump(uint32_t kind)
{
	int result;

	cupti_enter(__func__);
	result = enable(kind);
	if (result == FAKE_OK && kind == FAKE_CONTEXT)
		cupti_driver()->tell_contexts();
	return cupti_told(__func__, kind, result);
}

int cuptiActivityDisable(uint32_t kind)
{
	cupti_enter(__func__);
	if (cupti_inside != CUPTI_OUTSIDE)
		cupti_violation(__func__, "called in a resource's callback");
	if (cupti_version() == 130000 && kind == FAKE_CONCURRENT_KERNEL)
		cupti_violation(__func__, "hangs in 13.0");
	if (kind >= FAKE_KIND_LIMIT)
		return cupti_told(__func__, kind, FAKE_INVALID_KIND);
	atomic_store(&enabled[kind], false);
	return cupti_told(__func__, kind, FAKE_OK);
}

/* Succeeds without a driver, too. */
int cuptiActivityRegisterCallbacks(
	fake_request *request, fake_complete *complete)
{
	cupti_enter(__func__);
	if (request == NULL || complete == NULL)
		return cupti_told(__func__, 0, FAKE_INVALID_PARAMETER);
	registered = true;
	cupti_buffer_callbacks(request, complete);
	return cupti_told(__func__, 0, FAKE_OK);
}

/* No further complete record. */
static int end_of(const uint8_t *bytes)
{
	cupti_buffer_read(bytes);
	return FAKE_MAX_LIMIT_REACHED;
}

int cuptiActivityGetNextRecord(uint8_t *bytes, size_t valid, uint8_t **record)
{
	uint8_t *at = *record;
	uint32_t kind;
	size_t size;

	cupti_enter(__func__);
	cupti_buffer_wait();
	if (at != NULL) {
		memcpy(&kind, at, sizeof(kind));
		at += cupti_record_size(kind);
	} else {
		at = bytes;
	}
	if (valid - (size_t)(at - bytes) < sizeof(kind))
		return end_of(bytes);
	memcpy(&kind, at, sizeof(kind));
	size = cupti_record_size(kind);
	if (size == 0) {
		cupti_buffer_read(bytes);
		return cupti_version() < 19 ? FAKE_UNKNOWN : FAKE_INVALID_KIND;
	}
	if (valid - (size_t)(at - bytes) < size)
		return end_of(bytes);
	*record = at;
	return FAKE_OK;
}

int cuptiActivityFlushAll(uint32_t flag)
{
	cupti_enter(__func__);
	if (cupti_inside != CUPTI_OUTSIDE)
		cupti_violation(__func__, "called in a resource's callback");
	cupti_buffer_wait();
	cupti_buffer_flush((flag & 1) != 0);
	return cupti_told(__func__, flag, FAKE_OK);
}

int cuptiActivityFlushPeriod(uint32_t ms)
{
	cupti_enter(__func__);
	return cupti_told(__func__, ms, FAKE_OK);
}

int cuptiActivityGetNumDroppedRecords(
	void *context, uint32_t stream, size_t *count)
{
	cupti_enter(__func__);
	(void)context;
	(void)stream;
	cupti_buffer_wait();
	*count = cupti_buffer_dropped();
	return FAKE_OK;
}

static int set(uint32_t attribute, const size_t *size, const uint8_t *value)
{
	if (size == NULL || value == NULL)
		return FAKE_INVALID_PARAMETER;
	if (attribute != FAKE_ATTRIBUTE_ZEROED &&
		attribute != FAKE_ATTRIBUTE_PER_THREAD)
		return *size == sizeof(size_t) ? FAKE_OK
					       : FAKE_SIZE_NOT_SUFFICIENT;
	if (*size != 1)
		return FAKE_SIZE_NOT_SUFFICIENT;
	if (attribute == FAKE_ATTRIBUTE_ZEROED) {
		cupti_buffer_zeroed(*value != 0);
		return FAKE_OK;
	}
	/* New in 12.3; must be set before buffers are requested. */
	if (cupti_version() < 21)
		return FAKE_INVALID_PARAMETER;
	if (registered)
		return FAKE_INVALID_OPERATION;
	cupti_buffer_per_thread(*value != 0);
	return FAKE_OK;
}

int cuptiActivitySetAttribute(uint32_t attribute, size_t *size, void *value)
{
	cupti_enter(__func__);
	return cupti_told(__func__, attribute, set(attribute, size, value));
}

int cuptiActivityGetAttribute(uint32_t attribute, size_t *size, void *value)
{
	cupti_enter(__func__);
	(void)attribute;
	memset(value, 0, *size);
	return FAKE_OK;
}

int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
	cupti_enter(__func__);
	return cupti_told(__func__, clock != NULL, FAKE_OK);
}

int cuptiSetThreadIdType(uint32_t type)
{
	cupti_enter(__func__);
	atomic_store(&thread_id_type, type);
	return cupti_told(__func__, type, FAKE_OK);
}

int cuptiGetThreadIdType(uint32_t *type)
{
	cupti_enter(__func__);
	*type = atomic_load(&thread_id_type);
	return FAKE_OK;
}

int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id)
{
	cupti_enter(__func__);
	(void)kind;
	return cupti_told(__func__, (int64_t)id,
		cupti_driver() == NULL ? cupti_no_driver() : FAKE_OK);
}

int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *last)
{
	cupti_enter(__func__);
	if (last != NULL)
		*last = 0;
	return cupti_told(__func__, kind,
		cupti_driver() == NULL ? cupti_no_driver() : FAKE_OK);
}

static int silence(unsigned domain, uint32_t cbid, uint8_t enable_it)
{
	if (cbid >= CBIDS)
		return FAKE_INVALID_PARAMETER;
	atomic_store(&silenced[domain][cbid], enable_it == 0);
	return FAKE_OK;
}

int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable_it)
{
	cupti_enter(__func__);
	return cupti_told(__func__, cbid, silence(0, cbid, enable_it));
}

int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable_it)
{
	cupti_enter(__func__);
	return cupti_told(__func__, cbid, silence(1, cbid, enable_it));
}

int cuptiActivityEnableAllSyncRecords(uint8_t enable_it)
{
	cupti_enter(__func__);
	return cupti_told(__func__, enable_it, FAKE_OK);
}

int cuptiActivityEnableLatencyTimestamps(uint8_t enable_it)
{
	cupti_enter(__func__);
	return cupti_told(__func__, enable_it, FAKE_OK);
}
