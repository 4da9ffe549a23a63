/* SPDX-License-Identifier: MIT */
/*
 * NVTX without its headers: like any program that uses NVTX, this library has
 * tables of functions, which the tool in NVTX_INJECTION64_PATH fills.
 * Source: NVTX 3's nvtxDetail/nvtxInit.h, load sequence 2.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/forward.h"
#include "base/environment.h"
#include "recorder/nvtx_abi.h"

#define VARIABLE "NVTX_INJECTION64_PATH"
#define ENTRY "InitializeInjectionNvtx2"

#define INDEX(name, index) INDEX_##name = (index),
enum { NVTX_CORE_FUNCTIONS(INDEX) CORE_SIZE };
enum { NVTX_CORE2_FUNCTIONS(INDEX) CORE2_LAST, CORE2_SIZE = 16 };

_Static_assert((int)CORE_SIZE == (int)CORE2_SIZE && CORE2_LAST <= CORE2_SIZE,
	"both tables are of one size, as NVTX 3 has them");

static struct {
	nvtx_function core[CORE_SIZE];
	nvtx_function core2[CORE2_SIZE];
	void *domain;
	int (*domain_push)(void *domain, const struct nvtx_attributes *range);
	int (*domain_pop)(void *domain);
	const void *(*register_string)(void *domain, const char *text);
	int (*push)(const char *text);
	int (*pop)(void);
} nvtx;

static int find_table(int module, nvtx_function ***out, unsigned *size)
{
	static nvtx_function *slots[2][CORE_SIZE];
	bool is_core = module == NVTX_CORE;

	if (!is_core && module != NVTX_CORE2)
		return 0;
	for (int i = 1; i < CORE_SIZE; i++)
		slots[is_core][i] = is_core ? &nvtx.core[i] : &nvtx.core2[i];
	/* Index 0 is unused, but a tool may write there. */
	slots[is_core][0] = is_core ? &nvtx.core[0] : &nvtx.core2[0];
	*out = slots[is_core];
	*size = CORE_SIZE;
	return 1;
}

static void accept_version(uint32_t version)
{
	(void)version;
}

static const void *export(uint32_t table)
{
	static const struct nvtx_callbacks callbacks = {
		sizeof(callbacks), find_table};
	static const struct nvtx_version version = {
		sizeof(version), NVTX_ABI_VERSION, 0, accept_version};

	if (table == NVTX_EXPORT_CALLBACKS)
		return &callbacks;
	return table == NVTX_EXPORT_VERSION ? &version : NULL;
}

static bool load(void)
{
	const char *path = environment_find(VARIABLE);
	void *library = path == NULL || path[0] == '\0'
				? NULL
				: dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	void *address = library == NULL ? NULL : dlsym(library, ENTRY);
	int (*init)(nvtx_export) = NULL;

	if (address == NULL)
		return false;
	memcpy(&init, &address, sizeof(init));
	return init(export) != 0;
}

/* Makes a domain if the tool has all functions for it. */
static void make_domain(void)
{
	void *(*create)(const char *) =
		(void *(*)(const char *))nvtx.core2[INDEX_domain_create_a];

	nvtx.domain_push = (int (*)(void *, const struct nvtx_attributes *))
				   nvtx.core2[INDEX_domain_push_ex];
	nvtx.domain_pop = (int (*)(void *))nvtx.core2[INDEX_domain_pop];
	nvtx.register_string = (const void *(*)(void *,
		const char *))nvtx.core2[INDEX_register_string_a];
	if (create != NULL && nvtx.domain_push != NULL &&
		nvtx.domain_pop != NULL)
		nvtx.domain = create(FORWARD_DOMAIN);
}

static bool open_tool(void)
{
	if (!load())
		return false;
	make_domain();
	nvtx.push = (int (*)(const char *))nvtx.core[INDEX_push_a];
	nvtx.pop = (int (*)(void))nvtx.core[INDEX_pop];
	return nvtx.domain != NULL || (nvtx.push != NULL && nvtx.pop != NULL);
}

/* A registered string if supported, else the text. */
static const void *name(const char *text)
{
	return nvtx.domain != NULL && nvtx.register_string != NULL
		       ? nvtx.register_string(nvtx.domain, text)
		       : text;
}

static void push(int type, const void *message)
{
	struct nvtx_attributes range = {.version = NVTX_ABI_VERSION,
		.size = sizeof(range),
		.message_type = type,
		.message.registered = message};

	if (nvtx.domain != NULL)
		(void)nvtx.domain_push(nvtx.domain, &range);
	else
		(void)nvtx.push(message);
}

static void begin(const void *message)
{
	push(nvtx.register_string != NULL ? NVTX_MESSAGE_REGISTERED
					  : NVTX_MESSAGE_ASCII,
		message);
}

static void begin_text(const char *text)
{
	push(NVTX_MESSAGE_ASCII, text);
}

static void end(void)
{
	if (nvtx.domain != NULL)
		(void)nvtx.domain_pop(nvtx.domain);
	else
		(void)nvtx.pop();
}

const struct forward_tool forward_nvtx = {.open = open_tool,
	.name = name,
	.begin = begin,
	.begin_text = begin_text,
	.end = end};
