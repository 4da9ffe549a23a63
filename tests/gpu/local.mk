# SPDX-License-Identifier: MIT
# Programs that run on a GPU. The driver is found at run time, so that everything builds
# without one.
shell_tests += %D%/every_launch.sh
check_PROGRAMS += tests/gpu/launches tests/gpu/truth
check_LTLIBRARIES += tests/gpu/libfloor.la
tests_gpu_launches_SOURCES = tests/gpu/launches.c $(gpu_driver)
tests_gpu_launches_LDADD = -ldl
tests_gpu_truth_SOURCES = tests/gpu/truth.c $(gpu_driver)
tests_gpu_truth_LDADD = libctprof.la -ldl -lpthread
tests_gpu_libfloor_la_SOURCES = tests/gpu/floor.c
tests_gpu_libfloor_la_LIBADD = -ldl
tests_gpu_libfloor_la_LDFLAGS = -module -avoid-version -rpath /nowhere
gpu_driver = tests/gpu/driver.c tests/gpu/driver.h
EXTRA_DIST += \
	tests/gpu/bench.py \
	tests/gpu/check_torch.py \
	tests/gpu/check_truth.py \
	tests/gpu/costs.py \
	tests/gpu/find_cupti.py \
	tests/gpu/run \
	tests/gpu/torch_case.py

