/* SPDX-License-Identifier: MIT */
/*
 * The function that CUPTI calls when the program calls CUDA. The call becomes a
 * range of the calling thread with its correlation id, by which readers tie the
 * device's activities to it.
 */
#ifndef CUPTI_CALLBACK_H
#define CUPTI_CALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "cupti/cupti_abi.h"

/* More functions than any version has; CUDA 13 has 806 and 522. */
#define CUPTI_CALLBACK_FUNCTIONS 2048

/*
 * Finds out which callbacks are wanted, by their names, so that functions of
 * future versions are among them. Between loading CUPTI and subscribing.
 */
void cupti_callback_init(void);

/* Switches all of them on or off. Returns how many of the wanted ones CUPTI
 * refused. */
uint32_t cupti_callback_enable(void *subscriber, bool on);

/* Calls this after a fatal error; set before subscribing. */
void cupti_callback_on_fatal(void (*function)(const char *why));

/* For cuptiSubscribe(). */
cupti_callback_function cupti_callback;

/* Are they to record? Until then, and again later, they do nothing. */
void cupti_callback_active(bool on);
bool cupti_callback_is_active(void);

/* Has a kernel ever run that the program launched while they recorded? Neither
 * one whose launch failed, nor one that became part of a graph. */
bool cupti_callback_has_launched(void);

/* The site of a function of CUDA, named without its version; NULL if there is
 * none. */
struct ctp_site *cupti_callback_site(enum cupti_domain domain, uint32_t cbid);

/* Is it called too often to be worth a record? */
bool cupti_callback_is_noise(enum cupti_domain domain, uint32_t cbid);

#endif
