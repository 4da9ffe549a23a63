/* SPDX-License-Identifier: MIT */
/* Opens a page in the user's browser. */
#ifndef OPENER_H
#define OPENER_H

#include <stdbool.h>

/* Whether there is a screen to open a browser on. */
bool opener_has_display(void);

/* Starts the browser of $BROWSER, else that of the desktop (xdg-open), and does
 * not wait for it. Errors: reported; false. */
bool opener_open(char *address);

#endif
