/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/environment.h"

#define DEFAULT_WIDTH 80
#define DEFAULT_HEIGHT 24

static bool is_set(const char *variable)
{
	const char *value = environment_find(variable);

	return value != NULL && value[0] != '\0';
}

bool terminal_color(FILE *stream, enum when when)
{
	const char *term = environment_find("TERM");
	const char *force = environment_find("CLICOLOR_FORCE");

	if (when != WHEN_AUTO)
		return when == WHEN_ALWAYS;
	if (is_set("NO_COLOR"))
		return false;
	if (is_set("CLICOLOR_FORCE") && strcmp(force, "0") != 0)
		return true;
	return isatty(fileno(stream)) && is_set("TERM") &&
	       strcmp(term, "dumb") != 0;
}

size_t terminal_height(FILE *stream)
{
	struct winsize size;

	if (!isatty(fileno(stream)))
		return 0;
	if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
		return DEFAULT_HEIGHT;
	return size.ws_row;
}

size_t terminal_width(FILE *stream)
{
	struct winsize size;

	if (!isatty(fileno(stream)))
		return 0;
	if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return DEFAULT_WIDTH;
	return size.ws_col;
}
