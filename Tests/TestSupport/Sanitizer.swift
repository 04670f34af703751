// How long tests wait before they call something hung.

import Glibc

/// What runs under a sanitizer, as `scripts/mk sanitize` starts it.
public enum Sanitizer {
    /// Whether this run is instrumented.
    public static let isOn = getenv("TSAN_OPTIONS") != nil || getenv("ASAN_OPTIONS") != nil

    /// A limit in seconds for what takes `seconds` on a quiet machine; wide, since the tests run side
    /// by side on machines that do other work too, and wider in an instrumented run.
    public static func patience(_ seconds: Double) -> Double { (isOn ? 12 : 4) * seconds }
}
