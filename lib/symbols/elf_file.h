/* SPDX-License-Identifier: MIT */
/*
 * Reads an ELF program or library: its span in memory, its build id, its dynamic
 * linker and its symbols. Files of 32 and 64 bits and of both byte orders are
 * read.
 *
 * Source: System V ABI, chapters 4 and 5 (gabi, "Object Files"); elf(5).
 */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbols/elf_table.h"

/*
 * Opens a regular file that begins like ELF: a pipe is not waited for.
 *
 * Errors: CTP_ERR_IO; CTP_ERR_FORMAT.
 * Ownership: close() the descriptor.
 */
enum ctp_status elf_open(const char *path, int *fd, struct ctp_error *err);

struct elf_file;

/*
 * Reads the headers of an open file.
 *
 * Errors: CTP_ERR_FORMAT if nothing in it is loaded, as in an object file, or
 * it is damaged; CTP_ERR_NOMEM.
 * Ownership: free with elf_file_free(), which closes `fd`; after an error it
 * still belongs to the caller.
 * Threads: one at a time.
 */
enum ctp_status elf_file_new(
	int fd, struct elf_file **out, struct ctp_error *err);
void elf_file_free(struct elf_file *file);

/* Lowest loaded address and the end of the highest. */
void elf_file_span(
	const struct elf_file *file, uint64_t *lowest, uint64_t *highest);

/* The build id, borrowed from the file; `*size` is 0 if it is missing. */
const uint8_t *elf_file_build_id(const struct elf_file *file, size_t *size);

/* Copies the path of the program's dynamic linker. False for a static program, or
 * if the path does not fit into `room` bytes. */
bool elf_file_interpreter(const struct elf_file *file, char *out, size_t room);

/*
 * Adds the functions in .symtab and .dynsym to the table, whose names are
 * borrowed from the file, and sorts it. Sizes of symbols do not matter: a
 * function is looked up by its beginning.
 *
 * Errors: CTP_ERR_NOMEM. Damage only costs names.
 */
enum ctp_status elf_file_add_symbols(
	struct elf_file *file, struct elf_table *table, struct ctp_error *err);

#endif
