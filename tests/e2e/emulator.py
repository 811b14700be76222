"""The emulator and everything that it starts: begun, watched, and ended."""

import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# `st` of /proc/net/tcp: TCP_LISTEN.
LISTENS = "0A"


def free_port():
    """A port of loopback that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Emulator:
    """One emulator on a free loopback port. `scratch` gets its log and all that it writes."""

    def __init__(self, scratch):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = scratch / "emulator.log"
        # What it starts inherits it, whoever its parent is by then.
        self.mark = f"TMPDIR={scratch}".encode()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([ROOT / "localstack" / "emulator", str(self.port)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | {"TMPDIR": str(scratch)})

    def healthy(self):
        """Whether it answers. That it has ended is an error."""
        if self.process.poll() is not None:
            raise RuntimeError(f"the emulator ended with {self.process.returncode}:\n{self.log.read_text()[-4000:]}")
        try:
            with urllib.request.urlopen(f"{self.url}/_ministack/health", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def family(self):
        """`{pid: when it began}` of it and its descendants."""
        found, parents = {}, {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and (stat := _stat(int(entry.name))):
                parents[int(entry.name)] = stat
        new = {self.process.pid}
        while new:
            found |= {pid: parents[pid][1] for pid in new if pid in parents}
            new = {pid for pid, (parent, _) in parents.items() if parent in new} - found.keys()
        return found

    def listening(self):
        """`host:port` of all that the family listens on, in hexadecimal as the kernel writes it."""
        inodes = set()
        for pid in self.family():
            for link in Path(f"/proc/{pid}/fd").glob("*"):
                try:
                    match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link))
                except OSError:
                    continue
                if match:
                    inodes.add(match.group(1))
        found = set()
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENS and fields[9] in inodes:
                    found.add(fields[1])
        return found

    def end(self):
        """Ends it and its functions, which it does not end itself. Returns the pids of what goes on nevertheless."""
        family = self.family()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pid in _alive(family):
            os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + 10
        while (left := [*_alive(family), *self.marked()]) and time.monotonic() < until:
            time.sleep(0.05)
        return left

    def marked(self):
        """The pids of all that has its mark: also of what lost its parent before anybody looked at the family."""
        found = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            try:
                variables = environ.read_bytes().split(b"\0")
            except OSError:
                continue
            if self.mark in variables and _stat(int(environ.parent.name)):
                found.append(int(environ.parent.name))
        return found


def _stat(pid):
    """`(parent, when it began)`; `None` if it is gone, or only waits to be buried."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[1]), fields[19])


def _alive(family):
    """Which of them still are what they were: a pid may be another's by now."""
    return [pid for pid, began in family.items() if (stat := _stat(pid)) and stat[1] == began]
