// A named thread that is joined exactly once.

internal import CShims
internal import Glibc

/// Runs one closure on a thread of its own.
///
/// The owner must call `join()`, or `abandon()` for one that can't be stopped, before it lets go; a
/// thread dropped otherwise stops the program, because it would go on using what its owner has
/// freed.
public final class WorkerThread: @unchecked Sendable {
    // Unchecked: `handle` is set in init and read by `join`; `joined` is guarded by its monitor.
    private var handle = pthread_t()
    private let joined = Monitor(false)

    private final class Body: Sendable {
        let name: String
        let givesWay: Bool
        let run: @Sendable () -> Void
        init(name: String, givesWay: Bool, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.givesWay = givesWay
            self.run = run
        }
    }

    /// Starts `body` on a new thread with a name of at most 15 bytes, `mk-…` by convention.
    ///
    /// - Parameter givesWay: lets threads that don't give way go first where processors are short,
    ///   by a nice value of 5 above the program's.
    public init(
        _ name: String, stackSize: Int = 1 << 20, givesWay: Bool = false,
        _ body: @escaping @Sendable () -> Void
    ) {
        let box = Unmanaged.passRetained(Body(name: name, givesWay: givesWay, run: body))
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, stackSize)
        let status = pthread_create(
            &handle, attributes,
            { raw in
                guard let raw else { return nil }
                let body = Unmanaged<Body>.fromOpaque(raw).takeRetainedValue()
                mk_thread_set_name(body.name)
                // Linux keeps a nice value for each thread.
                if body.givesWay { _ = nice(5) }
                body.run()
                return nil
            }, box.toOpaque())
        pthread_attr_destroy(attributes)
        precondition(status == 0, "no thread can be made for \(name)")
    }

    /// Waits for the thread's end; later calls return at once.
    public func join() {
        let first = joined.withLock { done in
            defer { done = true }
            return !done
        }
        if first { pthread_join(handle, nil) }
    }

    /// Leaves the thread to itself; it must own everything that it still uses.
    public func abandon() {
        let first = joined.withLock { done in
            defer { done = true }
            return !done
        }
        if first { pthread_detach(handle) }
    }

    deinit {
        precondition(joined.withLock { $0 }, "a worker thread was dropped without join()")
    }
}
