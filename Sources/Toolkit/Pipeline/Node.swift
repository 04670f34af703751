// One step of a pipeline, and two steps as one.

package import MediaCore

/// Takes items of one kind and emits items of another; push in, push out.
///
/// A node neither knows its neighbours nor on which thread it runs: the same nodes stand one
/// behind the other on one thread (`Joined`), or with queues between them (`Stage`), and give the
/// same output. Threading: confined.
package protocol Node<Input, Output>: AnyObject {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// Takes an item, or nil to drain, and emits what is ready.
    func process(
        _ input: Input?, emit: (Output) throws(MediaError) -> Void
    ) throws(MediaError)
    /// Drops what is buffered, for a seek.
    func flush()
}

/// Two nodes, the second fed by the first.
package final class Joined<Input: Sendable, Middle: Sendable, Output: Sendable>: Node {
    private let first: any Node<Input, Middle>
    private let second: any Node<Middle, Output>

    /// Puts `second` behind `first`.
    package init(_ first: any Node<Input, Middle>, _ second: any Node<Middle, Output>) {
        self.first = first
        self.second = second
    }

    package func process(
        _ input: Input?, emit: (Output) throws(MediaError) -> Void
    ) throws(MediaError) {
        try first.process(input) { middle throws(MediaError) in
            try second.process(middle, emit: emit)
        }
        if input == nil { try second.process(nil, emit: emit) }
    }

    package func flush() {
        first.flush()
        second.flush()
    }
}
