/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Up to `size` bytes of a file of the kernel's. */
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

/* The arguments, each with a zero byte after it, as far as they fit. */
static size_t read_command(char *out, size_t size)
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

void process_boot_id(char *out, size_t size)
{
	size_t used =
		read_file("/proc/sys/kernel/random/boot_id", out, size - 1);

	while (used > 0 && out[used - 1] == '\n')
		used--;
	out[used] = '\0';
}

void process_describe(struct spool_facts *facts)
{
	facts->pid = (uint32_t)getpid();
	process_boot_id(facts->boot_id, sizeof(facts->boot_id));
	(void)gethostname(facts->host, sizeof(facts->host) - 1);
	facts->command_bytes =
		(uint32_t)read_command(facts->command, sizeof(facts->command));
}
