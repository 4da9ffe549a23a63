/* SPDX-License-Identifier: MIT */
/* Opens files by names that somebody else may have chosen, or that lie in a
 * directory to which others may write. */
#ifndef OWN_FILE_H
#define OWN_FILE_H

#include "base/error.h"

/*
 * Opens a regular file of the calling user for reading and writing. Nothing
 * else is opened, not even for a moment: opening alone lets go who waits at a
 * pipe, and makes some devices act. Needs /proc.
 *
 * Errors: CTP_ERR_FORMAT if it is a symbolic link, not a file, or another
 * user's; CTP_ERR_IO.
 */
enum ctp_status own_file_open(const char *path, int *fd, struct ctp_error *err);

#endif
