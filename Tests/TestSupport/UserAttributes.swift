// Extended attributes of files, which Swift's Glibc module does not import.

import Glibc

/// The `user.` attributes of files, for tests that something keeps them.
public enum UserAttributes {
    private typealias Setter =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt
        ) -> CInt
    private typealias Getter =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
        ) -> Int

    /// Sets one; false where the file system has none.
    public static func set(_ name: String, _ value: [UInt8], of path: String) -> Bool {
        guard let address = dlsym(nil, "setxattr") else { return false }
        return unsafeBitCast(address, to: Setter.self)(path, name, value, value.count, 0) == 0
    }

    /// Its value; nil where the file has no such attribute.
    public static func get(_ name: String, of path: String) -> [UInt8]? {
        guard let address = dlsym(nil, "getxattr") else { return nil }
        var value = [UInt8](repeating: 0, count: 1024)
        let count = unsafeBitCast(address, to: Getter.self)(path, name, &value, value.count)
        return count < 0 ? nil : Array(value.prefix(count))
    }
}
