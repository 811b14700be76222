"""Compares template.yaml with the code, then applies typical mistakes to it one at a time and looks that each is found."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# No account is asked for anything.
os.environ.update(AWS_DEFAULT_REGION="eu-central-1", AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none", AWS_EC2_METADATA_DISABLED="true")

import rules  # noqa: E402
from mistakes import MISTAKES, made  # noqa: E402
from stack import DEPLOYMENTS, REGION, expand, load, resolve  # noqa: E402


def own_rules(template):
    """What the rules of this directory say, and the expanded template."""
    said = [complaint for rule in rules.OF_TEMPLATE for complaint in rule(template)]
    expanded = expand(template)
    for name, given in DEPLOYMENTS.items():
        resources = resolve(expanded, given)
        said += [f"{complaint} ({name})" for rule in rules.OF_DEPLOYMENT for complaint in rule(template, resources, given)]
    return said, expanded


def lint(expanded):
    """What cfn-lint says of the expanded template."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "template.json"
        path.write_text(json.dumps(expanded))
        cfn_lint = Path(sys.executable).with_name("cfn-lint")
        done = subprocess.run([cfn_lint, "-t", path, "-r", REGION, "--format", "parseable"], capture_output=True, text=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if line.strip()] if done.returncode else []


def found(template):
    """All complaints; cfn-lint, which is slow, is asked only if there are none."""
    try:
        said, expanded = own_rules(template)
    except Exception as error:  # A template that a rule stumbles over is refused as well, by name.
        return [f"{type(error).__name__}: {error}"]
    return said or lint(expanded)


def main():
    said, expanded = own_rules(load())
    said += lint(expanded)
    for complaint in said:
        print(f"template: {complaint}")
    if said:
        return 1
    print(f"template: {len(expanded['Resources'])} resources in {len(DEPLOYMENTS)} deployments, {len(rules.OF_TEMPLATE + rules.OF_DEPLOYMENT)} rules and cfn-lint: all hold")
    missed = 0
    for name, change, expected in MISTAKES:
        complaints = found(made(load(), change))
        hit = [complaint for complaint in complaints if expected in complaint]
        missed += not hit
        print(f"{'caught' if hit else 'MISSED'}: {name}" + (f" -> {hit[0]}" if hit else f" (said: {complaints[:3]})"))
    print(f"{len(MISTAKES) - missed} of {len(MISTAKES)} mistakes are caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
