// Which file a URL names; whoever opens and whoever permits ask here.

public import MediaCore

/// URLs of the scheme `file`.
public enum FileURL {
    /// The path that `file:…` names (RFC 8089, `%NN` decoded behind `//`), or else the text itself.
    ///
    /// - Throws: `bad-argument` for a file of another machine.
    public static func path(of url: String) throws(MediaError) -> String {
        guard url.hasPrefix("file:") else { return url }
        let rest = url.dropFirst(5)
        guard rest.hasPrefix("//") else { return String(rest) }
        let location = rest.dropFirst(2)
        let path = location.drop { $0 != "/" }
        let host = location.prefix(location.count - path.count)
        guard host.isEmpty || host == "localhost" else {
            throw MediaError(.badArgument, "open \(url.printable): '\(host)' is another machine")
        }
        return String(osBytes: decoded(String(path).osBytes))
    }

    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = UInt8(
                    String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
