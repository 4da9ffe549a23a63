/* SPDX-License-Identifier: MIT */
#include "log/activity_name.h"

#include <stddef.h>

static const char *word(const char *const *words, size_t count, uint32_t value)
{
	return words[value < count ? value : 0];
}

#define WORD(words, value) \
	word(words, sizeof(words) / sizeof((words)[0]), value)

const char *activity_name_copy(uint32_t kind)
{
	static const char *const words[] = {"Unknown", "HtoD", "DtoH", "HtoA",
		"AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

	return WORD(words, kind);
}

const char *activity_name_memory(uint32_t kind)
{
	static const char *const words[] = {"Unknown", "Pageable", "Pinned",
		"Device", "Array", "Managed", "Device Static",
		"Managed Static"};

	return WORD(words, kind);
}

const char *activity_name_wait(uint32_t type)
{
	/* Tools for PyTorch's traces look for these names. */
	static const char *const words[] = {"Unknown", "Event Sync",
		"Stream Wait Event", "Stream Sync", "Context Sync"};

	return WORD(words, type);
}

/* The number is 1, or a multiple of 65536. */
const char *activity_name_overhead(uint32_t what)
{
	static const char *const words[] = {"Unknown", "Buffer Flush",
		"Instrumentation", "Resource",
		"Runtime Triggered Module Loading", "Lazy Function Loading",
		"Command Buffer Full", "Activity Buffer Request",
		"UVM Activity Init"};

	return what == 1 ? "Driver Compiler" : WORD(words, what >> 16);
}
