"""Weighs the functions' release programs, and times their start beside that of a program that does nothing, against budget.json."""

import json
import os
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "template"), str(ROOT / "localstack" / "deployment")]
import bootstraps  # noqa: E402
import sam  # noqa: E402
from stack import resolve  # noqa: E402

REGION = "eu-central-1"
# A start that takes longer hangs.
PATIENCE_S = 20
# The sink that is not asked for anything at start.
DEPLOYMENT = {"Sink": "sqs", "PoliciesDir": str(ROOT / "policies")}


def value_of(name, given):
    """A variable as a function is given it; a resource's name is any that has its form."""
    if isinstance(given, (str, int)):
        return str(given)
    return {"HOME_REGION": REGION}.get(name) or ("http://127.0.0.1:9/a" if name.endswith("_URL") else "arn:aws:sns:eu-central-1:0:a" if name.endswith("_ARN") else "decide-once")


def environments(template):
    """`{binary: variables}`, as the template has them."""
    functions = {f["Properties"]["CodeUri"]: f["Properties"]["Environment"]["Variables"] for f in resolve(template, DEPLOYMENT).values() if f["Type"] == "AWS::Serverless::Function"}
    return {name: {key: value_of(key, given) for key, given in functions[path].items()} for path, name in bootstraps.names(template).items()}


def of_lambda(address):
    """The variables that Lambda adds, with a Runtime API of ours."""
    return {
        "AWS_LAMBDA_RUNTIME_API": address, "AWS_LAMBDA_FUNCTION_NAME": "budget", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512", "AWS_LAMBDA_FUNCTION_VERSION": "1",
        "AWS_LAMBDA_LOG_GROUP_NAME": "", "AWS_LAMBDA_LOG_STREAM_NAME": "", "AWS_REGION": REGION, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
    }


class Runtime:
    """The Runtime API, as far as a start needs it: it is asked for the next event, and has none."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"

    def start(self, program, variables):
        """Seconds from before the process is made to its first question."""
        environment = variables | of_lambda(self.address)
        began = time.perf_counter()
        process = subprocess.Popen([program], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            self.listener.settimeout(PATIENCE_S)
            # A program that cannot start ends, and nobody comes.
            with selectors.DefaultSelector() as selector:
                selector.register(self.listener, selectors.EVENT_READ)
                selector.register(process.stderr, selectors.EVENT_READ)
                ready = {key.fileobj for key, _ in selector.select(PATIENCE_S)}
            if self.listener not in ready:
                # Its last words, once it has spoken them.
                said = process.stderr.read() if ready else b"it asks for nothing"
                raise RuntimeError(f"{program} does not start: {said.decode()}")
            connection, _ = self.listener.accept()
            with connection:
                connection.settimeout(PATIENCE_S)
                question = connection.recv(4096)
                took = time.perf_counter() - began
            if b"/invocation/next" not in question:
                raise RuntimeError(f"{program} asks for something else first: {question[:80]}")
            return took
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


def starts(runtime, programs, runs):
    """`{name: [seconds]}`, in turns, so that what else the machine does strikes all alike."""
    found = {name: [] for name in programs}
    for _ in range(runs):
        for name, (program, variables) in programs.items():
            found[name].append(runtime.start(program, variables))
    return found


def main():
    budget = json.loads((ROOT / "tests" / "budget" / "budget.json").read_text())
    release, bare = Path(sys.argv[1]), sys.argv[2]
    template = sam.load()
    variables = environments(template)
    failed = 0
    for name in variables:
        size = (release / name).stat().st_size
        failed += (over := size > budget["bootstrap_bytes"])
        print(f"{'OVER' if over else 'ok  '} {name}: {size:,} bytes of {budget['bootstrap_bytes']:,}")
    # Written as an archive is unpacked, from its beginning to its end: the linker leaves a file behind in small pieces of the page cache, which costs each
    # program, by its size, up to a sixth of its start.
    with tempfile.TemporaryDirectory(dir=release) as directory:
        paths = {"bare": bare} | {name: release / name for name in variables}
        programs = {name: (shutil.copy(path, directory), variables.get(name, {})) for name, path in paths.items()}
        runtime = Runtime()
        # Once for the page cache.
        starts(runtime, programs, 2)
        took = {name: statistics.median(seconds) for name, seconds in starts(runtime, programs, budget["start_runs"]).items()}
    print(f"     bare: {took['bare'] * 1000:.1f} ms from its making to its first question, the median of {budget['start_runs']}")
    for name in variables:
        ratio = took[name] / took["bare"]
        failed += (over := ratio > budget["start_ratio"])
        print(f"{'OVER' if over else 'ok  '} {name}: {took[name] * 1000:.1f} ms, {ratio:.2f} of {budget['start_ratio']} times bare")
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
