/* SPDX-License-Identifier: MIT */
/* Reads JSON files with torch.fx's metadata of nodes. */
#ifndef FX_FILE_H
#define FX_FILE_H

#include "base/error.h"
#include "operators/annotate.h"

/*
 * Reads {FILE: {"node_metadata": {INDEX: {"stack_trace": TEXT, "name": TEXT}}}}
 * into a new registry; free it with fx_registry_free(). Other members and empty
 * or null nodes are ignored. "-" is standard input.
 *
 * Errors: CTP_ERR_IO; CTP_ERR_FORMAT with the problem and position;
 * CTP_ERR_LIMIT if it is too long; CTP_ERR_NOMEM.
 */
enum ctp_status fx_file_read(
	const char *path, struct fx_registry **out, struct ctp_error *err);

#endif
