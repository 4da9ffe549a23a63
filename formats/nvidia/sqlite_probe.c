/* SPDX-License-Identifier: MIT */
/* Source: "Database File Format", 1.3; https://www.sqlite.org/fileformat2.html
 */
#include <string.h>

#include "nvidia/sqlite_profile.h"

#define MAGIC "SQLite format 3" /* and a zero byte */

unsigned sqlite_profile_probe(const void *bytes, size_t size)
{
	return size >= sizeof(MAGIC) && memcmp(bytes, MAGIC, sizeof(MAGIC)) == 0
		       ? 8 * sizeof(MAGIC)
		       : 0;
}
