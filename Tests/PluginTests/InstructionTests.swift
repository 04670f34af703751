// The instructions for plugins work as they are written, and what they build is heard.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("issue 3, acceptance 2: built by its instructions, loaded by a script, changes the sound")
struct InstructionTests {
    /// Loudness before and after, as `scripts/examples/plugin.lua` tells it.
    private func hear(_ plugin: String, _ filter: String) throws -> (before: Double, after: Double)
    {
        let result = try runMediakit([
            "run", "--allow-plugins=\(plugin)", "\(Workshop.root)/scripts/examples/plugin.lua",
            plugin, filter,
        ])
        #expect(result.status == 0, "\(result)")
        let lines = result.text.split(separator: "\n")
        #expect(lines.last == "unloading: done")
        let line = try #require(lines.first { $0.hasPrefix("\(filter): ") })
        let numbers = line.dropFirst(filter.count + 2).split(separator: " ").compactMap(Double.init)
        try #require(numbers.count == 2)
        return (numbers[0], numbers[1])
    }

    /// The root mean square of a tone in decibels, as samples pass through `mediakit play`.
    private func rms(_ plugin: String, _ filter: String?) throws -> Double {
        let chain = filter.map { ["--filter", $0] } ?? []
        let result = try runMediakit(
            [
                "play", "--plugin", plugin, "--clock", "free", "--sink", "pcm",
                "synth:sine=frequency=1000:sample_rate=48000:duration=5",
            ] + chain)
        #expect(result.status == 0, "\(result)")
        let samples = result.output.withUnsafeBytes { bytes in
            bytes.bindMemory(to: Int16.self).map { Float($0) / 32_768 }
        }
        try #require(samples.count >= 48_000 * 5)
        return level(samples)
    }

    @Test("the first plugin of docs/plugins.md halves the loudness")
    func firstPlugin() throws {
        let folder = try TemporaryFolder()
        let page = String(
            decoding: try readFile("\(Workshop.root)/docs/plugins.md"), as: UTF8.self)
        let blocks = page.split(separator: "```").enumerated().filter { $0.offset % 2 == 1 }
            .map(\.element)
        let code = blocks.filter { $0.hasPrefix("c\n") }.map { $0.dropFirst(2) }.joined()
        let line = try #require(
            page.split(separator: "\n").first { $0.hasPrefix("cc ") && $0.contains("half.c") })
        let plugin = try Workshop.build(
            by: String(line), at: "", "half.c", Array(code.utf8), in: folder)
        let heard = try hear(plugin, "half")
        #expect(abs(heard.after - heard.before + 6.02) < 0.02)
        let change = try rms(plugin, "half") - rms(plugin, nil)
        #expect(abs(change + 6.02) < 0.02)
    }

    @Test("the tremolo, by the three lines at its top")
    func tremolo() throws {
        let folder = try TemporaryFolder()
        let source = try readFile("\(Workshop.root)/scripts/examples/plugin-c/tremolo.c")
        let text = String(decoding: source, as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("//   cc ") })
        let plugin = try Workshop.build(
            by: String(line.dropFirst(5)), at: "scripts/examples/plugin-c", "tremolo.c", source,
            in: folder)
        // The mean of (1 − d·(1 − cos φ)/2)² over a swell is 1 − d + 3/8·d².
        let change = try rms(plugin, "tremolo-c=depth=1:rate=2") - rms(plugin, "tremolo-c=depth=0")
        #expect(abs(change - -4.26) < 0.02)
        let heard = try hear(plugin, "tremolo-c=depth=1:rate=8")
        #expect(heard.after < heard.before - 3)
    }
}
