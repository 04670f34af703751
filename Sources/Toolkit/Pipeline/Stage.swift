// A node on a thread of its own, fed by a bounded queue.

package import MediaCore

/// Runs a node on its own thread.
///
/// The node is made on that thread and never leaves it. Items come through a queue limited in
/// media time; a full queue makes the producer wait. An error ends the whole run.
package final class Stage<Input: Sendable>: Sendable {
    private let queue: BoundedQueue<Input>
    private let thread: WorkerThread
    private let run: RunControl

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - limit: how much media time the queue holds; see `cost`.
    ///   - givesWay: lets the stages behind it go first, which empties queues before it fills them.
    ///   - cost: the media time of an item, in nanoseconds.
    ///   - make: makes the node, on the new thread.
    ///   - emit: takes what the node emits, and nil at the end, on the new thread.
    package init<Output: Sendable>(
        _ name: String, run: RunControl, limit: MediaTime, givesWay: Bool = false,
        cost: @escaping @Sendable (Input) -> Int,
        make: @escaping @Sendable () throws(MediaError) -> any Node<Input, Output>,
        emit: @escaping @Sendable (Output?) throws(MediaError) -> Void
    ) {
        let capacity = Int(limit.nanoseconds)
        let queue = BoundedQueue<Input>(limit: capacity, wakeLevel: capacity / 4, cost: cost)
        self.queue = queue
        self.run = run
        thread = WorkerThread(name, givesWay: givesWay) {
            do throws(MediaError) {
                let node = try make()
                while true {
                    switch queue.pop() {
                    case .element(let item, _)?:
                        try node.process(item) { output throws(MediaError) in try emit(output) }
                    case .finished?:
                        try node.process(nil) { output throws(MediaError) in try emit(output) }
                        try emit(nil)
                        return
                    case .closed?, nil:
                        return
                    }
                }
            } catch {
                run.fail(error)
                queue.close()
            }
        }
        run.token.onCancel { queue.close() }
    }

    /// Waits for room and hands an item over; throws why the run ended where it did.
    package func push(_ item: Input) throws(MediaError) {
        guard queue.push(item) else {
            try run.check()
            throw MediaError(.cancelled, "cancelled")
        }
    }

    /// Says that nothing more comes.
    package func finish() { queue.finish() }

    /// Has the thread take what waits for more to come along with it.
    package func nudge() { queue.wake() }

    /// Waits for the thread's end.
    package func join() { thread.join() }
}
