#!/usr/bin/env python3
"""What does the provider gain under unmodified programs, and how much of their time was AES to begin with?

ssh and sshd, nginx and curl, on loopback, with the provider at both ends and with OpenSSL's own code at both, by turns.
For each: bytes per second of the clock, and per second of processor time of both ends together, which does not move with
whatever else the machine does; the ratio of both with its 95 % interval (Student's t over the rounds, of logarithms); and
the share of the processor time that AES had without the provider, by what `openssl speed` says of it. Were AES to cost
nothing, the ratio would be the one in the last column.

    make build && studies/provider-throughput.py target/release [--rounds 7] [--mib 512] [--without aes|aes,avx] [--threads 1] [CASE...]

Needs root, as sshd does. --without: instructions that neither may use. --threads: of the provider's own, for a stream of
counter mode.
"""
import argparse
import math
import os
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# Of Student's t, 97.5 %, by degrees of freedom.
T = [None, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09]

# What OpenSSL and Ciphertune are told that the processor has not.
WITHOUT = {
    None: {},
    # AES, PCLMULQDQ; VAES, VPCLMULQDQ.
    "aes": {
        "OPENSSL_ia32cap": "~0x0200000200000000:~0x60000000000",
        "CIPHERTUNE_CPU": "-aes,-pclmulqdq,-vaes,-vpclmulqdq",
    },
    # And AVX; AVX2, AVX-512: as on a processor that has SSSE3 at most.
    "aes,avx": {
        "OPENSSL_ia32cap": "~0x1200000200000000:~0x600c0230020",
        "CIPHERTUNE_CPU": "-aes,-pclmulqdq,-vaes,-vpclmulqdq,-avx2,-avx512f",
    },
}

SSH = {"ssh aes128-ctr": ("aes128-ctr", "aes-128-ctr"), "ssh aes128-gcm": ("aes128-gcm@openssh.com", "aes-128-gcm")}
TLS = {
    "TLS 1.2 AES128-GCM": ["--tlsv1.2", "--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-GCM-SHA256"],
    "TLS 1.3 AES128-GCM": ["--tlsv1.3", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256"],
}


def configuration(module, threads):
    return f"""openssl_conf = init
[init]
providers = providers
alg_section = algorithms
random = random
[providers]
default = stock
ciphertune = ciphertune
[stock]
activate = 1
[ciphertune]
module = {module}
activate = 1
{f"threads = {threads}" if threads else ""}
[algorithms]
default_properties = ?provider=ciphertune
[random]
properties = provider!=ciphertune
"""


class Side:
    """OpenSSL with the provider or without, with servers of its own."""

    def __init__(self, name, folder, module, args):
        self.name, self.folder = name, os.path.join(folder, name)
        os.makedirs(self.folder)
        path = os.path.join(self.folder, "openssl.cnf")
        with open(path, "w") as file:
            file.write(configuration(module, args.threads) if module else "")
        self.env = {**os.environ, **WITHOUT[args.without], "OPENSSL_CONF": path}
        self.env["CIPHERTUNE_WISDOM"] = os.path.join(self.folder, "no-wisdom")
        self.servers = []

    def start(self, command, port):
        server = subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.servers.append(server)
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        else:
            sys.exit(f"{command[0]} does not start")
        with open(f"/proc/{server.pid}/maps") as maps:
            if ("/ciphertune.so" in maps.read()) != (self.name == "provider"):
                sys.exit(f"{command[0]} of the {self.name} uses the other one")
        return server

    def aes(self, algorithm):
        """Seconds that a byte takes, at the length of a piece of ssh or a record of TLS."""
        command = ["openssl", "speed", "-mr", "-seconds", "1", "-bytes", "16384", "-evp", algorithm]
        output = subprocess.run(command, env=self.env, check=True, capture_output=True, text=True).stdout
        return 1 / float(re.search(r"^\+F:.*:([\d.]+)$", output, re.M)[1])


def children(pid):
    """Processor seconds of what a server started and has seen end."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def running(pid):
    """Processor seconds of a process."""
    with open(f"/proc/{pid}/schedstat") as stat:
        return int(stat.read().split()[0]) / 1e9


def client(command, env, **files):
    """Runs a client; answers the seconds that it took and its processor seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, env=env, check=True, **files)
    took, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Ssh:
    def __init__(self, side, port, folder):
        self.side, self.folder = side, folder
        path = os.path.join(side.folder, "sshd_config")
        with open(path, "w") as file:
            file.write(f"""Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
PermitRootLogin yes
UsePAM no
Ciphers {",".join(cipher for cipher, _ in SSH.values())}
""")
        self.server = side.start(["/usr/sbin/sshd", "-D", "-f", path], port)
        self.command = ["ssh", "-F", "/dev/null", "-i", f"{folder}/user", "-p", str(port), "-o", "BatchMode=yes", "-o", "LogLevel=ERROR"]
        self.command += ["-o", f"UserKnownHostsFile={side.folder}/known", "-o", "StrictHostKeyChecking=no"]

    def run(self, case, direction, data):
        command = [*self.command, "-c", SSH[case][0], "localhost"]
        before = children(self.server.pid)
        with open(data) as source, open(os.devnull, "w") as nowhere:
            if direction == "up":
                took, used = client([*command, "cat >/dev/null"], self.side.env, stdin=source)
            else:
                took, used = client([*command, f"cat {data}"], self.side.env, stdout=nowhere, stdin=subprocess.DEVNULL)
        while children(self.server.pid) == before:
            time.sleep(0.01)
        return took, used + children(self.server.pid) - before


class Tls:
    def __init__(self, side, port, folder):
        self.side, self.folder, self.port = side, folder, port
        path = os.path.join(side.folder, "nginx.conf")
        temporary = " ".join(f"{name}_temp_path {side.folder}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        with open(path, "w") as file:
            file.write(f"""worker_processes 1;
daemon off;
pid {side.folder}/nginx.pid;
error_log {side.folder}/log;
events {{}}
http {{
    access_log off;
    client_max_body_size 0;
    {temporary}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/certificate;
        ssl_certificate_key {folder}/key;
        ssl_protocols TLSv1.2 TLSv1.3;
        root {folder};
        location /sink {{ return 204; }}
    }}
}}
""")
        server = side.start(["/usr/sbin/nginx", "-p", folder, "-c", path, "-e", f"{side.folder}/log"], port)
        with open(f"/proc/{server.pid}/task/{server.pid}/children") as workers:
            self.worker = workers.read().split()[0]

    def run(self, case, direction, data):
        command = ["curl", "-sSf", "--http1.1", "--cacert", f"{self.folder}/certificate", "-o", os.devnull, *TLS[case]]
        # No pause in which curl asks whether it may go on.
        upload = ["-H", "Expect:", "-T", data, f"https://localhost:{self.port}/sink"]
        command += upload if direction == "up" else [f"https://localhost:{self.port}/data"]
        before = running(self.worker)
        took, used = client(command, self.side.env)
        return took, used + running(self.worker) - before


def interval(logarithms):
    """Mean and 95 % interval, of ratios."""
    n, mean = len(logarithms), statistics.fmean(logarithms)
    half = T[min(n - 1, len(T) - 1)] * statistics.stdev(logarithms) / math.sqrt(n)
    return "{:.2f} ({:.2f}–{:.2f})".format(*(math.exp(mean + d) for d in (0, -half, half)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release")
    parser.add_argument("cases", nargs="*", default=[*SSH, *TLS])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--mib", type=int, default=512)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--without", choices=[name for name in WITHOUT if name])
    args = parser.parse_intermixed_args()
    folder = tempfile.mkdtemp()
    # Of nginx's worker, too.
    os.chmod(folder, 0o755)
    sides = []
    try:
        module = shutil.copy(os.path.join(args.release, "libciphertune_provider.so"), os.path.join(folder, "ciphertune.so"))
        data, size = os.path.join(folder, "data"), args.mib << 20
        with open(data, "wb") as file:
            for _ in range(args.mib):
                file.write(os.urandom(1 << 20))
        for key in ["host", "user"]:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{key}"], check=True)
        request = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
        subprocess.run([*request.split(), "-keyout", f"{folder}/key", "-out", f"{folder}/certificate"], check=True, stderr=subprocess.DEVNULL)
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        sides += [Side("provider", folder, module, args), Side("default", folder, None, args)]
        port = 21000 + os.getpid() % 10000
        programs = {}
        for i, side in enumerate(sides):
            if any(case in SSH for case in args.cases):
                programs[Ssh, side.name] = Ssh(side, port + 2 * i, folder)
            if any(case in TLS for case in args.cases):
                programs[Tls, side.name] = Tls(side, port + 2 * i + 1, folder)
        print("| | provider, default, MB/s | by the clock | by processor time | AES of it, before and after | at most |")
        print("|---|---|---|---|---|---|")
        for case in args.cases:
            program = Ssh if case in SSH else Tls
            algorithm = SSH[case][1] if case in SSH else "aes-128-gcm"
            aes = [side.aes(algorithm) for side in sides]
            for direction in ["up", "down"]:
                results = {side.name: [] for side in sides}
                for i in range(args.rounds + 1):
                    for side in sides if i % 2 else reversed(sides):
                        results[side.name].append(programs[program, side.name].run(case, direction, data))
                # The first ones come into an empty cache.
                ours, theirs = (results[side.name][1:] for side in sides)
                clock, used = ([math.log(t[k] / o[k]) for o, t in zip(ours, theirs)] for k in (0, 1))
                rates = [size / statistics.median(took for took, _ in side) / 1e6 for side in (ours, theirs)]
                # Every byte is encrypted once and decrypted once.
                shares = [2 * size * seconds / statistics.median(used for _, used in side) for seconds, side in zip(aes, (ours, theirs))]
                print(f"| {case}, {direction} | {rates[0]:.0f}, {rates[1]:.0f} | {interval(clock)} | {interval(used)} | "
                      f"{shares[1]:.1%}, {shares[0]:.1%} | {1 / (1 - shares[1]):.2f} |", flush=True)
    finally:
        for side in sides:
            for server in side.servers:
                server.send_signal(signal.SIGTERM)
                server.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
