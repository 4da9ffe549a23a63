/* SPDX-License-Identifier: MIT */
/*
 * A replacement for NVTX's headers: the calls that nvtx_program.c makes, each
 * through a table of this module that the library in NVTX_INJECTION64_PATH
 * fills at the first call. Names are NVTX's.
 */
#ifndef NVTX_CLIENT_H
#define NVTX_CLIENT_H

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define NVTX_VERSION 3
#define NVTX_COLOR_ARGB 1
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 1
#define NVTX_PAYLOAD_TYPE_INT64 2
#define NVTX_PAYLOAD_TYPE_DOUBLE 3
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 4
#define NVTX_PAYLOAD_TYPE_INT32 5
#define NVTX_PAYLOAD_TYPE_FLOAT 6
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_MESSAGE_TYPE_UNICODE 2
#define NVTX_MESSAGE_TYPE_REGISTERED 3

typedef uint64_t nvtxRangeId_t;
typedef struct domain *nvtxDomainHandle_t;
typedef struct string *nvtxStringHandle_t;

typedef struct {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType;
	int32_t reserved0;
	union {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	union {
		const char *ascii;
		const wchar_t *unicode;
		nvtxStringHandle_t registered;
	} message;
} nvtxEventAttributes_t;

#define CORE 1
#define CORE2 5
#define CORE_SIZE 16
#define CORE2_SIZE 16

typedef void (*function)(void);

static function core[CORE_SIZE];
static function core2[CORE2_SIZE];

static int get_table(int module, function ***out, unsigned *size)
{
	static function *tables[2][CORE_SIZE];

	_Static_assert(CORE_SIZE == CORE2_SIZE, "one array for both");
	if (module != CORE && module != CORE2)
		return 0;
	for (int i = 1; i < CORE_SIZE; i++)
		tables[module == CORE2][i] =
			module == CORE2 ? &core2[i] : &core[i];
	*out = tables[module == CORE2];
	*size = CORE_SIZE;
	return 1;
}

static const void *get_export(uint32_t which)
{
	static const struct {
		size_t size;
		int (*table)(int, function ***, unsigned *);
	} callbacks = {sizeof(callbacks), get_table};

	return which == 1 ? &callbacks : NULL;
}

static void load(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path == NULL ? NULL : dlopen(path, RTLD_LAZY);
	int (*init)(const void *(*)(uint32_t)) = NULL;

	if (library != NULL)
		*(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
	if (init == NULL || init(get_export) == 0)
		for (int i = 0; i < CORE_SIZE; i++)
			core[i] = core2[i] = NULL;
}

static function get(function *table, int index)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load);
	return table[index];
}

/* RESULT nvtxNAME(PARAMETERS): entry INDEX of TABLE; without it, OTHERWISE. */
#define CALL(result, name, parameters, arguments, table, index, otherwise) \
	static inline __attribute__((unused)) result nvtx##name parameters \
	{ \
		function found = get(table, index); \
\
		if (found == NULL) \
			return otherwise; \
		return ((result(*) parameters)found)arguments; \
	}

#define ATTRIBUTES const nvtxEventAttributes_t *attributes
#define DOMAIN nvtxDomainHandle_t domain

CALL(void, MarkEx, (ATTRIBUTES), (attributes), core, 1, )
CALL(void, MarkA, (const char *text), (text), core, 2, )
CALL(nvtxRangeId_t, RangeStartEx, (ATTRIBUTES), (attributes), core, 4, 0)
CALL(nvtxRangeId_t, RangeStartA, (const char *text), (text), core, 5, 0)
CALL(nvtxRangeId_t, RangeStartW, (const wchar_t *text), (text), core, 6, 0)
CALL(void, RangeEnd, (nvtxRangeId_t id), (id), core, 7, )
CALL(int, RangePushEx, (ATTRIBUTES), (attributes), core, 8, -2)
CALL(int, RangePushA, (const char *text), (text), core, 9, -2)
CALL(int, RangePushW, (const wchar_t *text), (text), core, 10, -2)
CALL(int, RangePop, (void), (), core, 11, -2)
CALL(void, NameCategoryA, (uint32_t category, const char *text),
	(category, text), core, 12, )
CALL(void, NameOsThreadA, (uint32_t thread, const char *text), (thread, text),
	core, 14, )
CALL(void, DomainMarkEx, (DOMAIN, ATTRIBUTES), (domain, attributes), core2, 1, )
CALL(nvtxRangeId_t, DomainRangeStartEx, (DOMAIN, ATTRIBUTES),
	(domain, attributes), core2, 2, 0)
CALL(void, DomainRangeEnd, (DOMAIN, nvtxRangeId_t id), (domain, id), core2, 3, )
CALL(int, DomainRangePushEx, (DOMAIN, ATTRIBUTES), (domain, attributes), core2,
	4, -2)
CALL(int, DomainRangePop, (DOMAIN), (domain), core2, 5, -2)
CALL(void, DomainNameCategoryA, (DOMAIN, uint32_t category, const char *text),
	(domain, category, text), core2, 8, )
CALL(nvtxStringHandle_t, DomainRegisterStringA, (DOMAIN, const char *text),
	(domain, text), core2, 10, NULL)
CALL(nvtxDomainHandle_t, DomainCreateA, (const char *text), (text), core2, 12,
	NULL)
CALL(nvtxDomainHandle_t, DomainCreateW, (const wchar_t *text), (text), core2,
	13, NULL)
CALL(void, DomainDestroy, (DOMAIN), (domain), core2, 14, )

#endif
