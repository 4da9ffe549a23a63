/* SPDX-License-Identifier: MIT */
/* base/machine.[ch]: memory, from control groups in a test directory. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "support/run_suite.h"

static char root[] = "/tmp/test_machine_XXXXXX";

static void remove_root(void)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -rf %s", root);
	(void)system(command);
}

static void set_up(void)
{
	(void)strcpy(root + strlen(root) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
}

/* Makes a file and its directories. */
static void put(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = strchr(path + sizeof(root), '/'); at != NULL;
		at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(without_groups_it_is_the_machines)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			 (uint64_t)sysconf(_SC_PAGESIZE);

	ck_assert_uint_eq(machine_memory_bytes(root), bytes);
	put("proc/self/cgroup", "0::/a\n");
	put("sys/fs/cgroup/a/memory.max", "max\n");
	ck_assert_uint_eq(machine_memory_bytes(root), bytes);
	put("sys/fs/cgroup/a/memory.max", "18446744073709551615\n");
	ck_assert_uint_eq(machine_memory_bytes(root), bytes);
	put("proc/self/cgroup", "garbage\n\n:\n0:\n7:cpu,memoryx:/a\n");
	put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000\n");
	ck_assert_uint_eq(machine_memory_bytes(root), bytes);
}
END_TEST

START_TEST(the_least_of_the_groups_above_counts)
{
	put("proc/self/cgroup", "0::/a/b/c\n");
	put("sys/fs/cgroup/a/b/c/memory.max", "max\n");
	put("sys/fs/cgroup/a/b/memory.max", "3000000\n");
	put("sys/fs/cgroup/a/memory.max", "2000000\n");
	ck_assert_uint_eq(machine_memory_bytes(root), 2000000);
	put("sys/fs/cgroup/a/b/c/memory.max", "1000000\n");
	ck_assert_uint_eq(machine_memory_bytes(root), 1000000);
}
END_TEST

/* The path is outside of the container. */
START_TEST(the_top_of_the_mount_counts)
{
	put("sys/fs/cgroup/memory.max", "4000000\n");
	put("proc/self/cgroup", "0::/\n");
	ck_assert_uint_eq(machine_memory_bytes(root), 4000000);
	put("proc/self/cgroup", "0::/docker/0123\n");
	ck_assert_uint_eq(machine_memory_bytes(root), 4000000);
	put("proc/self/cgroup", "0::/../../other\n");
	ck_assert_uint_eq(machine_memory_bytes(root), 4000000);
}
END_TEST

START_TEST(groups_of_version_1_count)
{
	put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/x/y\n0::/\n");
	put("sys/fs/cgroup/memory/x/y/memory.limit_in_bytes",
		"9223372036854771712\n");
	put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "5000000\n");
	ck_assert_uint_eq(machine_memory_bytes(root), 5000000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("machine");
	TCase *tcase = tcase_create("machine");

	tcase_add_checked_fixture(tcase, set_up, remove_root);
	tcase_add_test(tcase, without_groups_it_is_the_machines);
	tcase_add_test(tcase, the_least_of_the_groups_above_counts);
	tcase_add_test(tcase, the_top_of_the_mount_counts);
	tcase_add_test(tcase, groups_of_version_1_count);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
