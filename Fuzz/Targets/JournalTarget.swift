// The batch journal: damage behind the header never fails, and what is whole reads the same again.

internal import Batch
internal import MediaCore

let journalTarget = FuzzTarget(name: "journal") { bytes in
    JournalTarget.read(Array(bytes))
    // Random bytes never have the right checksum, so each line also comes with one of its own.
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    JournalTarget.read(lines.reduce(into: JournalTarget.header) { $0 += JournalTarget.sealed($1) })
}

private enum JournalTarget {
    static let header = sealed(Array(#"{"mediakit":"batch journal","version":1"#.utf8))

    static func read(_ bytes: [UInt8]) {
        guard let contents = try? JournalReader.read(bytes) else {
            precondition(!bytes.starts(with: header), "damage behind the header was refused")
            return
        }
        precondition(contents.wholeLength <= bytes.count)
        let whole = try? JournalReader.read(Array(bytes.prefix(contents.wholeLength)))
        precondition(whole?.entries == contents.entries)
        precondition(whole?.temporaries == contents.temporaries)
        precondition(whole?.damagedLines == contents.damagedLines)
    }

    /// A line body (an object without its closing brace) with its checksum and line end.
    static func sealed(_ body: some Collection<UInt8>) -> [UInt8] {
        let sum = String(crc32(body), radix: 16)
        let padded = String(repeating: "0", count: 8 - sum.count) + sum
        return Array(body) + Array(",\"sum\":\"\(padded)\"}\n".utf8)
    }

    /// CRC-32 of ISO 3309, bit by bit.
    static func crc32(_ bytes: some Collection<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in
                rest >> 1 ^ (rest & 1 == 0 ? 0 : 0xEDB8_8320)
            }
        }
    }
}
