/* SPDX-License-Identifier: MIT */
/* The sums of inputs and a summary: one becomes the other. */
#ifndef AGGREGATE_SUMMARY_H
#define AGGREGATE_SUMMARY_H

#include "input/aggregate.h"

/* Sets the options of the sums before an input that is not a summary. Errors:
 * CTP_ERR_UNSUPPORTED if they have others; CTP_ERR_NOMEM. */
enum ctp_status aggregate_set_options(struct aggregate *sums,
	const struct aggregate_options *options, struct ctp_error *err);

/* Adds the options on which the sums depend, also those of reports that are not
 * in summaries. False if out of memory. */
bool aggregate_describe(
	struct summary *summary, const struct aggregate_options *options);

/* Adds a summary, all inputs of which get this number. Errors: likewise. It must
 * still be freed. */
enum ctp_status aggregate_add_summary(struct aggregate *sums,
	struct summary *from, uint32_t part,
	const struct aggregate_options *options, struct ctp_error *err);

/* The same, but its inputs keep their numbers. */
enum ctp_status aggregate_add_part(struct aggregate *sums, struct summary *from,
	const struct aggregate_options *options, struct ctp_error *err);

/* Moves all groups to other sums, or adds them. False if out of memory. */
bool aggregate_add_groups(struct aggregate *to, struct aggregate *from);

/* Moves all sums to aggregate->summary, to be written. False if out of
 * memory. */
bool aggregate_complete(struct aggregate *aggregate);

/* Adds all counts but those of the summary. */
void aggregate_add_counts(struct aggregate *to, const struct aggregate *from);

/* Whether an input was a summary. */
bool aggregate_has_summary(const struct aggregate *aggregate);

/* Keeps why an input is not in a whole summary. Errors: reported; returns an exit
 * status, EXIT_INPUT if it was kept. */
int aggregate_lose_input(struct aggregate *sums,
	const struct aggregate_options *options, const char *path,
	const struct ctp_error *err);

/* Refuses a file that is there twice, by any names, before it is read, and
 * removes all inputs. Errors: reported. */
bool aggregate_refuse_repeats(
	struct input_tree *tree, const struct aggregate_options *options);

/* Refuses an input that is there twice, if some are summaries. Errors: reported;
 * returns an exit status. */
int aggregate_check_inputs(
	struct aggregate *aggregate, const struct aggregate_options *options);

#endif
