/* SPDX-License-Identifier: MIT */
/* The modules of a log, each with the symbols of its file. */
#ifndef SYMBOLIZE_MODULE_H
#define SYMBOLIZE_MODULE_H

#include <stdbool.h>

#include "log_read/log_site.h"
#include "base/strtab.h"
#include "symbols/symbols.h"

struct symbolize_module {
	char *path;
	void *build_id;
	size_t build_id_bytes;
	uint64_t bytes;
	bool tried; /* to open it */
	struct symbols *symbols;
	/* For whoever wants to know what became of it. */
	struct ctp_error err; /* why `symbols` is NULL */
	uint64_t unnamed;     /* functions that stay without a name */
};

/* One file has one entry, also where several recordings loaded it. */
struct symbolize_modules {
	struct symbolize_module *all;
	uint32_t count;
	uint32_t room;
	struct strtab *keys; /* of the entries, in their order */
	uint32_t *numbers;   /* this recording's, to entry + 1 */
	uint32_t number_room;
};

/* False if out of memory. */
bool symbolize_modules_add(struct symbolize_modules *modules,
	const struct log_site_module *module);

/* By this recording's number; NULL if its block is lost. */
struct symbolize_module *symbolize_modules_find(
	const struct symbolize_modules *modules, uint32_t number);

/* Another recording, with numbers of its own, begins. */
void symbolize_modules_restart(struct symbolize_modules *modules);

void symbolize_modules_clear(struct symbolize_modules *modules);

/*
 * The function at an offset. The file is opened when the first of its
 * functions is asked for; if that fails, `module->err` says why.
 *
 * Errors: CTP_END if it has no name; CTP_ERR_NOMEM.
 */
enum ctp_status symbolize_module_find(struct symbolize_module *module,
	const char *debug_directory, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err);

#endif
