/* SPDX-License-Identifier: MIT */
/*
 * A tool that receives ranges by NVTX or ITT, and writes each into a file of
 * its thread: EMIT_OUT.N, with N from 0 on; "begin NAME" and "end", one per
 * line. For forward.sh. With NO_DOMAINS it has NVTX's second version.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/itt_abi.h"
#include "recorder/nvtx_abi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int InitializeInjectionNvtx2(nvtx_export export);
EXPORT void __itt_api_init(struct itt_global *global, int groups);

static FILE *file(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int count;
	static __thread FILE *own;
	char path[4096];

	if (own != NULL)
		return own;
	(void)pthread_mutex_lock(&lock);
	(void)snprintf(
		path, sizeof(path), "%s.%d", getenv("EMIT_OUT"), count++);
	(void)pthread_mutex_unlock(&lock);
	own = fopen(path, "w");
	if (own == NULL)
		abort();
	return own;
}

static int begin(const char *name)
{
	(void)fprintf(file(), "begin %s\n", name);
	return 0;
}

static int end(void)
{
	(void)fprintf(file(), "end\n");
	(void)fflush(file());
	return 0;
}

static void *domain_create(const char *name)
{
	return strdup(name);
}

static void in_domain(const char *domain)
{
	if (domain == NULL || strcmp(domain, "ctprof") != 0)
		(void)begin("another domain");
}

static const void *register_string(void *domain, const char *text)
{
	in_domain(domain);
	return strdup(text);
}

static int domain_push(void *domain, const struct nvtx_attributes *range)
{
	in_domain(domain);
	if (range->version != NVTX_ABI_VERSION || range->size != sizeof(*range))
		return begin("another structure");
	return begin(range->message.ascii); /* or our replacement */
}

static int domain_pop(void *domain)
{
	in_domain(domain);
	return end();
}

int InitializeInjectionNvtx2(nvtx_export export)
{
	const struct nvtx_callbacks *callbacks = export(NVTX_EXPORT_CALLBACKS);
	nvtx_function **table;
	unsigned size;

	if (callbacks->table(NVTX_CORE, &table, &size) == 0 || size < 12)
		return 0;
	*table[9] = (nvtx_function)begin;
	*table[11] = (nvtx_function)end;
#ifndef NO_DOMAINS
	if (callbacks->table(NVTX_CORE2, &table, &size) == 0 || size < 13)
		return 0;
	*table[4] = (nvtx_function)domain_push;
	*table[5] = (nvtx_function)domain_pop;
	*table[10] = (nvtx_function)register_string;
	*table[12] = (nvtx_function)domain_create;
#endif
	return 1;
}

static void task_begin(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, const struct itt_string *name)
{
	in_domain(domain->name);
	if (id.low != 0 || parent.low != 0)
		(void)begin("an id");
	(void)begin(name->text);
}

static void task_end(const struct itt_domain *domain)
{
	in_domain(domain->name);
	(void)end();
}

/* As the reference collector does: missing functions are the program's. */
void __itt_api_init(struct itt_global *global, int groups)
{
	(void)groups;
	for (struct itt_function *at = global->functions; at->name != NULL;
		at++) {
		if (strcmp(at->name, "__itt_task_begin") == 0)
			*at->pointer = (void *)task_begin;
		else if (strcmp(at->name, "__itt_task_end") == 0)
			*at->pointer = (void *)task_end;
		else
			*at->pointer = at->otherwise;
	}
}
