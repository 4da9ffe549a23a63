/* SPDX-License-Identifier: MIT */
/*
 * Control groups are assumed to be mounted where systemd and containers mount
 * them. In a container the group's path may be outside the container and
 * invisible except for the top of the mount, which is always read last.
 */
#include "base/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_ROOM (PATH_MAX + 256)

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The number in a file; UINT64_MAX if there is none, as in "max". */
static uint64_t read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t number = UINT64_MAX;

	if (file == NULL)
		return UINT64_MAX;
	if (fscanf(file, "%" SCNu64, &number) != 1)
		number = UINT64_MAX;
	(void)fclose(file);
	return number;
}

/* The smallest limit of a group and its ancestors. */
static uint64_t least_of_groups(
	const char *mount, char *group, const char *file)
{
	uint64_t bytes = UINT64_MAX;
	char path[2 * LINE_ROOM];
	char *slash;

	do {
		slash = strrchr(group, '/');
		if (slash != NULL && slash[1] == '\0')
			*slash = '\0';
		if (snprintf(path, sizeof(path), "%s%s/%s", mount, group,
			    file) < (int)sizeof(path))
			bytes = least(bytes, read_number(path));
		slash = strrchr(group, '/');
		if (slash != NULL)
			*slash = '\0';
	} while (slash != NULL);
	return bytes;
}

/* Whether the list, separated by commas, contains the word. */
static bool has_word(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (; list != NULL; list = strchr(list, ',')) {
		list += *list == ',';
		if (strncmp(list, word, size) == 0 &&
			(list[size] == ',' || list[size] == '\0'))
			return true;
	}
	return false;
}

/* "0::/GROUP" is version 2, "7:cpu,memory:/GROUP" is version 1. */
static uint64_t read_line(const char *root, char *line)
{
	char mount[PATH_MAX];
	char *controllers = strchr(line, ':');
	char *group;

	line[strcspn(line, "\n")] = '\0';
	if (controllers == NULL)
		return UINT64_MAX;
	group = strchr(++controllers, ':');
	if (group == NULL)
		return UINT64_MAX;
	*group++ = '\0';
	/* Outside of this namespace. */
	if (strstr(group, "/..") != NULL)
		*group = '\0';
	if (*controllers == '\0') {
		(void)snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
		return least_of_groups(mount, group, "memory.max");
	}
	if (!has_word(controllers, "memory"))
		return UINT64_MAX;
	(void)snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/memory", root);
	return least_of_groups(mount, group, "memory.limit_in_bytes");
}

uint64_t machine_memory_bytes(const char *root)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t bytes = UINT64_MAX;
	char path[PATH_MAX];
	char line[LINE_ROOM];
	FILE *groups;

	if (pages > 0 && page_bytes > 0)
		bytes = (uint64_t)pages * (uint64_t)page_bytes;
	(void)snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	groups = fopen(path, "re");
	if (groups == NULL)
		return bytes;
	while (fgets(line, sizeof(line), groups) != NULL)
		bytes = least(bytes, read_line(root, line));
	(void)fclose(groups);
	return bytes;
}
