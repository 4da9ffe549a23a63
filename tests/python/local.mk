# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/python.sh \
	%D%/python_install.sh \
	%D%/python_pip.sh

# Files that tests/python/python.sh runs under each Python.
python_tests = \
	tests/python/bench_state.py \
	tests/python/exact.py \
	tests/python/fake_torch/torch/__init__.py \
	tests/python/fake_torch/torch/_dynamo/__init__.py \
	tests/python/fake_torch/torch/_dynamo/dynamo_profiler.py \
	tests/python/fake_torch/torch/_dynamo/output_graph.py \
	tests/python/fake_torch/torch/_dynamo/symbolic_convert.py \
	tests/python/fake_torch/torch/_guards.py \
	tests/python/fake_torch/torch/_logging/__init__.py \
	tests/python/fake_torch/torch/_logging/_internal.py \
	tests/python/naive_state.py \
	tests/python/programs/calls.py \
	tests/python/programs/chance.py \
	tests/python/programs/errors.py \
	tests/python/programs/generators.py \
	tests/python/programs/names.py \
	tests/python/programs/native.py \
	tests/python/programs/objects.py \
	tests/python/programs/real.py \
	tests/python/programs/world.py \
	tests/python/range_case.py \
	tests/python/replay.py \
	tests/python/run.py \
	tests/python/support.py \
	tests/python/test_args.py \
	tests/python/test_attach.py \
	tests/python/test_call_lines.py \
	tests/python/test_compile.py \
	tests/python/test_dynamo.py \
	tests/python/test_exact.py \
	tests/python/test_generated.py \
	tests/python/test_integrations.py \
	tests/python/test_labels.py \
	tests/python/test_life.py \
	tests/python/test_load.py \
	tests/python/test_log.py \
	tests/python/test_package.py \
	tests/python/test_processes.py \
	tests/python/test_profile.py \
	tests/python/test_ranges.py \
	tests/python/test_record_python.py \
	tests/python/test_run.py \
	tests/python/test_summary.py \
	tests/python/test_threads.py \
	tests/python/test_tools.py \
	tests/python/test_tracer.py \
	tests/python/test_tree.py
EXTRA_DIST += $(python_tests)
