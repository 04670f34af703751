// The files of an issuer: keys, payloads and licences on the disk.

public import MediaCore

extension LicenceFile {
    /// All bytes of a small file: a key, a payload.
    ///
    /// - Throws: what the file system reports, `bad-argument` for a file above the limit.
    public static func smallFile(
        _ path: String, files: any FileSystem = SystemFileSystem()
    ) throws(MediaError) -> [UInt8] {
        let bytes = try SmallFile.read(path, limit: LicenceFile.limit, files)
        guard bytes.count <= LicenceFile.limit else {
            throw MediaError(.badArgument, "read \(path.printable): the file is too large")
        }
        return bytes
    }

    /// All bytes of a licence file, or that it is unreadable.
    static func bytes(
        of path: String, files: any FileSystem
    ) -> Result<[UInt8], LicenceRefusal> {
        do throws(MediaError) {
            return .success(try SmallFile.read(path, limit: LicenceFile.limit, files))
        } catch {
            return .failure(LicenceRefusal(.unreadable, error.message))
        }
    }

    /// Writes a file that everyone may read.
    ///
    /// - Parameter replaces: whether a file of this name gives way; `output-exists` where not.
    public static func write(
        _ bytes: [UInt8], to path: String, replaces: Bool
    ) throws(MediaError) {
        try SmallFile.write(bytes, to: path, mode: 0o666, replaces: replaces)
    }

    /// Writes a file that only its owner may read, from its first byte on.
    ///
    /// - Parameter replaces: whether a file of this name gives way; `output-exists` where not.
    public static func writePrivate(
        _ bytes: [UInt8], to path: String, replaces: Bool
    ) throws(MediaError) {
        try SmallFile.write(bytes, to: path, mode: 0o600, replaces: replaces)
    }
}

extension Licence {
    /// A random number for a licence, in hexadecimal.
    public static func makeID() throws(MediaError) -> String {
        guard let bytes = Ed25519.random(8) else {
            throw MediaError(.internalError, "libcrypto has no random numbers")
        }
        return bytes.hexadecimal
    }
}
