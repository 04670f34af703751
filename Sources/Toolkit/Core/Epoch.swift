// The generation of a stream between two seeks.

/// Counts seeks: what carries an older epoch than the present one is stale and dropped.
public struct Epoch: Hashable, Comparable, Sendable {
    /// The count.
    public let number: Int

    /// Makes the epoch with this count.
    public init(_ number: Int = 0) { self.number = number }

    /// The one after this.
    public var next: Epoch { Epoch(number + 1) }

    /// The older of the two is less.
    public static func < (a: Epoch, b: Epoch) -> Bool { a.number < b.number }
}
