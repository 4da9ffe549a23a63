/* SPDX-License-Identifier: MIT */
#include "names/name_parts.h"

#include <string.h>

static unsigned pair_of(const char *text)
{
	return ((unsigned)text[0] & 31) << 5 | ((unsigned)text[1] & 31);
}

void name_parts_init(struct name_parts *parts, const char *name)
{
	*parts = (struct name_parts){.name = name};
	if (*name == '\0')
		return;
	for (; name[1] != '\0'; name++)
		parts->pairs[pair_of(name) / 64] |= UINT64_C(1)
						    << pair_of(name) % 64;
}

bool name_parts_has(const struct name_parts *parts, const char *text)
{
	for (const char *at = text; at[0] != '\0' && at[1] != '\0'; at++)
		if ((parts->pairs[pair_of(at) / 64] >> pair_of(at) % 64 & 1) ==
			0)
			return false;
	return strcasestr(parts->name, text) != NULL;
}
