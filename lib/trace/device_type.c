/* SPDX-License-Identifier: MIT */
#include "trace/device_type.h"

#include <stddef.h>

const char *device_type_name(int64_t type)
{
	static const char *const names[] = {"cpu", "cuda", "mkldnn", "opengl",
		"opencl", "ideep", "hip", "fpga", "maia", "xla", "vulkan",
		"metal", "xpu", "mps", "meta", "hpu", "ve", "lazy", "ipu",
		"mtia", "privateuseone"};
	const int64_t count = sizeof(names) / sizeof(names[0]);

	return type >= 0 && type < count ? names[type] : NULL;
}
