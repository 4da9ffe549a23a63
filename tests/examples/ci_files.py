# SPDX-License-Identifier: MIT
"""Checks the files for CI servers: they parse, have the keys that the servers
need, name inputs that exist, and their shell scripts have no syntax errors.

ci_files.py DIRECTORY
"""
import pathlib
import re
import subprocess
import sys

import yaml


class Strict(yaml.SafeLoader):
    """Refuses a key that is there twice."""


def mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    assert len(keys) == len(set(keys)), keys
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)


def load(path):
    return yaml.load(path.read_text(encoding="utf-8"), Strict)


def check_script(script):
    """A value from outside is never in a script, where it would be code."""
    assert "${{" not in script, script
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def check_expressions(text, inputs, steps):
    for expression in re.findall(r"\$\{\{(.*?)\}\}", text):
        for name in re.findall(r"\binputs\.(\w+)", expression):
            assert name in inputs, name
        for name in re.findall(r"\bsteps\.(\w+)", expression):
            assert name in steps, name


def check_step(step):
    assert ("uses" in step) != ("run" in step), step
    assert set(step) <= {"name", "id", "if", "uses", "with", "run", "env",
                         "shell"}, step
    if "run" in step:
        check_script(step["run"])
    else:
        assert re.fullmatch(r"\./[\w./-]+|[\w/-]+@v\d+", step["uses"]), step


def check_action(path):
    action = load(path)
    assert {"name", "description", "inputs", "runs"} == set(action)
    assert action["runs"]["using"] == "composite"
    for value in action["inputs"].values():
        assert "description" in value
        assert isinstance(value.get("default", ""), str), value
    for step in action["runs"]["steps"]:
        check_step(step)
        assert ("shell" in step) == ("run" in step), step
    steps = [step.get("id") for step in action["runs"]["steps"]]
    check_expressions(path.read_text(encoding="utf-8"), action["inputs"], steps)
    return action


def check_workflow(path, action):
    workflow = load(path)
    # YAML 1.1 reads the key "on" as true.
    assert {"name", True, "permissions", "jobs"} == set(workflow)
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} == set(job)
        for step in job["steps"]:
            check_step(step)
            if step.get("uses", "").startswith("./"):
                needed = {name for name, value in action["inputs"].items()
                          if value.get("required")}
                assert needed <= set(step["with"]) <= set(action["inputs"])


def check_gitlab(path):
    for job in load(path).values():
        assert {"script", "cache", "artifacts"} <= set(job)
        assert all(isinstance(line, str) for line in job["script"]), job
        check_script("\n".join(job["script"]))
        assert "junit" in job["artifacts"]["reports"]


directory = pathlib.Path(sys.argv[1])
check_workflow(directory / "github.yml",
               check_action(directory / "perf-gate/action.yml"))
check_gitlab(directory / "gitlab.yml")
