// What loaded plugins may ask of this program: its log, and room for their last words.

internal import CShims
internal import Glibc
internal import MediaCore
internal import MediaKitPluginABI

/// The services behind `mk_host`.
enum PluginHost {
    /// The API of this program's header: major number above, minor below.
    static let apiVersion = MK_API_MAJOR << 16 | MK_API_MINOR

    /// The table that plugins are given; it lives as long as the program.
    // Unsafe only by its type: it is written once, here, and nobody gets it to write to.
    nonisolated(unsafe) static let table: UnsafePointer<mk_host> = {
        let host = UnsafeMutablePointer<mk_host>.allocate(capacity: 1)
        host.initialize(
            to: mk_host(
                struct_size: UInt32(MemoryLayout<mk_host>.size), api_version: apiVersion,
                program: strdup("mediakit \(ToolkitVersion.current)"),
                log: { level, message in
                    guard let message else { return }
                    let text = String(osBytes: UnsafeRawBufferPointer(cString: message))
                    Log.write(PluginHost.level(level), "plugin", text.printable)
                },
                log_shows: { PluginHost.level($0) <= Log.level ? 1 : 0 },
                set_error: { mk_plugin_error_set($0) }))
        return UnsafePointer(host)
    }()

    private static func level(_ number: Int32) -> Log.Level {
        switch number {
        case ...Int32(MK_LOG_ERROR): .error
        case Int32(MK_LOG_WARNING): .warning
        case Int32(MK_LOG_INFO): .info
        case Int32(MK_LOG_DEBUG): .debug
        default: .trace
        }
    }

    /// Runs a function of a plugin and throws what a failure means; gives back `MK_OK`, `MK_AGAIN`
    /// or `MK_END`.
    ///
    /// - Parameters:
    ///   - action: what was tried and on what, for the message.
    ///   - code: what stands for failures that say nothing more exact.
    static func call(
        _ action: @autoclosure () -> String, else code: MediaError.Code, _ body: () -> Int32
    ) throws(MediaError) -> Int32 {
        mk_plugin_error_set(nil)
        let result = body()
        if (Int32(MK_END)...Int32(MK_OK)).contains(result) { return result }
        throw failure(result, action(), else: code)
    }

    /// The same where nothing but `MK_OK` makes sense.
    static func require(
        _ action: @autoclosure () -> String, else code: MediaError.Code, _ body: () -> Int32
    ) throws(MediaError) {
        let result = try call(action(), else: code, body)
        if result != Int32(MK_OK) { throw failure(result, action(), else: code) }
    }

    /// What a failure means, with the plugin's own words where it left some.
    static func failure(_ result: Int32, _ action: String, else code: MediaError.Code) -> MediaError
    {
        let left = String(
            osBytes: UnsafeRawBufferPointer(cString: mk_plugin_error_get())
        ).printable
        mk_plugin_error_set(nil)
        let (meaning, own) = meaning(of: result)
        return MediaError(own ?? code, "\(action): \(left.isEmpty ? meaning : left)")
    }

    private static func meaning(of result: Int32) -> (String, MediaError.Code?) {
        switch result {
        case Int32(MK_AGAIN): ("it asks for more input where it must not", nil)
        case Int32(MK_END): ("it ends too early", nil)
        case Int32(MK_INVALID_DATA): ("the data is damaged", nil)
        case Int32(MK_UNSUPPORTED): ("this is not supported", nil)
        case Int32(MK_NO_MEMORY): ("out of memory", .internalError)
        case Int32(MK_BAD_ARGUMENT): ("bad argument", .badArgument)
        case Int32(MK_IO): ("reading failed", .inputFailed)
        // Where somebody did, that was an error of the host's before it was one of the plugin's.
        case Int32(MK_CANCELLED):
            ("the plugin says that it was cancelled, and nobody did that", nil)
        case 1...: ("the plugin gives \(result), which is no result", nil)
        default: ("the plugin reports failure \(result)", nil)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a C string without its zero.
    init(cString text: UnsafePointer<CChar>) { self.init(start: text, count: strlen(text)) }
}

extension String {
    /// A plugin's text; nil where there is none.
    init?(plugin text: UnsafePointer<CChar>?) {
        guard let text else { return nil }
        self.init(osBytes: UnsafeRawBufferPointer(cString: text))
    }
}
