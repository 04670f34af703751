#!/usr/bin/env python3
"""Compares plugins with what is built in, and VVC through the plugin with the ffmpeg program.

Called by `scripts/mk bench plugins`; in a Debian 13 root by `scripts/mk trixie bench plugins`, where
the system's ffmpeg decodes VVC too.
"""

import os
import pathlib
import shutil
import statistics
import sys

from bench import OUT, RUNS, Bench, Side, read_arguments, run, say, shown

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ABI = ROOT / "Sources/System/MediaKitPluginABI/include"
SAMPLE = ROOT / "Bench/mandelbrot_1280x720_8b.266"
REPEATS, FRAMES = 8, 125  # of the sample, so that a run takes seconds
COPIES = 50


class PluginBench(Bench):
    """The jobs; `tools` is the release build of mediakit."""

    def __init__(self, program):
        super().__init__(program)
        self.ours = pathlib.Path(program)
        self.scratch = self.ours.parent.parent
        OUT.mkdir(parents=True, exist_ok=True)

    def border(self):
        """One filter, built in and behind the C header, by processor time."""
        build = self.scratch / "bench"
        run(["env", "MEDIAKIT_BENCH=1", "swift", "build", "-c", "release", "--package-path", ROOT,
             "--scratch-path", build, "--product", "mediakit-bench-border"])
        library = build / "swell.so"
        run(["clang", "-shared", "-fPIC", "-O2", "-ffp-contract=off", "-I", ABI, "-I",
             ROOT / "Bench/Swell/include", ROOT / "Bench/plugin.c", ROOT / "Bench/Swell/swell.c",
             "-o", library, "-lm"])
        command = [build / "release/mediakit-bench-border", library, str(2 * RUNS)]
        say(f"\n## the border to plugins: a filter over 30 min of stereo\n$ {shown(command)}")
        rounds = [list(map(float, line.split()))
                  for line in run(command).stdout.decode().splitlines()]
        inside, outside = (statistics.median(column) for column in zip(*rounds))
        say(f"  built in: {inside:.3f} CPU s\n  loaded: {outside:.3f} CPU s")
        self.row("a filter, loaded", "built in", "CPU", outside, inside, 1.03)

    def start(self):
        """`mediakit plugins` with many plugin files in the path, and with none."""
        folder, empty = OUT / "plugins", OUT / "no-plugins"
        for path in (folder, empty):
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
        source = (ROOT / "scripts/examples/plugin-c/tremolo.c").read_text()
        for number in range(COPIES):
            text = source.replace("tremolo-c", f"tremolo-{number}")
            (folder / "one.c").write_text(text)
            run(["clang", "-shared", "-fPIC", "-O1", "-I", ABI, folder / "one.c", "-o",
                 folder / f"one{number}.so", "-lm"])
        (folder / "one.c").unlink()
        sides = [Side(name, ["env", f"MEDIAKIT_PLUGIN_PATH={path}", self.ours, "plugins"])
                 for name, path in ((f"{COPIES} files", folder), ("no file", empty))]
        self.sides("start-up with plugin files in the path", sides, runs=RUNS * 5, wraps=False)
        self.row(f"mediakit plugins, {COPIES} files", "none", "wall",
                 sides[0].wall, sides[1].wall, 1.5)

    def vvc(self):
        """Frames a second of 720p, one thread and two."""
        peer = shutil.which("ffmpeg", path="/usr/bin:/bin")
        decoders = run([peer, "-hide_banner", "-decoders"]).stdout.decode()
        if " vvc " not in decoders:
            return say("\n## VVC: this system's ffmpeg has no VVC decoder; "
                       "try scripts/mk trixie bench plugins vvc")
        run(["make", "-s", "-C", ROOT / "vvc", f"MK_SCRATCH={self.scratch}"])
        clip = OUT / "720p.266"
        clip.write_bytes(SAMPLE.read_bytes() * REPEATS)
        plugin = self.scratch / "vvc/libmediakit-vvc.so"
        for threads in (1, 2):
            sides = [
                Side("mediakit", [
                    self.ours, "play", "--plugin", plugin, "--clock", "free", "--sink", "null",
                    "--decoder-option", f"vvc:threads={threads}", clip]),
                Side("ffmpeg", [
                    peer, "-nostdin", "-v", "error", "-threads", str(threads), "-i", clip,
                    "-f", "null", "-"])]
            self.sides(f"VVC, 720p, {threads} threads", sides)
            rates = [REPEATS * FRAMES / side.wall for side in sides]
            say("  " + ", ".join(f"{side.name} {rate:.0f} frames a second"
                                 for side, rate in zip(sides, rates)))
            # Inverted, for the table says what a ratio must be at most.
            self.row(f"VVC 720p, {threads} threads", "ffmpeg", "time a frame",
                     sides[0].wall, sides[1].wall, 1 / 0.95)


JOBS = {"border": PluginBench.border, "start": PluginBench.start, "vvc": PluginBench.vvc}


def main():
    program, jobs = read_arguments(__doc__, JOBS)
    say(f"{os.cpu_count()} cores, median of {RUNS}, load {os.getloadavg()[0]:.1f}")
    bench = PluginBench(program)
    for job in jobs:
        JOBS[job](bench)
    sys.exit(bench.table())


if __name__ == "__main__":
    main()
