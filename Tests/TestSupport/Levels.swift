// Levels and ratios in tests.

import Foundation

/// The level of samples in dB, −200 for silence.
public func level(_ samples: some Collection<Float>) -> Double {
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return sum > 0 ? max(-200, 10 * log10(sum / Double(samples.count))) : -200
}

/// How loud a known voice is in a mix against all the rest, in dB: the part of the mix that is the
/// voice times a constant, and what is left.
public func voiceToRest(_ mix: [Float], voice: [Float]) -> (ratio: Double, gain: Double) {
    var product = 0.0
    var energy = 0.0
    for (a, b) in zip(mix, voice) {
        product += Double(a) * Double(b)
        energy += Double(b) * Double(b)
    }
    let gain = product / energy
    let rest = zip(mix, voice).map { Float(Double($0) - gain * Double($1)) }
    return (level(voice) + 20 * log10(abs(gain)) - level(rest), 20 * log10(abs(gain)))
}

/// The largest difference from a smooth signal in dBFS: what a click leaves when the signal is
/// differenced five times (a sine of 200 Hz at 48 kHz loses 158 dB that way).
public func roughness(_ samples: [Float]) -> Double {
    var values = samples.map(Double.init)
    for _ in 0..<5 { values = zip(values.dropFirst(), values).map { $0 - $1 } }
    let most = values.map { abs($0) }.max() ?? 0
    return most > 0 ? 20 * log10(most) : -200
}
