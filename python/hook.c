/* SPDX-License-Identifier: MIT */
#include "hook.h"

static bool by_setprofile;

int hook_start(const struct tracer_options *options)
{
	by_setprofile = options->setprofile;
	return by_setprofile ? hook_setprofile_start(options)
			     : hook_monitoring_start(options);
}

int hook_stop(void)
{
	return by_setprofile ? hook_setprofile_stop() : hook_monitoring_stop();
}
