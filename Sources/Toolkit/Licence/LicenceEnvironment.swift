// What a licence is held against: the time, the machine, the domain.

internal import Glibc
public import MediaCore

/// The machine and the moment, as licences see them.
public struct LicenceEnvironment: Sendable {
    /// What the clock shows.
    public var now: @Sendable () -> UTCTime
    /// The id of this machine; nil where it has none.
    public var machine: @Sendable () -> String?
    /// The domain that the program works for; nil where there is none.
    public var domain: @Sendable () -> String?
    /// The file that remembers the latest time seen; nil for none.
    public var stateFile: String?
    /// The files.
    public var files: any FileSystem

    /// Gathers what licences are held against.
    public init(
        now: @escaping @Sendable () -> UTCTime, machine: @escaping @Sendable () -> String?,
        domain: @escaping @Sendable () -> String?, stateFile: String?,
        files: any FileSystem = SystemFileSystem()
    ) {
        self.now = now
        self.machine = machine
        self.domain = domain
        self.stateFile = stateFile
        self.files = files
    }

    /// This machine: its clock, `/etc/machine-id`, its host name, and
    /// `$XDG_STATE_HOME/mediakit/license-clock` (`~/.local/state` where that is not set).
    ///
    /// - Parameter domain: what the program works for; the full name of the host where nil.
    public static func system(domain: String? = nil) -> LicenceEnvironment {
        let files = SystemFileSystem()
        return LicenceEnvironment(
            now: { UTCTime.now }, machine: { machineID(files) },
            domain: { domain ?? hostName(files) }, stateFile: stateFile, files: files)
    }

    /// The id of this machine in licences: the first half of the SHA-256 digest of the line
    /// `mediakit-machine-id` and the contents of `/etc/machine-id`, in hexadecimal.
    ///
    /// - Source: machine-id(5), which asks programs not to show the id itself.
    static func machineID(_ files: any FileSystem) -> String? {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            guard let text = smallText(path, files)?.trimmedBlanks, !text.isEmpty else { continue }
            return Ed25519.sha256(Array("mediakit-machine-id\n\(text)".utf8)).prefix(16)
                .hexadecimal
        }
        return nil
    }

    /// The host's name, or its full name from `/etc/hosts` where it has no dot.
    ///
    /// No name server is asked.
    private static func hostName(_ files: any FileSystem) -> String? {
        var names = utsname()
        guard uname(&names) == 0 else { return nil }
        let name = withUnsafeBytes(of: &names.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard !name.isEmpty, !name.contains("."), let hosts = smallText("/etc/hosts", files) else {
            return name.isEmpty ? nil : name
        }
        for line in hosts.split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.dropFirst()
            if let full = words.first(where: { $0.hasPrefix(name + ".") }) { return String(full) }
        }
        return name
    }

    private static var stateFile: String? {
        if let folder = variable("XDG_STATE_HOME"), folder.hasPrefix("/") {
            return "\(folder)/mediakit/license-clock"
        }
        return variable("HOME").map { "\($0)/.local/state/mediakit/license-clock" }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(osBytes: UnsafeRawBufferPointer(cString: value))
    }

    private static func smallText(_ path: String, _ files: any FileSystem) -> String? {
        (try? SmallFile.read(path, limit: LicenceFile.limit, files)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes before the zero.
    fileprivate init(cString start: UnsafeMutablePointer<CChar>) {
        self.init(start: start, count: strlen(start))
    }
}
