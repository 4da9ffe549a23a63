/* SPDX-License-Identifier: MIT */
/* Source: file(1)'s magic for each of them. */
#include "foreign.h"

#include <string.h>

static const struct {
	size_t at;
	const char *bytes;
	size_t size;
	const char *advice;
} known[] = {
	{257, "ustar", 5,
		"is a tar archive; unpack it (tar -xf) and name the files"},
	{0, "PK\3\4", 4,
		"is a zip archive; unpack it (unzip) and name the files"},
	{0, "\x28\xb5\x2f\xfd", 4,
		"is packed by zstd; give ctprof what 'zstd -dc' makes of it"},
	{0,
		"\xfd"
		"7zXZ\0",
		6, "is packed by xz; give ctprof what 'xz -dc' makes of it"},
	{0, "BZh", 3,
		"is packed by bzip2; give ctprof what 'bzip2 -dc' makes of it"},
	{0, "PERFILE2", 8,
		"is perf's data; give ctprof the folded stacks that 'perf "
		"script report stackcollapse' makes of it"},
	{0,
		"\x7f"
		"ELF",
		4,
		"is a program, not a profile; 'ctprof record' runs programs"},
};

const char *foreign_advice(const void *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (size >= known[i].at + known[i].size &&
			memcmp((const char *)bytes + known[i].at,
				known[i].bytes, known[i].size) == 0)
			return known[i].advice;
	return NULL;
}
