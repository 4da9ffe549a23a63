/* SPDX-License-Identifier: MIT */
/* The functions of ITT's that are not in itt.c, and what they all use. */
#ifndef ITT_H
#define ITT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "markers/inject.h"
#include "recorder/itt_abi.h"

#define ITT_DEFAULT_DOMAIN "itt"

/* The program told us not to record what it marks by ITT, until it resumes. */
bool itt_is_paused(void);

/* Ours of the program's domain; NULL if out of memory, or of none. */
struct inject_domain *itt_domain_of(const struct itt_domain *theirs);

/* The name in the program's domain; its `name` is NULL if out of memory, or
 * where there is no domain. */
struct inject_message itt_message(
	const struct itt_domain *theirs, const char *text);

/* Never NULL. */
const char *itt_text(const struct itt_string *string);

/* A number of one of ITT's types: whole, unless `real` is set. */
struct itt_number {
	int64_t whole;
	double real;
	bool is_real;
};

struct itt_number itt_number_of(int type, const void *data);

/* What may overlap, and end in another thread: tasks, regions and frames. */
void itt_task_begin_overlapped(const struct itt_domain *domain,
	struct itt_id id, struct itt_id parent, const struct itt_string *name);
void itt_task_end_overlapped(const struct itt_domain *domain, struct itt_id id);
void itt_region_begin(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, const struct itt_string *name);
void itt_region_end(const struct itt_domain *domain, struct itt_id id);
void itt_frame_begin_v3(
	const struct itt_domain *domain, const struct itt_id *id);
void itt_frame_end_v3(const struct itt_domain *domain, const struct itt_id *id);

/* Counters, by handle and by name. */
struct itt_counter;
struct itt_counter *itt_counter_create(const char *text, const char *domain);
struct itt_counter *itt_counter_create_typed(
	const char *text, const char *domain, int type);
struct itt_counter *itt_counter_create_v3(
	const struct itt_domain *domain, const char *text, int type);
void itt_counter_destroy(struct itt_counter *counter);
void itt_counter_set_value(struct itt_counter *counter, const void *data);
void itt_counter_inc(struct itt_counter *counter);
void itt_counter_dec(struct itt_counter *counter);
void itt_counter_inc_delta(
	struct itt_counter *counter, unsigned long long delta);
void itt_counter_dec_delta(
	struct itt_counter *counter, unsigned long long delta);
void itt_counter_inc_v3(
	const struct itt_domain *domain, const struct itt_string *name);
void itt_counter_dec_v3(
	const struct itt_domain *domain, const struct itt_string *name);
void itt_counter_inc_delta_v3(const struct itt_domain *domain,
	const struct itt_string *name, unsigned long long delta);
void itt_counter_dec_delta_v3(const struct itt_domain *domain,
	const struct itt_string *name, unsigned long long delta);

#endif
