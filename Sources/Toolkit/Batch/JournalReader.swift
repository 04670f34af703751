// Bytes of a journal into what they say, whatever the bytes are.

public import MediaCore

/// What a journal holds.
public struct JournalContents: Sendable {
    /// The last entry of each output.
    public internal(set) var entries: [PathKey: JournalEntry] = [:]
    /// Temporary files that were begun and whose outputs are not known to be finished.
    public internal(set) var temporaries: [String] = []
    /// How many bytes at the start are whole lines; what follows is torn and to be cut off.
    public internal(set) var wholeLength = 0
    /// How many whole lines were damaged and left out.
    public internal(set) var damagedLines = 0
    var albums: [String: JournalAlbum] = [:]

    private var replacements: [FileStamp: JournalEntry] = [:]

    /// What made a file with this stamp out of its input, in place.
    ///
    /// Whatever path it had: a folder is moved, copied or mounted elsewhere, and what is a result
    /// stays one.
    public func replacement(_ stamp: FileStamp) -> JournalEntry? { replacements[stamp] }

    /// Takes over what another journal says of files that were replaced in place.
    mutating func believe(_ other: JournalContents) {
        replacements.merge(other.replacements) { own, _ in own }
    }
}

/// Reads journals.
public enum JournalReader {
    private static let lineEnd = UInt8(ascii: "\n")
    // `,"sum":"01234567"}` at the end of every line.
    private static let tailLength = 18

    /// Reads `bytes`; never fails on damage behind the header, which is left out and counted.
    ///
    /// - Throws: `bad-argument` where the bytes are not the beginning of a journal, or of one in a
    ///   newer format.
    public static func read(_ bytes: [UInt8]) throws(MediaError) -> JournalContents {
        var contents = JournalContents()
        var rest = bytes[...]
        var isFirst = true
        while let end = rest.firstIndex(of: lineEnd) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            let json = unsealed(line)
            if isFirst {
                try checkHeader(json)
                isFirst = false
            } else if let json, let line = JournalLine(json) {
                contents.take(line)
            } else {
                contents.damagedLines += 1
            }
            contents.wholeLength = rest.startIndex
        }
        if isFirst { try checkHead(bytes) }
        return contents
    }

    /// Refuses first bytes that no journal begins with.
    static func checkHead(_ bytes: [UInt8]) throws(MediaError) {
        if let end = bytes.firstIndex(of: lineEnd) {
            try checkHeader(unsealed(bytes[..<end]))
        } else if !JournalLine.header.starts(with: bytes) {
            throw MediaError(.badArgument, "is not a journal of mediakit")
        }
    }

    private static func checkHeader(_ json: JSON?) throws(MediaError) {
        guard let json, json["mediakit"] == .string("batch journal") else {
            throw MediaError(.badArgument, "is not a journal of mediakit")
        }
        guard json["version"] == .int(JournalLine.version) else {
            throw MediaError(
                .badArgument, "is a journal of another version of mediakit; choose another one")
        }
    }

    /// The JSON of a line whose checksum is right.
    private static func unsealed(_ line: ArraySlice<UInt8>) -> JSON? {
        guard line.count > tailLength else { return nil }
        let body = line.dropLast(tailLength)
        let tail = Array(",\"sum\":\"\(Checksum.crc32(body))\"}".utf8)
        guard line.suffix(tailLength).elementsEqual(tail) else { return nil }
        return try? JSON(parsing: line)
    }
}

extension JournalContents {
    mutating func take(_ line: JournalLine) {
        switch line {
        case .run: break
        case .begin(let temporary): temporaries.append(temporary)
        case .done(let entry):
            entries[PathKey(entry.output)] = entry
            if entry.isInPlace { replacements[entry.result] = entry }
        case .album(let album): albums[album.key] = album
        }
    }
}
