/* SPDX-License-Identifier: MIT */
/*
 * The exports of the fake libcupti, in CUPTI's own names and, as far as the
 * binary interface goes, types; and declarations shared by its files.
 */
#ifndef CUPTI_H
#define CUPTI_H

#include "fake_link.h"

typedef void fake_callback(
	void *user, int32_t domain, uint32_t cbid, const void *data);
typedef void fake_request(uint8_t **bytes, size_t *size, size_t *max_records);
typedef void fake_complete(void *context, uint32_t stream, uint8_t *bytes,
	size_t size, size_t valid);

FAKE_API int cuptiGetVersion(uint32_t *version);
FAKE_API int cuptiGetResultString(int result, const char **text);
FAKE_API int cuptiSubscribe(
	void **subscriber, fake_callback *callback, void *user);
FAKE_API int cuptiSubscribe_v2(void **subscriber, fake_callback *callback,
	void *user, struct fake_subscriber_params *params);
FAKE_API int cuptiUnsubscribe(void *subscriber);
FAKE_API int cuptiEnableCallback(
	uint32_t enable, void *subscriber, int32_t domain, uint32_t cbid);
FAKE_API int cuptiEnableDomain(
	uint32_t enable, void *subscriber, int32_t domain);
FAKE_API int cuptiGetCallbackName(
	int32_t domain, uint32_t cbid, const char **name);
FAKE_API int cuptiActivityRegisterCallbacks(
	fake_request *request, fake_complete *complete);
FAKE_API int cuptiActivityEnable(uint32_t kind);
FAKE_API int cuptiActivityDisable(uint32_t kind);
FAKE_API int cuptiActivityEnableAndDump(uint32_t kind);
FAKE_API int cuptiActivityGetNextRecord(
	uint8_t *bytes, size_t valid, uint8_t **record);
FAKE_API int cuptiActivityFlushAll(uint32_t flag);
FAKE_API int cuptiActivityFlushPeriod(uint32_t ms);
FAKE_API int cuptiActivityGetNumDroppedRecords(
	void *context, uint32_t stream, size_t *dropped);
FAKE_API int cuptiActivitySetAttribute(
	uint32_t attribute, size_t *size, void *value);
FAKE_API int cuptiActivityGetAttribute(
	uint32_t attribute, size_t *size, void *value);
FAKE_API int cuptiGetTimestamp(uint64_t *now);
FAKE_API int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
FAKE_API int cuptiSetThreadIdType(uint32_t type);
FAKE_API int cuptiGetThreadIdType(uint32_t *type);
FAKE_API int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
FAKE_API int cuptiActivityPopExternalCorrelationId(
	uint32_t kind, uint64_t *last);
FAKE_API int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable);
FAKE_API int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable);
FAKE_API int cuptiActivityEnableAllSyncRecords(uint8_t enable);
FAKE_API int cuptiActivityEnableLatencyTimestamps(uint8_t enable);
FAKE_API int cuptiGetGraphId(void *graph, uint32_t *id);
FAKE_API int cuptiGetGraphExecId(void *graph, uint32_t *id);
FAKE_API int cuptiGetGraphNodeId(void *node, uint64_t *id);
FAKE_API int cuptiGetContextId(void *context, uint32_t *id);
FAKE_API int cuptiGetDeviceId(void *context, uint32_t *id);
FAKE_API int cuptiGetStreamIdEx(
	void *context, void *stream, uint8_t per_thread, uint32_t *id);
FAKE_API int cuptiFinalize(void);

/* Surrounds a call of ours. */
enum cupti_inside { CUPTI_OUTSIDE, CUPTI_IN_BUFFERS, CUPTI_IN_RESOURCES };
extern _Thread_local enum cupti_inside cupti_inside;

/* Every function that a program may call begins with this: it aborts where the
 * real one would hang or crash. */
void cupti_enter(const char *function);

/* The program made a forbidden call. Does not return. */
void cupti_violation(const char *function, const char *what)
	__attribute__((noreturn));

/* Records a call, and returns its result. */
int cupti_told(const char *function, int64_t argument, int result);

/* The fake driver, once it is connected and initialised; else NULL. */
const struct fake_driver *cupti_driver(void);

/* The result of functions that need a driver, without one. */
int cupti_no_driver(void);

/* An environment variable's number. */
long cupti_setting(const char *variable, long otherwise);

/* The value for this number in a variable like "10:14,38:21"; 0: none. */
int cupti_setting_of(const char *variable, uint32_t number);

uint32_t cupti_version(void);

/* Are records made for this kind, and for this call? */
bool cupti_wants(enum fake_kind kind, uint32_t cbid);
bool cupti_ids_are_system(void);

extern const struct fake_tool cupti_tool;

#endif
