/* SPDX-License-Identifier: MIT */
#include "trace/communication.h"

#include <string.h>

#include "base/memory.h"

enum { SITE_UNKNOWN, SITE_OTHER, SITE_COMMUNICATES };

bool communication_is_kernel(const char *name)
{
	static const char *const libraries[] = {"nccl", "rccl", "msccl"};
	static const char *const kernels[] = {"cross_device_reduce",
		"one_shot_all_reduce", "two_shot_all_reduce",
		"multimem_all_reduce", "multimem_one_shot_all_reduce"};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strstr(name, kernels[i]) != NULL)
			return true;
	return false;
}

bool communication_is_site(struct communication_sites *sites,
	const struct trace *trace, uint32_t site)
{
	bool communicates;

	if (!array_ensure_index(
		    &sites->known, site, &sites->room, sizeof(*sites->known)))
		return communication_is_kernel(trace_site_name(trace, site));
	if (sites->known[site] != SITE_UNKNOWN)
		return sites->known[site] == SITE_COMMUNICATES;
	communicates = communication_is_kernel(trace_site_name(trace, site));
	sites->known[site] = communicates ? SITE_COMMUNICATES : SITE_OTHER;
	return communicates;
}
