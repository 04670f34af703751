// One shared library: opened once, checked, initialised at first use, closed behind its last user.

internal import Glibc
internal import LibAV
internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel
internal import Synchronization

/// A loaded plugin file and its descriptor.
///
/// Everything that was made of it (plugins, decoders, frames that are still out) keeps it; when the
/// last one goes, it is shut down and unloaded. Thread-safety: safe.
final class PluginLibrary: @unchecked Sendable {
    // Unchecked: `descriptor` is read-only memory of the library, which stays loaded; the rest is
    // guarded by `state` or never changes.
    let origin: PluginOrigin
    let descriptor: mk_plugin
    private let handle: UnsafeMutableRawPointer
    private let state = Mutex(State.untouched)

    private enum State {
        case untouched
        case ready
        case broken(MediaError)
    }

    /// How often each image is in use: where two loaders have loaded the same file, it is one
    /// image, which is initialised by the first and shut down by the last.
    private static let users = Mutex<[UnsafeMutableRawPointer: Int]>([:])

    private typealias Entry = @convention(c) (UnsafePointer<mk_host>?) -> UnsafePointer<mk_plugin>?

    /// Opens a file by its absolute path and checks its descriptor; `plugin-unusable` names the
    /// file and says what is wrong.
    init(path: String, files: any FileSystem) throws(MediaError) {
        try SharedObject.check(path, files)
        guard let handle = path.withOSPath({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }) else {
            throw unusable(path, PluginLibrary.linkerMessage(path))
        }
        var isKept = false
        defer { if !isKept { dlclose(handle) } }
        guard let symbol = dlsym(handle, "mediakit_plugin") else {
            throw unusable(path, "it exports no function 'mediakit_plugin', so it is no plugin")
        }
        let entry = unsafeBitCast(symbol, to: Entry.self)
        guard let found = entry(PluginHost.table) else {
            throw unusable(path, "it refuses to work with this program")
        }
        let header = UnsafeRawPointer(found).loadUnaligned(as: (size: UInt32, api: UInt32).self)
        try PluginLibrary.checkVersion(header.api, path)
        // The members that were there from the first version on.
        guard header.size >= structSize(mk_plugin.self), header.size < 1 << 16 else {
            throw unusable(path, "its descriptor says that it has \(header.size) bytes")
        }
        descriptor = readStruct(found, zero: mk_plugin())
        guard let name = String(plugin: descriptor.name), isPluginName(name),
            let version = String(plugin: descriptor.version), !version.isEmpty
        else { throw unusable(path, "its descriptor lacks a name or a version") }
        origin = PluginOrigin(
            path: path, name: name, version: version,
            license: String(plugin: descriptor.license) ?? "",
            summary: String(plugin: descriptor.summary) ?? "")
        self.handle = handle
        isKept = true
    }

    deinit {
        if case .ready = state.withLock({ $0 }) { leave() }
        dlclose(handle)
    }

    /// Initialises the plugin once; throws the same error ever after where that fails.
    func start() throws(MediaError) {
        // A plugin may use the same FFmpeg as this program, whose lines have one receiver.
        AVLogBridge.install()
        let failure: MediaError? = state.withLock { state in
            switch state {
            case .ready: return nil
            case .broken(let error): return error
            case .untouched: break
            }
            do throws(MediaError) {
                try join()
                state = .ready
                return nil
            } catch {
                let error = MediaError(.pluginUnusable, error.message)
                state = .broken(error)
                return error
            }
        }
        if let failure { throw failure }
    }

    private func join() throws(MediaError) {
        try PluginLibrary.users.withLock { (users) throws(MediaError) in
            if users[handle] == nil {
                _ = try PluginHost.call(
                    "plugin \(origin.path.printable): initialisation failed", else: .pluginUnusable
                ) { descriptor.`init`?(PluginHost.table) ?? Int32(MK_OK) }
            }
            users[handle, default: 0] += 1
        }
    }

    private func leave() {
        PluginLibrary.users.withLock { users in
            users[handle, default: 1] -= 1
            guard users[handle] == 0 else { return }
            users[handle] = nil
            descriptor.shutdown?()
        }
    }

    private static func checkVersion(_ api: UInt32, _ path: String) throws(MediaError) {
        let (major, minor) = (api >> 16, api & 0xFFFF)
        let own = "this program has \(MK_API_MAJOR).\(MK_API_MINOR)"
        if major < MK_API_MAJOR {
            throw unusable(
                path,
                "it was made for the older plugin API \(major).\(minor), \(own); "
                    + "get a newer version of the plugin")
        }
        if major > MK_API_MAJOR || minor > MK_API_MINOR {
            throw unusable(
                path, "it needs the newer plugin API \(major).\(minor), \(own); update mediakit")
        }
    }

    private static func linkerMessage(_ path: String) -> String {
        guard let text = dlerror() else { return "it can't be loaded" }
        let message = String(osBytes: UnsafeRawBufferPointer(cString: text)).printable
        // The path stands in front of the message already.
        let prefix = "\(path.printable): "
        return message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
    }
}

/// The error for a plugin file that is not what it should be.
func unusable(_ path: String, _ why: String) -> MediaError {
    MediaError(.pluginUnusable, "plugin \(path.printable): \(why)")
}

/// Whether a name may be used in chains, options and files: lower-case letters, digits, `-`, `_`.
func isPluginName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64
        && name.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 95
        }
}
