// Paths told apart as the system does.

/// A path that is equal to another only where its bytes are.
///
/// Swift takes texts for equal that are the same letters in two forms of Unicode (é, and e with an
/// accent behind it); to the system these are two names. Whatever is kept or compared by path uses
/// this.
public struct PathKey: Hashable, Comparable, Sendable {
    /// The path.
    public let path: String

    /// Makes a key of a path.
    public init(_ path: String) { self.path = path }

    /// Whether the bytes are equal.
    public static func == (a: PathKey, b: PathKey) -> Bool {
        a.path.utf8.elementsEqual(b.path.utf8)
    }

    /// The order of the bytes.
    public static func < (a: PathKey, b: PathKey) -> Bool {
        a.path.utf8.lexicographicallyPrecedes(b.path.utf8)
    }

    /// Takes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0))
    }
}
