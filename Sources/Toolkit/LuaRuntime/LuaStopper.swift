// Stops a script from any thread.

internal import CShims
public import MediaCore

/// The way in from other threads: ends a script, and sees whether it still listens.
///
/// Thread-safety: safe, also after the interpreter is closed.
public final class LuaStopper: Sendable {
    // The address of the interpreter; zero once it is closed.
    private let address: Monitor<UInt>

    init(_ raw: OpaquePointer) { address = Monitor(UInt(bitPattern: raw)) }

    /// Makes the script raise at its next instruction and at each one after that.
    ///
    /// So no `pcall` can carry on. The first reason counts.
    public func stop(_ reason: LuaStop) {
        address.withLock { address in
            if let raw = OpaquePointer(bitPattern: address) { mk_lua_stop(raw, reason.rawValue) }
        }
    }

    /// How long the script has been running beyond its time; zero where it has not.
    ///
    /// Long calls inside Lua's own library (a search with many wildcards) can't be interrupted;
    /// whoever runs the script decides how long to put up with that.
    public var overrun: MediaTime {
        let deadline = address.withLock { address in
            OpaquePointer(bitPattern: address).map { mk_lua_deadline($0) } ?? 0
        }
        let now = SystemTimeSource().now
        return deadline > 0 && now.nanoseconds > deadline
            ? now - MediaTime(nanoseconds: deadline) : .zero
    }

    func detach() { address.withLock { $0 = 0 } }
}
