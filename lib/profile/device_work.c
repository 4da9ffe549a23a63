/* SPDX-License-Identifier: MIT */
#include "profile/device_work.h"

#include <string.h>

static const char *category_of(const struct trace *trace, uint32_t site)
{
	return strtab_text(trace->text, trace->sites[site].category, NULL);
}

bool device_work_is_api(const struct trace *trace, uint32_t site)
{
	const char *category = category_of(trace, site);

	return strcmp(category, "cuda_runtime") == 0 ||
	       strcmp(category, "cuda_driver") == 0;
}

enum profile_kind device_work_kind(const struct trace *trace, uint32_t site)
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
