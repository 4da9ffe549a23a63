/* SPDX-License-Identifier: MIT */
#include "pack/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STAT_BYTES 1024

/* Reads up to `size` bytes of a kernel file. */
static size_t read_file(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	if (fd < 0)
		return 0;
	while (used < size) {
		ssize_t got = read(fd, out + used, size - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	(void)close(fd);
	return used;
}

size_t process_command(char *out, size_t size)
{
	size_t used = read_file("/proc/self/cmdline", out, size);

	if (used == 0)
		return 0;
	if (used == size)
		used--;
	if (out[used - 1] != '\0')
		out[used++] = '\0';
	return used;
}

/* A program may overwrite its first argument with other text, as
 * setproctitle(3) does; that is not a name. */
size_t process_program(char *out, size_t size)
{
	char path[PATH_MAX];
	ssize_t got = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *name;
	size_t used;

	if (got <= 0)
		return 0;
	path[got] = '\0';
	name = strrchr(path, '/');
	name = name == NULL ? path : name + 1;
	used = strlen(name) + 1;
	if (used > size)
		return 0;
	memcpy(out, name, used);
	return used;
}

/* The file's line, of less than `size` bytes. */
static void read_line(const char *path, char *out, size_t size)
{
	size_t used = read_file(path, out, size - 1);

	while (used > 0 && out[used - 1] == '\n')
		used--;
	out[used] = '\0';
}

void process_boot_id(char *out, size_t size)
{
	read_line("/proc/sys/kernel/random/boot_id", out, size);
}

bool process_thread_name(const char *thread, char name[PROCESS_THREAD_NAME])
{
	char path[64];

	(void)snprintf(
		path, sizeof(path), "/proc/self/task/%.20s/comm", thread);
	read_line(path, name, PROCESS_THREAD_NAME);
	return name[0] != '\0';
}

/* The text of /proc/PID/stat from this field on; NULL if it is unknown. */
static const char *read_stat(pid_t pid, int first, char text[STAT_BYTES])
{
	char path[32];
	const char *at;

	/* The mounted /proc may be another namespace's, with other numbers; it
	 * shows this process in any case. */
	if (pid == getpid())
		(void)snprintf(path, sizeof(path), "/proc/self/stat");
	else
		(void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	text[read_file(path, text, STAT_BYTES - 1)] = '\0';
	at = strrchr(text, ')'); /* the name may contain anything */
	for (int field = 2; at != NULL && field < first; field++)
		at = strchr(at + 1, ' ');
	return at;
}

/* Source: proc(5), /proc/pid/stat, field 22: ticks since boot. */
int64_t process_started_ns(void)
{
	char text[STAT_BYTES];
	const char *at = read_stat(getpid(), 22, text);
	struct timespec boot;
	struct timespec real;
	int64_t second = INT64_C(1000000000);
	int64_t ticks;

	if (at == NULL || clock_gettime(CLOCK_BOOTTIME, &boot) != 0 ||
		clock_gettime(CLOCK_REALTIME, &real) != 0)
		return INT64_MIN;
	ticks = strtoll(at, NULL, 10);
	return (real.tv_sec - boot.tv_sec) * second +
	       (real.tv_nsec - boot.tv_nsec) +
	       (ticks - 2) * (second / sysconf(_SC_CLK_TCK));
}

/* Source: proc(5), /proc/pid/stat, fields 3 and 20. */
char process_state(pid_t pid, long *threads)
{
	char text[STAT_BYTES];
	const char *at = read_stat(pid, 3, text);
	char state = at != NULL ? at[1] : '\0';

	at = read_stat(pid, 20, text);
	*threads = at != NULL ? strtol(at, NULL, 10) : 0;
	return state;
}

uint64_t process_addresses_left(void)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit;
	uint64_t used = 0;
	char text[64] = "";

	if (getrlimit(RLIMIT_AS, &limit) != 0 ||
		limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	if (read_file("/proc/self/statm", text, sizeof(text) - 1) > 0)
		used = strtoull(text, NULL, 10) * page;
	return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}
