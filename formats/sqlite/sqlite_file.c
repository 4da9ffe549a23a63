/* SPDX-License-Identifier: MIT */
/*
 * A layer below SQLite (a "VFS") that opens descriptors instead of names. Names
 * would not work: input from a pipe is unnamed, and a file opened by name may
 * have been replaced. SQLite's own temporary files, for large sorts, go where
 * all our temporary data goes, and its memory counts as ours. Source:
 * https://www.sqlite.org/vfs.html; https://www.sqlite.org/c3ref/vfs.html;
 * https://www.sqlite.org/c3ref/mem_methods.html
 */
#include "sqlite/sqlite_file.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "extsort/temp_file.h"

#define NAME "ctprof"
#define SECTOR_BYTES 4096
#define NUMBER_ROOM 16

struct file {
	sqlite3_file base; /* first: SQLite holds a pointer to it */
	int fd;
	bool read_only;
	struct temp_file own; /* for a temporary file; else TEMP_FILE_NONE */
};

static sqlite3_vfs layer;

static int close_file(sqlite3_file *base)
{
	struct file *file = (struct file *)base;

	temp_file_close(&file->own);
	return SQLITE_OK;
}

/* Bytes beyond the end read as zeros. */
static int read_file(
	sqlite3_file *base, void *bytes, int size, sqlite3_int64 offset)
{
	const struct file *file = (const struct file *)base;
	size_t got = 0;

	while (got < (size_t)size) {
		ssize_t more = pread(file->fd, (char *)bytes + got,
			(size_t)size - got, (off_t)offset + (off_t)got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return SQLITE_IOERR_READ;
		if (more == 0)
			break;
		got += (size_t)more;
	}
	if (got == (size_t)size)
		return SQLITE_OK;
	memset((char *)bytes + got, 0, (size_t)size - got);
	return SQLITE_IOERR_SHORT_READ;
}

static int write_file(
	sqlite3_file *base, const void *bytes, int size, sqlite3_int64 offset)
{
	const struct file *file = (const struct file *)base;
	size_t done = 0;

	if (file->read_only)
		return SQLITE_READONLY;
	while (done < (size_t)size) {
		ssize_t more = pwrite(file->fd, (const char *)bytes + done,
			(size_t)size - done, (off_t)offset + (off_t)done);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return errno == ENOSPC ? SQLITE_FULL
					       : SQLITE_IOERR_WRITE;
		done += (size_t)more;
	}
	return SQLITE_OK;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size)
{
	const struct file *file = (const struct file *)base;

	if (file->read_only)
		return SQLITE_READONLY;
	return ftruncate(file->fd, (off_t)size) == 0 ? SQLITE_OK
						     : SQLITE_IOERR_TRUNCATE;
}

/* Nothing written here must survive the process. */
static int sync_file(sqlite3_file *base, int flags)
{
	(void)base;
	(void)flags;
	return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size)
{
	const struct file *file = (const struct file *)base;
	struct stat found;

	if (fstat(file->fd, &found) != 0)
		return SQLITE_IOERR_FSTAT;
	*size = found.st_size;
	return SQLITE_OK;
}

/* No other process has the file. */
static int lock_file(sqlite3_file *base, int level)
{
	(void)base;
	(void)level;
	return SQLITE_OK;
}

static int check_lock(sqlite3_file *base, int *locked)
{
	(void)base;
	*locked = 0;
	return SQLITE_OK;
}

static int control_file(sqlite3_file *base, int what, void *argument)
{
	(void)base;
	(void)what;
	(void)argument;
	return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base)
{
	(void)base;
	return SECTOR_BYTES;
}

static int characteristics(sqlite3_file *base)
{
	const struct file *file = (const struct file *)base;

	return file->read_only ? SQLITE_IOCAP_IMMUTABLE : 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_file,
	.xRead = read_file,
	.xWrite = write_file,
	.xTruncate = truncate_file,
	.xSync = sync_file,
	.xFileSize = file_size,
	.xLock = lock_file,
	.xUnlock = lock_file,
	.xCheckReservedLock = check_lock,
	.xFileControl = control_file,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = characteristics,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base,
	int flags, int *out_flags)
{
	struct file *file = (struct file *)base;

	(void)vfs;
	*file = (struct file){.own = TEMP_FILE_NONE};
	if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
		file->fd = (int)strtol(name, NULL, 10);
		file->read_only = (flags & SQLITE_OPEN_READONLY) != 0;
	} else if ((flags & SQLITE_OPEN_DELETEONCLOSE) != 0) {
		if (temp_file_open(&file->own, NULL) != CTP_OK)
			return SQLITE_CANTOPEN;
		file->fd = file->own.fd;
	} else {
		return SQLITE_CANTOPEN; /* no journals */
	}
	file->base.pMethods = &methods;
	if (out_flags != NULL)
		*out_flags = flags;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	(void)name;
	(void)sync;
	return SQLITE_IOERR_DELETE_NOENT;
}

/* Only journals are asked for: they do not exist. */
static int access_file(
	sqlite3_vfs *vfs, const char *name, int flags, int *found)
{
	(void)vfs;
	(void)name;
	(void)flags;
	*found = 0;
	return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
	(void)vfs;
	(void)snprintf(out, (size_t)size, "%s", name);
	return SQLITE_OK;
}

static void *allocate_memory(int size)
{
	return memory_new((size_t)size);
}

static void *resize_memory(void *old, int size)
{
	return memory_resize(old, (size_t)size);
}

static int memory_size(void *memory)
{
	return (int)malloc_usable_size(memory);
}

static int round_up(int size)
{
	return (size + 7) & ~7;
}

static int start_memory(void *user)
{
	(void)user;
	return SQLITE_OK;
}

static void stop_memory(void *user)
{
	(void)user;
}

/* Time and randomness come from the system. */
static void make_layer(void)
{
	static const sqlite3_mem_methods memory = {
		.xMalloc = allocate_memory,
		.xFree = memory_free,
		.xRealloc = resize_memory,
		.xSize = memory_size,
		.xRoundup = round_up,
		.xInit = start_memory,
		.xShutdown = stop_memory,
	};
	const sqlite3_vfs *usual;

	/* Must precede all other SQLite calls. */
	(void)sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
	usual = sqlite3_vfs_find(NULL);
	if (usual == NULL)
		return;
	layer = *usual;
	layer.pNext = NULL;
	layer.szOsFile = (int)sizeof(struct file);
	layer.zName = NAME;
	layer.xOpen = open_file;
	layer.xDelete = delete_file;
	layer.xAccess = access_file;
	layer.xFullPathname = full_path;
	(void)sqlite3_vfs_register(&layer, 0);
}

enum ctp_status sqlite_file_open(
	int fd, bool write, sqlite3 **out, struct ctp_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
			  : SQLITE_OPEN_READONLY;
	char number[NUMBER_ROOM];
	sqlite3 *db = NULL;
	int result;

	(void)pthread_once(&once, make_layer);
	(void)snprintf(number, sizeof(number), "%d", fd);
	result =
		sqlite3_open_v2(number, &db, flags | SQLITE_OPEN_NOMUTEX, NAME);
	if (result == SQLITE_OK) {
		*out = db;
		return CTP_OK;
	}
	(void)sqlite3_close(db);
	if (result == SQLITE_NOMEM)
		return ctp_no_memory(err);
	return ctp_fail(err, CTP_ERR_UNSUPPORTED, "SQLite cannot open it: %s",
		sqlite3_errstr(result));
}
