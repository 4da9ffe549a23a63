/* SPDX-License-Identifier: MIT */
/*
 * The function that CUPTI calls when the program calls CUDA. The call becomes a
 * range of the calling thread with its correlation id, with which readers link
 * the device's activities to it.
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
 * Selects the callbacks by name, to include functions of future versions. Call
 * it between loading CUPTI and subscribing.
 */
void cupti_callback_init(void);

/* Switches all of them on or off. Returns the number that CUPTI refused. */
uint32_t cupti_callback_enable(void *subscriber, bool on);

/* Sets the function called after a fatal error. Set it before subscribing. */
void cupti_callback_on_fatal(void (*function)(const char *why));

/* For cuptiSubscribe(). */
cupti_callback_function cupti_callback;

/* Makes the callbacks record or do nothing, as initially. */
void cupti_callback_active(bool on);
bool cupti_callback_is_active(void);

/* Whether the program has launched a kernel while they were active, not
 * counting failed launches and graph captures. */
bool cupti_callback_has_launched(void);

/* The site of a function of CUDA, named without its version; NULL if there is
 * none. */
struct ctp_site *cupti_callback_site(enum cupti_domain domain, uint32_t cbid);

/* Whether it is called too often to be worth recording. */
bool cupti_callback_is_noise(enum cupti_domain domain, uint32_t cbid);

#endif
