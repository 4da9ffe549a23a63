/* SPDX-License-Identifier: MIT */
/*
 * Names and source positions of the functions in a program or shared library,
 * from its DWARF, which may be in a separate file, or else from its ELF
 * symbols. Implemented by symbols.c or, without libdw, by symbols_elf.c, which
 * reads ELF symbols only.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Properties that identify the file of a recorded module. */
struct symbols_expected {
	const void *build_id;
	size_t build_id_bytes; /* 0: none */
	uint64_t bytes;        /* size in memory */
};

/* Text is borrowed until the next call for these symbols. */
struct symbols_function {
	const char *name;    /* full and demangled */
	const char *mangled; /* the linker's name; "": same as `name` */
	const char *file;    /* of the definition; "": unknown */
	uint32_t line;       /* likewise; 0: unknown */
};

struct symbols;

/*
 * Opens a file. `expected` may be NULL: any file will do. `debug_directory`
 * (may be NULL) is an absolute path that is searched for DWARF files before the
 * usual places.
 *
 * Errors: CTP_ERR_IO; CTP_ERR_FORMAT if it is not a program or library, or not
 * the expected one; CTP_ERR_NOMEM.
 * Ownership: free with symbols_close().
 * Threads: one at a time.
 */
enum ctp_status symbols_open(const char *path,
	const struct symbols_expected *expected, const char *debug_directory,
	struct symbols **out, struct ctp_error *err);
void symbols_close(struct symbols *symbols);

/*
 * Finds the function that begins `offset` bytes after the module's lowest
 * address; CTP_END if there is none with a name.
 *
 * Errors: CTP_ERR_NOMEM. Damage to the file only costs names.
 */
enum ctp_status symbols_find(struct symbols *symbols, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err);

/*
 * Calls `visit` for each function, by offset, until it returns a status other
 * than CTP_OK.
 *
 * Errors: CTP_ERR_NOMEM; those of `visit`.
 */
enum ctp_status symbols_foreach(struct symbols *symbols,
	enum ctp_status (*visit)(void *user, uint64_t offset,
		const struct symbols_function *function, struct ctp_error *err),
	void *user, struct ctp_error *err);

#endif
