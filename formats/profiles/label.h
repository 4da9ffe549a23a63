/* SPDX-License-Identifier: MIT */
/*
 * A unique line of text for each function of a profile, for formats that
 * identify functions by name only.
 */
#ifndef LABEL_H
#define LABEL_H

#include "base/error.h"
#include "profile/profile.h"
#include "base/strtab.h"

/* Replaces an empty or invisible name. */
#define LABEL_NO_NAME "(no name)"

/* The name, or LABEL_NO_NAME. */
const char *label_name(const char *name);

/* The label of the caller shown for calls without one; no function has this
 * label. */
#define LABEL_ROOT "<all threads>"

struct labels {
	struct strtab *text;
	uint32_t *by_function; /* numbers in `text` */
};

/*
 * A label is the function's name, printable (see utf8_add_printable()); "name
 * (file:line)", with the file's last part, if other functions have that name;
 * and "name (file:line) #2" if even that is taken. A shared name is cut after
 * 4096 bytes, and so is its file. `change` (may be NULL) adapts a label in
 * place to a format's character set; it must not make it longer.
 *
 * Errors: CTP_ERR_NOMEM. Ownership: clear with labels_clear(), also after a
 * failure.
 */
enum ctp_status labels_init(struct labels *labels,
	const struct profile *profile, void (*change)(char *name),
	struct ctp_error *err);
void labels_clear(struct labels *labels);

/* Borrowed until labels_clear(); never empty. */
const char *labels_text(const struct labels *labels, uint32_t function);

#endif
