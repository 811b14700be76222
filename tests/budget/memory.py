"""Whether a release program keeps what it is asked: its own memory after thousands of invocations, against budget.json.

The runtime puts each invocation's trace id into the variable `_X_AMZN_TRACE_ID`, and glibc keeps every value that a variable has ever had
(docs/performance.md). So the invocations have one trace id in the run that is judged, and one each in another, whose growth is only told.
"""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import run

# What asks the function for something, and the store for nothing.
EVENT = json.dumps({
    "version": "2.0", "routeKey": "$default", "rawPath": "/health", "rawQueryString": "", "headers": {"host": "budget"}, "isBase64Encoded": False,
    "requestContext": {
        "accountId": "1", "apiId": "a", "domainName": "d", "domainPrefix": "d", "requestId": "r", "routeKey": "$default", "stage": "$default",
        "time": "12/Mar/2020:19:03:58 +0000", "timeEpoch": 1583348638390,
        "http": {"method": "GET", "path": "/health", "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": "budget"},
    },
}).encode()
PATIENCE_S = 300


class Invocations:
    """A Runtime API that has `count` invocations for a program, and reads its memory when a quarter of them is done and at the end."""

    def __init__(self, count, trace):
        self.count, self.trace, self.asked, self.refused = count, trace, 0, 0
        self.read, self.done = {}, threading.Event()
        outer = self

        class Api(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer in one piece: what follows in a second one waits for the acknowledgement of the first.
            wbufsize = -1

            def do_GET(self):
                outer.asked += 1
                if outer.asked in (outer.count // 4, outer.count):
                    outer.read[outer.asked] = outer.own_kib()
                if outer.asked >= outer.count:
                    outer.done.set()
                self.send_response(200)
                self.send_header("Lambda-Runtime-Aws-Request-Id", f"00000000-0000-0000-0000-{outer.asked:012x}")
                self.send_header("Lambda-Runtime-Deadline-Ms", "9999999999999")
                self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-central-1:0:function:budget")
                self.send_header("Lambda-Runtime-Trace-Id", outer.trace(outer.asked))
                self.answer(EVENT)

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))) if not self.headers.get("Transfer-Encoding") else self.chunks()
                outer.refused += self.path.endswith("/error") or b'"statusCode":200' not in body
                self.send_response(202)
                self.answer(b"")

            def chunks(self):
                found = b""
                while size := int(self.rfile.readline(), 16):
                    found += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return found

            def answer(self, body):
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Nobody wants to read it."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
        # The program is killed in the middle of a question.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def own_kib(self):
        """Heap and stacks of the program."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))

    def grown(self, program, variables):
        """By how many bytes an invocation the program grew after the first quarter."""
        environment = variables | run.of_lambda(f"127.0.0.1:{self.server.server_address[1]}")
        self.process = subprocess.Popen([program], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            if not self.done.wait(PATIENCE_S):
                raise RuntimeError(f"{program} has asked {self.asked} times of {self.count} in {PATIENCE_S} s")
        finally:
            self.process.kill()
            self.process.wait()
            self.server.shutdown()
        if self.refused:
            raise RuntimeError(f"{program} did not answer {self.refused} of {self.count} as it should")
        first, last = self.read.values()
        return (last - first) * 1024 / (self.count - self.count // 4)


def main():
    budget = json.loads((run.ROOT / "tests" / "budget" / "budget.json").read_text())
    program, variables = sys.argv[1], run.environments(run.sam.load())["decide"]
    trace = "Root=1-5759e988-{:024x};Parent=53995c3f42cd8ad8;Sampled=0".format
    same = Invocations(budget["memory_runs"], lambda _: trace(7)).grown(program, variables)
    each = Invocations(budget["memory_runs"], trace).grown(program, variables)
    over = same > budget["memory_bytes"]
    print(f"{'OVER' if over else 'ok  '} decide: {same:.1f} of {budget['memory_bytes']} bytes more for each of {budget['memory_runs']} invocations; {each:.1f} with the trace ids that the runtime puts into a variable")
    return 1 if over else 0


if __name__ == "__main__":
    os.chdir(run.ROOT)
    sys.exit(main())
