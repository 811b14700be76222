"""Starts the emulator, deploys the template to it, asks the deployed service, and leaves nothing behind. Ends with a line of counts."""

import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import answers
import asynchronous
import deployments
import delivery
import intake
import sweeping
from emulator import ROOT, Emulator
from world import World, eventually

REGION = "eu-central-1"
STACK = "decide-once-e2e"
# In this order: what waits for a schedule comes last.
SUITES = (answers, delivery, intake, asynchronous, deployments, sweeping)


def deploy(*arguments):
    """`localstack/deploy`, as anybody calls it. Returns the last line that is no output, and the outputs."""
    command = [ROOT / "localstack" / "deploy", "--stack", STACK, *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, f"localstack/deploy ended with {done.returncode}"
    said, *outputs = done.stdout.splitlines()
    return said, dict(line.split(" ", 1) for line in outputs)


def tests(suite):
    """What a suite tests: its functions that take the world, in their order."""
    return [value for value in vars(suite).values() if callable(value) and getattr(value, "__module__", "") == suite.__name__ and not value.__name__.startswith("_")]


def run(test, *given):
    """Whether it passed."""
    began = time.monotonic()
    try:
        test(*given)
    except Exception:
        traceback.print_exc()
        print(f"FAILED {test.__name__}", flush=True)
        return False
    print(f"ok     {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


def loopback_only(emulator):
    """Nothing that was started listens for others."""
    found = emulator.listening()
    assert found, "it listens on nothing; is it looked at rightly?"
    # 127.0.0.1 in the byte order of a little-endian machine (proc(5)).
    others = {address for address in found if not address.startswith("0100007F:")}
    assert not others, f"it listens beyond loopback: {others}"


def nothing_is_left(left):
    """Nothing that was started goes on."""
    assert not left, f"these go on: {left}"


def main():
    environment = {"AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    environment |= {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        os.environ.pop(name, None)
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        emulator = Emulator(Path(scratch))
        try:
            eventually("the emulator answers", emulator.healthy)
            os.environ.update(environment, AWS_ENDPOINT_URL=emulator.url)
            _, outputs = deploy()
            world = World(emulator.port, REGION, STACK, outputs)
            world.deploy = deploy
            results += [run(test, world) for suite in SUITES for test in tests(suite)]
            results.append(run(loopback_only, emulator))
            if not all(results):
                print(f"the emulator's last lines:\n{emulator.log.read_text(errors='replace')[-6000:]}", file=sys.stderr)
        finally:
            left = emulator.end()
        results.append(run(nothing_is_left, left))
    print(f"e2e: {sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
