/* SPDX-License-Identifier: MIT */
#include "profile/activity_kind.h"

#include <string.h>

static const char *category_of(const struct trace *trace, uint32_t site)
{
	return strtab_text(trace->text, trace->sites[site].category, NULL);
}

bool activity_kind_is_api(const struct trace *trace, uint32_t site)
{
	const char *category = category_of(trace, site);

	return strcmp(category, "cuda_runtime") == 0 ||
	       strcmp(category, "cuda_driver") == 0;
}

enum profile_kind activity_kind_of(const struct trace *trace, uint32_t site)
{
	const char *category = category_of(trace, site);

	if (strcmp(category, "kernel") == 0)
		return PROFILE_KERNEL;
	if (strcmp(category, "gpu_memcpy") == 0)
		return PROFILE_COPY;
	if (strcmp(category, "gpu_memset") == 0)
		return PROFILE_SET;
	return PROFILE_HOST;
}
