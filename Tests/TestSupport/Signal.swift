// Sound made at test time: tones, noise, speech, in planes.

import Foundation
public import MediaCore

/// A piece of sound: planes of equal length and a rate.
public struct Signal: Sendable {
    /// Samples, one array a channel.
    public var planes: [[Float]]
    /// In Hz.
    public var rate: Int

    /// Puts planes together.
    public init(_ planes: [[Float]], rate: Int) {
        self.planes = planes
        self.rate = rate
    }

    /// The length in frames.
    public var frames: Int { planes.first?.count ?? 0 }

    /// Nothing, for a while.
    public static func silence(seconds: Double, channels: Int = 2, rate: Int = 48_000) -> Signal {
        let count = Int(seconds * Double(rate))
        return Signal(
            Array(repeating: Array(repeating: 0, count: count), count: channels), rate: rate)
    }

    /// A sine on every channel; `level` is its peak in dBFS, `phase` in degrees.
    public static func sine(
        _ hertz: Double, level: Double, seconds: Double, channels: Int = 2, rate: Int = 48_000,
        phase: Double = 0
    ) -> Signal {
        let peak = pow(10, level / 20)
        let step = 2 * Double.pi * hertz / Double(rate)
        let start = phase * Double.pi / 180
        let count = Int((seconds * Double(rate)).rounded())
        var plane = [Float](repeating: 0, count: count)
        for i in 0..<count { plane[i] = Float(peak * sin(start + step * Double(i))) }
        return Signal(Array(repeating: plane, count: channels), rate: rate)
    }

    /// White noise, another on each channel and for each seed; `level` is its peak in dBFS.
    public static func noise(
        level: Double, seconds: Double, channels: Int = 2, rate: Int = 48_000, seed: UInt64 = 1
    ) -> Signal {
        let peak = Float(pow(10, level / 20))
        let count = Int((seconds * Double(rate)).rounded())
        let planes = (0..<channels).map { channel in
            var random = SeededRandom(seed: seed &* 1_000 &+ UInt64(channel))
            var plane = [Float](repeating: 0, count: count)
            for i in 0..<count { plane[i] = random.unit() * peak }
            return plane
        }
        return Signal(planes, rate: rate)
    }

    /// Noise whose power falls by 3 dB an octave, different in each channel; about 0 dBFS.
    ///
    /// - Source: Paul Kellet's filter of three poles, within 0.5 dB above 30 Hz at 44.1 kHz.
    public static func pinkNoise(seconds: Double, channels: Int = 2, rate: Int = 48_000) -> Signal {
        var signal = noise(level: 0, seconds: seconds, channels: channels, rate: rate, seed: 9)
        let poles: [(keep: Float, take: Float)] = [
            (0.99765, 0.0990460), (0.96300, 0.2965164), (0.57000, 1.0526913),
        ]
        for channel in signal.planes.indices {
            var states: [Float] = [0, 0, 0]
            for i in signal.planes[channel].indices {
                let white = signal.planes[channel][i]
                for (place, pole) in poles.enumerated() {
                    states[place] = pole.keep * states[place] + pole.take * white
                }
                signal.planes[channel][i] = (states[0] + states[1] + states[2] + 0.1848 * white) / 4
            }
        }
        return signal
    }

    /// A woman or man reading, by espeak-ng, at −3 dBFS or under; repeated to fill `seconds`.
    public static func speech(
        seconds: Double, channels: Int = 1, rate: Int = 48_000
    ) throws(MediaError) -> Signal {
        let text =
            "The quick brown fox jumps over the lazy dog. Every morning the ferry leaves the "
            + "harbour at seven, and nobody on the quay has ever seen it come back before nine."
        let wave = try run("espeak-ng", ["--stdout", "-s", "150", text])
        let raw = try run(
            "ffmpeg",
            ["-v", "error", "-i", "-", "-af", "volume=-3dB", "-ac", "1", "-ar", "\(rate)"]
                + ["-f", "f32le", "-"],
            input: wave.output)
        let once = raw.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        guard !once.isEmpty else { throw MediaError(.notFound, "espeak-ng: \(wave), \(raw)") }
        let count = Int((seconds * Double(rate)).rounded())
        var plane: [Float] = []
        while plane.count < count { plane += once }
        plane.removeLast(plane.count - count)
        return Signal(Array(repeating: plane, count: channels), rate: rate)
    }

    /// Music of a kind: a bass, two chords and a beat, different left and right.
    public static func music(seconds: Double, rate: Int = 48_000, channels: Int = 2) -> Signal {
        let count = Int((seconds * Double(rate)).rounded())
        let planes = (0..<channels).map { channel in
            var random = SeededRandom(seed: 77 + UInt64(channel))
            var plane = [Float](repeating: 0, count: count)
            for i in 0..<count {
                let t = Double(i) / Double(rate)
                let beat = exp(-12 * t.truncatingRemainder(dividingBy: 0.5))
                let root = Int(t / 2) % 2 == 0 ? 110.0 : 98.0
                var value = 0.25 * sin(2 * .pi * root / 2 * t)
                for (k, ratio) in [2, 2.5, 3].enumerated() {
                    let shift = Double(channel * (k + 1)) * 0.7
                    value += 0.12 * sin(2 * .pi * root * ratio * t + shift)
                }
                value += 0.6 * beat * sin(2 * .pi * 55 * t)
                value += 0.2 * beat * Double(random.unit())
                plane[i] = Float(value * 0.5)
            }
            return plane
        }
        return Signal(planes, rate: rate)
    }

    /// Every sample times a gain in dB.
    public func amplified(_ decibels: Double) -> Signal {
        let gain = Float(pow(10, decibels / 20))
        return Signal(planes.map { plane in plane.map { $0 * gain } }, rate: rate)
    }

    /// Every sample brought into −1…1.
    public func clipped() -> Signal {
        Signal(planes.map { $0.map { min(max($0, -1), 1) } }, rate: rate)
    }

    /// This and then another.
    public func followed(by other: Signal) -> Signal {
        Signal(zip(planes, other.planes).map { $0 + $1 }, rate: rate)
    }

    /// This and another at once, as long as the shorter.
    public func mixed(with other: Signal) -> Signal {
        Signal(zip(planes, other.planes).map { zip($0, $1).map { $0 + $1 } }, rate: rate)
    }

    /// Whether the samples are equal, bit for bit but for the sign of zero; short to report.
    public func isSame(as other: Signal) -> Bool { planes == other.planes }

    /// Part of it, by frames.
    public func cut(_ range: Range<Int>) -> Signal {
        Signal(planes.map { Array($0[range]) }, rate: rate)
    }

    /// Frames one after the other, as little-endian Float32.
    public var interleavedBytes: [UInt8] {
        var samples = [Float](repeating: 0, count: frames * planes.count)
        for (channel, plane) in planes.enumerated() {
            for i in 0..<plane.count { samples[i * planes.count + channel] = plane[i] }
        }
        return samples.withUnsafeBytes { Array($0) }
    }

    /// Reads frames one after the other.
    public init(interleaved bytes: [UInt8], channels: Int, rate: Int) {
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        planes = (0..<channels).map { channel in
            stride(from: channel, to: samples.count - samples.count % channels, by: channels)
                .map { samples[$0] }
        }
        self.rate = rate
    }

    /// The largest magnitude of all samples.
    public var peak: Float { planes.map { $0.map(abs).max() ?? 0 }.max() ?? 0 }
    /// Whether all samples are finite.
    public var isFinite: Bool { planes.allSatisfy { $0.allSatisfy(\.isFinite) } }
    /// Whether all samples are 0.
    public var isSilent: Bool { planes.allSatisfy { $0.allSatisfy { $0 == 0 } } }

    /// Calls `body` with a pointer a channel.
    public func withPointers<Result>(_ body: ([UnsafePointer<Float>]) -> Result) -> Result {
        var pointers: [UnsafePointer<Float>] = []
        func open(_ rest: ArraySlice<[Float]>) -> Result {
            guard let first = rest.first else { return body(pointers) }
            return first.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return open(rest.dropFirst()) }
                pointers.append(base)
                return open(rest.dropFirst())
            }
        }
        return open(planes[...])
    }
}
