/* SPDX-License-Identifier: MIT */
/* symbols.h without libdw. */
#include "symbols/symbols.h"

#include <assert.h>

enum ctp_status symbols_open(const char *path,
	const struct symbols_expected *expected, const char *debug_directory,
	struct symbols **out, struct ctp_error *err)
{
	(void)path;
	(void)expected;
	(void)debug_directory;
	(void)out;
	return ctp_fail(err, CTP_ERR_UNSUPPORTED,
		"this ctprof was built without libdw and cannot read symbols");
}

void symbols_close(struct symbols *symbols)
{
	assert(symbols == NULL);
	(void)symbols;
}

/* Never called, as symbols_open() always fails. */

enum ctp_status symbols_find(struct symbols *symbols, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err)
{
	(void)symbols;
	(void)offset;
	(void)function;
	(void)err;
	return CTP_END;
}

enum ctp_status symbols_foreach(struct symbols *symbols,
	enum ctp_status (*visit)(void *user, uint64_t offset,
		const struct symbols_function *function, struct ctp_error *err),
	void *user, struct ctp_error *err)
{
	(void)symbols;
	(void)visit;
	(void)user;
	(void)err;
	return CTP_OK;
}
