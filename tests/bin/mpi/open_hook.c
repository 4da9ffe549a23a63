/* SPDX-License-Identifier: MIT */
/*
 * A library to be preloaded, for which opening some files is an accident. A name
 * with "segv" crashes the process, one with "killed" kills it, as the system
 * does when it is out of memory, and "slow" waits while there is a file "hang".
 * The file "opened" lists all names.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void list(const char *path)
{
	int fd = open("opened", O_WRONLY | O_CREAT | O_APPEND, 0666);
	char line[512];
	int size = snprintf(line, sizeof(line), "%s\n", path);

	if (fd < 0)
		return;
	(void)!write(fd, line, (size_t)size);
	(void)close(fd);
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *path, const char *mode);
	void *found = dlsym(RTLD_NEXT, "fopen");

	memcpy(&next, &found, sizeof(next));
	if (strstr(path, ".json") != NULL)
		list(path);
	if (strstr(path, "segv") != NULL)
		(void)raise(SIGSEGV);
	if (strstr(path, "killed") != NULL)
		(void)raise(SIGKILL);
	while (strstr(path, "slow") != NULL && access("hang", F_OK) == 0)
		(void)usleep(10000);
	return next(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}
