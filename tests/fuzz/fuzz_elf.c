/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a program whose ELF symbols are read. Each listed
 * function is inside of the program, in order, and is found again.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz_case.h"
#include "symbols/elf_file.h"
#include "symbols/symbols.h"

struct listing {
	struct symbols *symbols;
	uint64_t last;
	char name[65536];
};

static enum ctp_status check(void *user, uint64_t offset,
	const struct symbols_function *function, struct ctp_error *err)
{
	struct listing *listing = user;
	struct symbols_function again;

	fuzz_require(offset > listing->last);
	fuzz_require(function->name[0] != '\0' || function->mangled[0] != '\0');
	listing->last = offset;
	(void)snprintf(
		listing->name, sizeof(listing->name), "%s", function->name);
	fuzz_require(
		symbols_find(listing->symbols, offset, &again, err) == CTP_OK);
	fuzz_require(strncmp(listing->name, again.name,
			     sizeof(listing->name) - 1) == 0);
	return CTP_OK;
}

static void check_interpreter(const char *path)
{
	char interpreter[64];
	struct elf_file *file;
	int fd;

	if (elf_open(path, &fd, NULL) != CTP_OK)
		return;
	if (elf_file_new(fd, &file, NULL) != CTP_OK) {
		(void)close(fd);
		return;
	}
	if (elf_file_interpreter(file, interpreter, sizeof(interpreter)))
		fuzz_require(strnlen(interpreter, sizeof(interpreter)) <
			     sizeof(interpreter));
	elf_file_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct listing listing;
	struct ctp_error err;
	char path[64];
	int fd = memfd_create("program", MFD_CLOEXEC);

	memory_set_limit(FUZZ_MEMORY);
	fuzz_require(fd >= 0);
	fuzz_require(write(fd, bytes, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_interpreter(path);
	listing = (struct listing){0};
	if (symbols_open(path, NULL, NULL, &listing.symbols, &err) == CTP_OK) {
		fuzz_require(symbols_foreach(listing.symbols, check, &listing,
				     &err) == CTP_OK);
		symbols_close(listing.symbols);
	}
	(void)close(fd);
	return 0;
}
