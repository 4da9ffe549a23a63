/* SPDX-License-Identifier: MIT */
#include "record/spool_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "base/environment.h"
#include "record/run_logs.h"
#include "recover/recover_log.h"
#include "cli/diag.h"

const char *spool_dir_path(const char *given)
{
	const char *asked =
		given != NULL ? given : environment_find("CTPROF_SPOOL");

	return asked == NULL || asked[0] == '\0' ? SPOOL_DIRECTORY : asked;
}

/* The process of this user's spool, from its name; -1 if it is not a spool. */
static long pid_of(const char *name)
{
	unsigned uid;
	unsigned number;
	uint64_t chance;
	long pid;
	int end = 0;

	if (sscanf(name, "ctprof.%u.%ld.%u.%" SCNx64 ".spool%n", &uid, &pid,
		    &number, &chance, &end) != 4 ||
		end == 0 || name[end] != '\0' || uid != geteuid() || pid < 0)
		return -1;
	return pid;
}

static int is_spool(const struct dirent *entry)
{
	return pid_of(entry->d_name) >= 0;
}

long spool_dir_pid(const char *path)
{
	return pid_of(basename(path));
}

int spool_dir_find(struct spool_dir *spools, const char *directory)
{
	struct dirent **entries = NULL;
	int found = scandir(directory, &entries, is_spool, versionsort);

	*spools = (struct spool_dir){0};
	if (found < 0 && errno == ENOENT)
		return EXIT_DONE; /* without the directory there are no
				   * spools */
	if (found < 0) {
		diag("%s: cannot read the directory: %s", directory,
			strerror(errno));
		return EXIT_INPUT;
	}
	spools->paths = calloc((size_t)found + 1, sizeof(*spools->paths));
	for (int i = 0; i < found; i++) {
		char *path = NULL;

		if (spools->paths != NULL && asprintf(&path, "%s/%s", directory,
						     entries[i]->d_name) >= 0)
			spools->paths[spools->count++] = path;
		free(entries[i]);
	}
	free(entries);
	if (spools->count == (size_t)found)
		return EXIT_DONE;
	spool_dir_clear(spools);
	diag("out of memory");
	return EXIT_LIMIT;
}

void spool_dir_clear(struct spool_dir *spools)
{
	for (size_t i = 0; i < spools->count; i++)
		free(spools->paths[i]);
	free(spools->paths);
	*spools = (struct spool_dir){0};
}

/* Facts about a log that may have a spool. */
struct log_identity {
	const char *path;
	bool exists;
	struct stat file;
	struct recover_origin origin;
};

static void identify_log(struct log_identity *identity, const char *log)
{
	int fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*identity = (struct log_identity){.path = log};
	if (fd < 0)
		return;
	identity->exists = fstat(fd, &identity->file) == 0 &&
			   S_ISREG(identity->file.st_mode);
	if (identity->exists &&
		recover_origin_read(fd, &identity->origin, NULL) != CTP_OK)
		identity->origin.known = false;
	(void)close(fd);
}

static bool is_spool_of(
	const struct spool_file *spool, const struct log_identity *identity)
{
	const struct spool_header *header = &spool->header;
	char *absolute;
	bool same;

	if (!spool->ready)
		return false;
	if (identity->origin.known)
		return recover_origin_is(&identity->origin, spool);
	if (identity->exists)
		return header->log_device == (uint64_t)identity->file.st_dev &&
		       header->log_inode == (uint64_t)identity->file.st_ino;
	absolute = run_logs_absolute(identity->path);
	same = absolute != NULL && strcmp(absolute, header->log_path) == 0;
	free(absolute);
	return same;
}

static bool open_if_spool_of(struct spool_file *spool, const char *path,
	const struct log_identity *identity)
{
	if (spool_file_open(spool, path, NULL) != CTP_OK)
		return false;
	if (is_spool_of(spool, identity))
		return true;
	spool_file_close(spool);
	return false;
}

bool spool_dir_open_for_log(
	struct spool_file *spool, const char *log, const char *directory)
{
	struct log_identity identity;
	struct spool_dir spools;
	bool found;

	identify_log(&identity, log);
	if (identity.origin.spool[0] != '\0' &&
		open_if_spool_of(spool, identity.origin.spool, &identity))
		return true;
	if (spool_dir_find(&spools, directory) != EXIT_DONE)
		return false;
	found = false;
	for (size_t i = 0; !found && i < spools.count; i++)
		found = open_if_spool_of(spool, spools.paths[i], &identity);
	spool_dir_clear(&spools);
	return found;
}
