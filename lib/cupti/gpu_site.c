/* SPDX-License-Identifier: MIT */
#include "cupti/gpu_site.h"

#include <stdio.h>
#include <string.h>

#include "recorder/device_link.h"
#include "log/device_words.h"
#include "cupti/gpu_table.h"

/* So many names of kernels are looked up by where CUPTI has them. */
#define NAMES_MAX ((size_t)1 << 15)

static struct {
	struct gpu_table names;    /* sites by address of the name */
	uint32_t copies[11][8][8]; /* 0: not made yet */
	uint32_t memsets[8];
} sites = {.names = GPU_TABLE_INIT(1)};

static struct ctp_site *make_site(const char *name, const char *category)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	info.name = name;
	info.category = category;
	return ctp_site_intern_info(&info);
}

uint32_t gpu_site_number(struct ctp_site *site)
{
	uint64_t tag = __atomic_load_n(&site->tag, __ATOMIC_RELAXED);

	return tag != 0 ? (uint32_t)(tag >> CTP_TICK_BITS)
			: ctp_private_site_number(site);
}

/*
 * The name is CUPTI's, and gone with its module, whose place another may take:
 * so what was found under its address is compared.
 */
uint32_t gpu_site_kernel(const char *name)
{
	const uint64_t key = (uint64_t)(uintptr_t)name;
	struct ctp_site *site;

	if (name == NULL)
		return gpu_site("(unknown kernel)", "kernel");
	site = (struct ctp_site *)(uintptr_t)gpu_table_find(&sites.names, &key);
	if (site == NULL || strcmp(site->name, name) != 0) {
		site = make_site(name, "kernel");
		if (sites.names.used == NAMES_MAX)
			gpu_table_clear(&sites.names);
		(void)gpu_table_set(
			&sites.names, &key, (uint64_t)(uintptr_t)site);
	}
	return gpu_site_number(site);
}

uint32_t gpu_site(const char *name, const char *category)
{
	return gpu_site_number(make_site(name, category));
}

/* "Memcpy HtoD (Pageable -> Device)" */
uint32_t gpu_site_copy(uint8_t kind, uint8_t source, uint8_t target)
{
	char name[96];
	uint32_t *known;

	kind = kind > 10 ? 0 : kind;
	source = source > 7 ? 0 : source;
	target = target > 7 ? 0 : target;
	known = &sites.copies[kind][source][target];
	if (*known == 0) {
		(void)snprintf(name, sizeof(name), "Memcpy %s (%s -> %s)",
			device_word_copy(kind), device_word_memory(source),
			device_word_memory(target));
		*known = gpu_site(name, "gpu_memcpy");
	}
	return *known;
}

uint32_t gpu_site_memset(uint16_t memory)
{
	char name[64];
	uint32_t *known = &sites.memsets[memory > 7 ? 0 : memory];

	if (*known == 0) {
		(void)snprintf(name, sizeof(name), "Memset (%s)",
			device_word_memory(memory));
		*known = gpu_site(name, "gpu_memset");
	}
	return *known;
}
