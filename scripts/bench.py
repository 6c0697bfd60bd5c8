"""Runs two commands in turn and prints medians of wall time, CPU time and peak memory, and their ratio."""

import os
import statistics
import subprocess
import sys
import time

binary, runs = sys.argv[1], int(sys.argv[2])
request = "Examples/requests/thales-registration.json"
commands = {
    "fido2-token -V": ["fido2-token", "-V"],
    "ctap-bridge --version": [binary, "--version"],
    "ctap-bridge register": [binary, "register", request, "--origin", "https://example.org", "--key", "virtual", "--name", "Bench"],
}


def measure(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def peak(command):
    """Peak memory in MiB; `time` starts the command from a small process, Python would count its own pages."""
    run = subprocess.run(["time", "-f", "%M", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(run.stderr.splitlines()[-1]) / 1024


figures = {name: [] for name in commands}
for round in range(runs + 2):
    for name, command in commands.items():
        sample = measure(command)
        if round >= 2:  # the first rounds warm the caches
            figures[name].append(sample)

floor = [statistics.median(column) for column in zip(*figures["fido2-token -V"])]
print(f"{'command':24} {'wall ms':>9} {'CPU ms':>9} {'peak MiB':>9}   over fido2-token -V")
for name, samples in figures.items():
    wall, cpu = (statistics.median(column) for column in zip(*samples))
    memory = statistics.median(peak(commands[name]) for _ in range(5))
    print(f"{name:24} {wall:9.2f} {cpu:9.2f} {memory:9.2f}   {wall - floor[0]:+.2f} ms wall, x{cpu / floor[1]:.2f} CPU")

libraries = subprocess.run(["ldd", binary], capture_output=True, text=True).stdout
if "libicu" in libraries or "_FoundationICU" in libraries:
    sys.exit("ctap-bridge loads ICU")
print("ICU is not loaded")
