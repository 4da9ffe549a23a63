/* SPDX-License-Identifier: MIT */
/* Files of JSON that hold what torch.fx knows of nodes. */
#ifndef FX_FILE_H
#define FX_FILE_H

#include "base/error.h"
#include "operators/fx_registry.h"

/*
 * Reads {FILE: {"node_metadata": {INDEX: {"stack_trace": TEXT, "name": TEXT}}}}
 * into a new registry; free it with fx_registry_free(). Other members, and
 * nodes that are empty or null, say nothing. "-" is standard input.
 *
 * Errors: CTP_ERR_IO; CTP_ERR_FORMAT with what is wrong and where;
 * CTP_ERR_LIMIT if it is too long; CTP_ERR_NOMEM.
 */
enum ctp_status fx_file_read(
	const char *path, struct fx_registry **out, struct ctp_error *err);

#endif
