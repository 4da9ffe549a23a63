/* SPDX-License-Identifier: MIT */
/*
 * What another source gives, without what tells who it is of: files, hosts,
 * users, commands, names of processes and threads, and the texts of arguments are
 * replaced by hashes. Names of functions, numbers, times, categories and keys
 * stay. See redact_text.h.
 */
#ifndef REDACT_H
#define REDACT_H

#include "trace/event.h"

/*
 * Opens a source around `inner`, which is closed with it, with a trace of its
 * own. `salt` keeps others from trying which text a hash is of.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status redact_open(struct event_source *inner, const char *salt,
	struct event_source **out, struct ctp_error *err);

#endif
