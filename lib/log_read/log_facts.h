/* SPDX-License-Identifier: MIT */
/* Blocks whose content becomes facts of the trace: header, end, and facts. */
#ifndef LOG_FACTS_H
#define LOG_FACTS_H

#include "log_read/log_recording.h"

enum ctp_status log_facts_parse_header(struct log_recording *recording,
	struct cursor block, enum log_verdict *verdict, struct ctp_error *err);

/* For `apply` see log_read.c. */
enum log_verdict log_facts_parse_end(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_facts_parse_device(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_facts_parse(
	struct log_recording *recording, struct cursor block, bool apply);

/* Sets a fact to a number; false if out of memory. */
bool log_facts_set_number(
	struct trace *trace, const char *key, uint64_t number);

#endif
