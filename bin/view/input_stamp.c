/* SPDX-License-Identifier: MIT */
#include "view/input_stamp.h"

#include <sys/stat.h>

#include "base/stable_hash.h"
#include "input/input_tree.h"

static uint64_t add_file(uint64_t stamp, const char *path)
{
	struct stat status = {0};
	struct {
		uint64_t before;
		uint64_t size;
		uint64_t number;
		int64_t seconds;
		int64_t nanoseconds;
	} all = {.before = stamp};

	if (stat(path, &status) == 0) {
		all.size = (uint64_t)status.st_size;
		all.number = (uint64_t)status.st_ino;
		all.seconds = status.st_mtim.tv_sec;
		all.nanoseconds = status.st_mtim.tv_nsec;
	}
	return stable_hash(&all, sizeof(all));
}

uint64_t input_stamp(const struct inputs *inputs)
{
	uint64_t stamp = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		struct input_tree tree = {0};

		if (!input_tree_is_directory(inputs->paths[i])) {
			stamp = add_file(stamp, inputs->paths[i]);
			continue;
		}
		(void)input_tree_add(&tree, inputs->paths[i]);
		for (size_t j = 0; j < tree.count; j++)
			stamp = add_file(stamp, tree.files[j].path);
		input_tree_clear(&tree);
	}
	return stamp;
}
