/* SPDX-License-Identifier: MIT */
/* An NVTX injection library that does nothing: the cost of NVTX itself, with
 * any listener. */
#include "recorder/nvtx_abi.h"

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
	nvtx_export export);

static int push(const char *text)
{
	(void)text;
	return 0;
}

static int pop(void)
{
	return 0;
}

int InitializeInjectionNvtx2(nvtx_export export)
{
	const struct nvtx_callbacks *callbacks = export(NVTX_EXPORT_CALLBACKS);
	nvtx_function **table;
	unsigned size;

	if (callbacks->table(NVTX_CORE, &table, &size) == 0 || size < 12)
		return 0;
	*table[9] = (nvtx_function)push;
	*table[11] = (nvtx_function)pop;
	return 1;
}
