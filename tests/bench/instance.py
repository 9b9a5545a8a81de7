"""A running subject: its program (operations.c) is asked for samples, one after the other."""
import os
import pathlib
import select
import subprocess
import tempfile
from collections import namedtuple

# Microseconds of one operation; cpu and system of the children it makes; served: cpu, with what the monitor used meanwhile.
Sample = namedtuple("Sample", "time cpu system served")


class Failed(Exception):
    pass


def processes():
    """(number, parent, name) of all."""
    for directory in pathlib.Path("/proc").iterdir():
        if not directory.name.isdigit():
            continue
        try:
            text = (directory / "stat").read_text()
        except OSError:
            continue  # it has just ended
        name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        yield int(directory.name), int(rest[1]), name


def monitor_of(ancestor):
    """The first process named ctr-monitor below; None: there is none."""
    known = {number: (parent, name) for number, parent, name in processes()}
    for number, (_, name) in sorted(known.items()):
        above = number
        while name == "ctr-monitor" and above in known:
            if above == ancestor:
                return number
            above = known[above][0]
    return None


class Instance:
    PATIENCE = 300  # seconds for one answer

    def __init__(self, command, mean):
        self.mean = mean
        self.complaints = tempfile.TemporaryFile()
        # A session of its own, as every container has one: the scheduler shares by sessions (autogroup).
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints,
                                        bufsize=0, start_new_session=True)
        self.buffer = b""
        self.monitor = None
        try:
            self._ask("getpid", 1, "")  # it is there
        except Failed:
            self.close()
            raise
        self.monitor = monitor_of(self.process.pid)

    def _said(self):
        self.complaints.seek(0)
        return self.complaints.read().decode(errors="replace").strip()

    def _ask(self, verb, count, argument):
        try:
            self.process.stdin.write(f"{verb} {count} {argument}\n".encode())
        except BrokenPipeError as error:
            raise Failed(self._said() or "it has ended") from error
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], self.PATIENCE)[0]:
                raise Failed(f"{verb}: no answer for {self.PATIENCE} s")
            more = os.read(self.process.stdout.fileno(), 4096)
            if not more:
                raise Failed(self._said() or f"{verb}: it has ended")
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        answer = line.decode(errors="replace")
        if answer.startswith("error"):
            raise Failed(f"{verb}: {answer} {self._said()}")
        return [float(word) for word in answer.split()]

    def _monitor_time(self):
        if self.monitor is None:
            return 0
        return int(pathlib.Path(f"/proc/{self.monitor}/schedstat").read_text().split()[0]) / 1000

    def sample(self, line, count):
        """COUNT operations (operations.c may make a few more)."""
        verb, _, argument = line.partition(" ")
        before = self._monitor_time()
        mean, middle, cpu, system = self._ask(verb, count, argument)
        monitor = (self._monitor_time() - before) / count
        return Sample(mean if self.mean else middle, cpu, system, cpu + monitor)

    def close(self):
        """Ends the program by the end of its input; the container ends with it."""
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.complaints.close()
