/* SPDX-License-Identifier: MIT */
/*
 * One line of text for each function of a profile, for formats in which the
 * name is all that tells functions apart: no two are the same.
 */
#ifndef LABEL_H
#define LABEL_H

#include "base/error.h"
#include "profile/profile.h"
#include "base/strtab.h"

/* What is shown in the place of a name of which nothing can be seen. */
#define LABEL_NO_NAME "(no name)"

/* The name, or that. */
const char *label_name(const char *name);

/* What calls that have no caller are shown to come from; no function has it as
 * its label. */
#define LABEL_ROOT "<all threads>"

struct labels {
	struct strtab *text;
	uint32_t *of; /* number in `text`, by function */
};

/*
 * A label is the function's name, printable (see utf8_add_printable());
 * "name (file:line)", with the file's last part, if others have that name; and
 * "name (file:line) #2" if even that is taken. A name that others have is cut
 * behind 4096 bytes, and so is its file. `change` (may be NULL) alters a label
 * in place to what a format can hold; it must not make it longer.
 *
 * Errors: CTP_ERR_NOMEM.
 * Ownership: clear with labels_clear(), which needs no success before.
 */
enum ctp_status labels_init(struct labels *labels,
	const struct profile *profile, void (*change)(char *name),
	struct ctp_error *err);
void labels_clear(struct labels *labels);

/* Borrowed until labels_clear(); never empty. */
const char *labels_text(const struct labels *labels, uint32_t function);

#endif
