"""Kernels that use several threads give the same where none can be started."""

import subprocess
import sys
from threading import Thread

from gradops.kernels import threads

AT_THE_END = """
import atexit, threading, time
import numpy as np
import gradops

def convolved(name):
    print(name, gradops.conv(np.ones((64, 8, 32, 32)), np.ones((8, 8, 3, 3))).sum())

def later():
    time.sleep(0.2)
    convolved("thread")

atexit.register(convolved, "exit")
threading.Thread(target=later).start()
"""


def test_where_no_thread_can_be_started_the_caller_does_the_work(monkeypatch):
    def refused(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "cores", lambda: 4)
    monkeypatch.setattr(Thread, "start", refused)
    done = []
    threads.in_threads(done.extend, range(8))
    assert done == [*range(8)]


def test_a_thread_that_outlives_the_main_one_and_what_runs_at_exit_may_use_them():
    done = subprocess.run([sys.executable, "-c", AT_THE_END], capture_output=True, text=True)
    assert done.stderr == ""
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["thread", "exit"]
