/* SPDX-License-Identifier: MIT */
/*
 * A spliced line is joined, and the newlines it lost are put behind it: the
 * lexer then need not know about splices, and all later lines keep their
 * numbers.
 */
#include "source.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctprof.h>

static bool read_all(int fd, char *text, size_t size, size_t *length)
{
	*length = 0;
	while (*length < size) {
		ssize_t n = read(fd, text + *length, size - *length);

		if (n < 0)
			return false;
		if (n == 0)
			break;
		*length += (size_t)n;
	}
	return true;
}

static bool read_file(int fd, struct arena *arena, struct source *source)
{
	struct stat status;
	size_t size;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
		status.st_size < 0 ||
		(uintmax_t)status.st_size > SOURCE_MAX_BYTES)
		return false;
	size = (size_t)status.st_size;
	source->text = arena_alloc(arena, size + 1);
	if (!read_all(fd, source->text, size, &source->length))
		return false;
	source->text[source->length] = '\0';
	ctp_arg_int("bytes", (int64_t)source->length);
	return true;
}

/* The length of the splice at `at`, which is a backslash: 0 if there is
 * none. */
static size_t splice_length(const char *at, const char *end)
{
	if (end - at >= 2 && at[1] == '\n')
		return 2;
	if (end - at >= 3 && at[1] == '\r' && at[2] == '\n')
		return 3;
	return 0;
}

void source_splice(struct source *source)
{
	char *from = memchr(source->text, '\\', source->length);
	const char *end = source->text + source->length;
	char *to = from;
	size_t lost = 0;

	if (from == NULL)
		return;
	while (from < end) {
		size_t skip = *from == '\\' ? splice_length(from, end) : 0;

		if (skip != 0) {
			from += skip;
			lost++;
			continue;
		}
		*to++ = *from;
		if (*from++ == '\n')
			for (; lost > 0; lost--)
				*to++ = '\n';
	}
	source->length = (size_t)(to - source->text);
	*to = '\0';
}

bool source_read(const char *path, struct arena *arena, struct source *source)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool done;

	if (fd < 0)
		return false;
	{
		CTP_SCOPE("read_file");
		ctp_arg_string("file", path);
		done = read_file(fd, arena, source);
	}
	close(fd);
	if (done)
		source_splice(source);
	return done;
}
