/* SPDX-License-Identifier: MIT */
/*
 * list_functions FILE [DEBUG_DIRECTORY]: the functions that symbols.h finds in
 * a file, one per line: offset, mangled name or name, file, line and name,
 * separated by tabs.
 */
#include <inttypes.h>
#include <stdio.h>

#include "symbols/symbols.h"

static enum ctp_status print(void *user, uint64_t offset,
	const struct symbols_function *function, struct ctp_error *err)
{
	(void)user;
	(void)err;
	printf("%" PRIx64 "\t%s\t%s\t%" PRIu32 "\t%s\n", offset,
		function->mangled[0] == '\0' ? function->name
					     : function->mangled,
		function->file, function->line, function->name);
	return CTP_OK;
}

int main(int argc, char **argv)
{
	struct ctp_error err = {0};
	struct symbols *symbols;
	enum ctp_status status;

	if (argc < 2) {
		fprintf(stderr, "usage: list_functions FILE [DIRECTORY]\n");
		return 2;
	}
	status = symbols_open(
		argv[1], NULL, argc > 2 ? argv[2] : NULL, &symbols, &err);
	if (status == CTP_OK) {
		status = symbols_foreach(symbols, print, NULL, &err);
		symbols_close(symbols);
	}
	if (status != CTP_OK)
		fprintf(stderr, "%s\n", err.message);
	return status == CTP_OK ? 0 : 1;
}
