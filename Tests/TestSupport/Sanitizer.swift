// How much slower the sanitizers make a run.

import Glibc

/// What runs under a sanitizer, as `scripts/mk sanitize` starts it.
public enum Sanitizer {
    /// Whether this run is instrumented.
    public static let isOn = getenv("TSAN_OPTIONS") != nil || getenv("ASAN_OPTIONS") != nil

    /// A limit in seconds, wider in an instrumented run.
    public static func patience(_ seconds: Double) -> Double { isOn ? 4 * seconds : seconds }
}
