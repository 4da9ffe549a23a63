/* SPDX-License-Identifier: MIT */
/* The blocks of an encoder around its events: header, sites, tracks, devices,
 * facts, losses and the end. */
#ifndef LOG_ENCODER_TABLES_H
#define LOG_ENCODER_TABLES_H

#include "log/encoder_state.h"

/* Assigns a track its number in the log, for its events or its activities, if
 * necessary. */
enum ctp_status log_encoder_number(struct log_encoder *encoder, uint32_t track,
	bool activities, struct ctp_error *err);

/* Begins the log; writes the entries of the trace's tables that it lacks. */
enum ctp_status log_encoder_write_header(
	struct log_encoder *encoder, struct ctp_error *err);
enum ctp_status log_encoder_write_tables(
	struct log_encoder *encoder, struct ctp_error *err);

/* Writes the facts, the losses and the end. */
enum ctp_status log_encoder_write_end(
	struct log_encoder *encoder, struct ctp_error *err);

#endif
