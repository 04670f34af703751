// A named thread that is joined exactly once.

internal import CShims
internal import Glibc

/// Runs one closure on a thread of its own.
///
/// The owner must call `join()`, or `abandon()` for one that can't be stopped, before it lets go; a
/// thread dropped otherwise stops the program, because it would go on using what its owner has
/// freed.
public final class WorkerThread: @unchecked Sendable {
    // Unchecked: `handle` is set in init and read by who takes the thread from `life`.
    private var handle = pthread_t()
    private let life = Monitor(Life())
    private let group: ThreadGroup?

    private struct Life {
        var isTaken = false
        var isAbandoned = false
        var hasEnded = false
    }

    private final class Body: Sendable {
        let name: String
        let givesWay: Bool
        let group: ThreadGroup?
        let life: Monitor<Life>
        let run: @Sendable () -> Void
        init(
            name: String, givesWay: Bool, group: ThreadGroup?, life: Monitor<Life>,
            run: @escaping @Sendable () -> Void
        ) {
            self.name = name
            self.givesWay = givesWay
            self.group = group
            self.life = life
            self.run = run
        }
    }

    /// Starts `body` on a new thread with a name of at most 15 bytes, `mk-…` by convention.
    ///
    /// Stops the program where the system has no room for another thread.
    ///
    /// - Parameter givesWay: lets threads that don't give way go first where processors are short,
    ///   by a nice value of 5 above the program's.
    public convenience init(
        _ name: String, stackSize: Int = 1 << 20, givesWay: Bool = false,
        _ body: @escaping @Sendable () -> Void
    ) {
        do throws(MediaError) {
            try self.init(
                trying: name, stackSize: stackSize, givesWay: givesWay, group: nil, body)
        } catch {
            fatalError(error.message)
        }
    }

    /// Starts `body` on a new thread; `internal` where the system has no room for another one.
    ///
    /// - Parameter group: what the thread begins, and what threads belong to that are started on it;
    ///   nil for the group of the calling thread.
    public init(
        trying name: String, stackSize: Int = 1 << 20, givesWay: Bool = false, group: ThreadGroup?,
        _ body: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        self.group = group
        let box = Unmanaged.passRetained(
            Body(
                name: name, givesWay: givesWay, group: group ?? ThreadGroup.current, life: life,
                run: body))
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
                body.group?.enter()
                body.run()
                body.life.withLock { $0.hasEnded = true }
                return nil
            }, box.toOpaque())
        pthread_attr_destroy(attributes)
        if status != 0 {
            box.release()
            life.withLock { $0.isTaken = true }
            let reason = MediaError.describe(errno: status)
            throw MediaError(
                .internalError, "no thread can be made for \(name): \(reason)",
                underlying: .init(.errno, Int(status)))
        }
    }

    /// Waits for the thread's end; later calls do so too.
    ///
    /// A thread of the group that it began can't wait for it, and leaves it to itself instead.
    public func join() {
        let isOwn = group?.isCurrent == true
        let isFirst = life.withLock { life in
            defer { life.isTaken = true }
            return !life.isTaken
        }
        if isFirst {
            if isOwn { pthread_detach(handle) } else { pthread_join(handle, nil) }
        } else if !isOwn {
            _ = life.wait { $0.hasEnded || $0.isAbandoned ? () : nil }
        }
    }

    /// Leaves the thread to itself; it must own everything that it still uses.
    public func abandon() {
        let isFirst = life.withLock { life in
            defer { life.isTaken = true }
            if !life.isTaken { life.isAbandoned = true }
            return !life.isTaken
        }
        if isFirst { pthread_detach(handle) }
    }

    deinit {
        precondition(life.withLock { $0.isTaken }, "a worker thread was dropped without join()")
    }
}
