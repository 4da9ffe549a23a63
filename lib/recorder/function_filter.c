/* SPDX-License-Identifier: MIT */
#include "recorder/function_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "ctprof-functions 1"
#define BYTES_MAX (INT64_C(256) * 1024 * 1024)

/* Values of function_filter_find(); numbers of lists follow. */
enum function_filter_module {
	FUNCTION_FILTER_ALL,
	FUNCTION_FILTER_NOTHING,
	FUNCTION_FILTER_LISTS
};

struct glob {
	const char *text; /* in the file */
	bool include;
};

/* A module with some functions excluded. */
struct list {
	const char *path; /* in the file */
	uint64_t first;   /* of its offsets */
	uint64_t count;
};

static struct {
	char *file;
	struct glob *globs;
	struct list *lists;
	uint64_t *offsets;
	uint64_t glob_count, list_count, offset_count;
	bool exclude_others;
} filter;

static void clear(void)
{
	free(filter.file);
	free(filter.globs);
	free(filter.lists);
	free(filter.offsets);
	memset(&filter, 0, sizeof(filter));
}

static enum ctp_status read_all(
	int fd, size_t size, const char *path, struct ctp_error *err)
{
	size_t used = 0;

	filter.file = malloc(size + 1);
	if (filter.file == NULL)
		return ctp_no_memory(err);
	while (used < size) {
		ssize_t got = read(fd, filter.file + used, size - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ctp_fail(
				err, CTP_ERR_IO, "cannot read %s", path);
		if (got == 0)
			break;
		used += (size_t)got;
	}
	filter.file[used] = '\0';
	return CTP_OK;
}

static enum ctp_status read_file(const char *path, struct ctp_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum ctp_status status;
	struct stat found;

	if (fd < 0 || fstat(fd, &found) != 0)
		status = ctp_fail(err, CTP_ERR_IO, "cannot read %s", path);
	else if (!S_ISREG(found.st_mode) || found.st_size > BYTES_MAX)
		status = ctp_fail(err, CTP_ERR_FORMAT,
			"%s is not a list of functions", path);
	else
		status = read_all(fd, (size_t)found.st_size, path, err);
	if (fd >= 0)
		(void)close(fd);
	return status;
}

/* Makes room for as many entries as lines. */
static bool make_room(void)
{
	size_t lines = 1;

	for (const char *at = filter.file; *at != '\0'; at++)
		lines += *at == '\n';
	filter.globs = malloc(lines * sizeof(*filter.globs));
	filter.lists = malloc(lines * sizeof(*filter.lists));
	filter.offsets = malloc(lines * sizeof(*filter.offsets));
	return filter.globs != NULL && filter.lists != NULL &&
	       filter.offsets != NULL;
}

static bool parse_offset(const char *line)
{
	unsigned long long offset;
	char *end;

	if (filter.list_count == 0 ||
		line[strspn(line, "0123456789abcdefABCDEF")] != '\0')
		return false;
	errno = 0;
	offset = strtoull(line, &end, 16);
	if (errno != 0 || end == line)
		return false;
	filter.offsets[filter.offset_count++] = offset;
	filter.lists[filter.list_count - 1].count++;
	return true;
}

static bool parse_line(const char *line)
{
	if (line[0] == '\0')
		return true;
	if (strcmp(line, "default +") == 0 || strcmp(line, "default -") == 0) {
		filter.exclude_others = line[8] == '-';
		return true;
	}
	if (strncmp(line, "module + ", 9) == 0 ||
		strncmp(line, "module - ", 9) == 0) {
		filter.globs[filter.glob_count++] =
			(struct glob){line + 9, line[7] == '+'};
		return line[9] != '\0';
	}
	if (strncmp(line, "in ", 3) == 0) {
		filter.lists[filter.list_count++] =
			(struct list){line + 3, filter.offset_count, 0};
		return line[3] != '\0';
	}
	return parse_offset(line);
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one;
	uint64_t b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

static enum ctp_status parse(const char *path, struct ctp_error *err)
{
	unsigned long number = 1;
	char *next = NULL;

	for (char *line = filter.file; line != NULL; line = next, number++) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (number == 1 ? strcmp(line, FIRST_LINE) != 0
				: !parse_line(line))
			return ctp_fail(err, CTP_ERR_FORMAT,
				"%s: line %lu is invalid", path, number);
	}
	for (uint64_t i = 0; i < filter.list_count; i++)
		qsort(filter.offsets + filter.lists[i].first,
			filter.lists[i].count, sizeof(*filter.offsets),
			compare);
	return CTP_OK;
}

enum ctp_status function_filter_load(const char *path, struct ctp_error *err)
{
	enum ctp_status status;

	clear();
	if (path == NULL || path[0] == '\0')
		return CTP_OK;
	status = read_file(path, err);
	if (status == CTP_OK)
		status = make_room() ? parse(path, err) : ctp_no_memory(err);
	if (status != CTP_OK)
		clear();
	return status;
}

uint32_t function_filter_find(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	bool named = false;

	for (uint64_t i = 0; i < filter.glob_count && !named; i++) {
		named = fnmatch(filter.globs[i].text, name, 0) == 0;
		if (named && !filter.globs[i].include)
			return FUNCTION_FILTER_NOTHING;
	}
	for (uint64_t i = 0; i < filter.list_count; i++)
		if (strcmp(filter.lists[i].path, path) == 0)
			return FUNCTION_FILTER_LISTS + (uint32_t)i;
	return named || !filter.exclude_others ? FUNCTION_FILTER_ALL
					       : FUNCTION_FILTER_NOTHING;
}

bool function_filter_excludes(uint32_t module, uint64_t offset)
{
	const struct list *list;

	if (module < FUNCTION_FILTER_LISTS)
		return module == FUNCTION_FILTER_NOTHING;
	if (module - FUNCTION_FILTER_LISTS >= filter.list_count)
		return false; /* of an earlier filter */
	list = &filter.lists[module - FUNCTION_FILTER_LISTS];
	return bsearch(&offset, filter.offsets + list->first, list->count,
		       sizeof(offset), compare) != NULL;
}
