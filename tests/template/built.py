"""Starts what `sam build` has built, with the variables that template.yaml gives it: each has to come to its first question for work.

A function is built by itself there, where no other one's features help.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "budget"))
import run  # noqa: E402

# The kinds of sinks that are asked for nothing at start.
SINKS = ("sqs", "sns", "http")


def main():
    built = Path(sys.argv[1])
    runtime = run.Runtime()
    for sink in SINKS:
        run.DEPLOYMENT["Sink"] = sink
        run.DEPLOYMENT["SinkUrl"] = "http://127.0.0.1:9/"
        for name, variables in run.environments(run.sam.load()).items():
            runtime.start(str(built / name.capitalize() / "bootstrap"), variables)
    print(f"sam: each starts, with the sinks {', '.join(SINKS)}")


if __name__ == "__main__":
    main()
