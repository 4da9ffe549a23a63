/* SPDX-License-Identifier: MIT */
/*
 * What the file of a program or shared library says about the functions in it:
 * their names and where they are defined, from its DWARF - which may stand in a
 * file of its own - or else from its ELF symbols. symbols.c implements it, or
 * symbols_none.c where there is no libdw.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What the file has to be, to be that of a module that was recorded. */
struct symbols_expected {
	const void *build_id;
	size_t build_id_bytes; /* 0: it had none */
	uint64_t bytes;        /* its span in memory */
};

/* Text is borrowed until the next call for these symbols. */
struct symbols_function {
	const char *name;    /* full and demangled */
	const char *mangled; /* as the linker knows it; "": as `name` */
	const char *file;    /* of its definition; "": unknown */
	uint32_t line;       /* likewise; 0: unknown */
};

struct symbols;

/*
 * Opens a file. `expected` may be NULL: any file will do. `debug_directory`
 * (may be NULL) is an absolute path that files with DWARF are looked for in
 * before the usual places.
 *
 * Errors: CTP_ERR_IO; CTP_ERR_FORMAT if it is no program or library, or not
 * the one that is expected; CTP_ERR_UNSUPPORTED without libdw; CTP_ERR_NOMEM.
 * Ownership: free with symbols_close().
 * Threads: one at a time.
 */
enum ctp_status symbols_open(const char *path,
	const struct symbols_expected *expected, const char *debug_directory,
	struct symbols **out, struct ctp_error *err);
void symbols_close(struct symbols *symbols);

/*
 * The function that begins `offset` bytes after the module's lowest address;
 * CTP_END if there is none that has a name.
 *
 * Errors: CTP_ERR_NOMEM. Damage to the file only costs names.
 */
enum ctp_status symbols_find(struct symbols *symbols, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err);

/*
 * Calls `visit` for each function, by offset, until it returns something else
 * than CTP_OK.
 *
 * Errors: CTP_ERR_NOMEM; those of `visit`.
 */
enum ctp_status symbols_foreach(struct symbols *symbols,
	enum ctp_status (*visit)(void *user, uint64_t offset,
		const struct symbols_function *function, struct ctp_error *err),
	void *user, struct ctp_error *err);

#endif
