// What a journal says of one finished file.

public import MediaCore

/// Size and time of last writing, by which a file is known again.
public struct FileStamp: Hashable, Sendable {
    /// The size in bytes; −1 for what is no file.
    public var size: Int64
    /// When it was last written, in nanoseconds since 1970.
    public var modified: Int64

    /// Joins the two.
    public init(size: Int64, modified: Int64) {
        self.size = size
        self.modified = modified
    }

    init(_ facts: FileFacts?) {
        size = facts?.size ?? -1
        modified = facts?.modified ?? 0
    }

    var json: JSON { .array([.int(size), .int(modified)]) }

    init?(_ json: JSON?) {
        guard let parts = json?.elements, parts.count == 2, let size = parts[0].integer,
            let modified = parts[1].integer
        else { return nil }
        self.init(size: size, modified: modified)
    }
}

/// One finished file: what went in, what was done, what came out.
///
/// It is written before the output gets its name, with the facts the output will have, so that
/// being killed between the two leaves nothing unclear: either the output is there as recorded, or
/// the file is done again.
public struct JournalEntry: Hashable, Sendable {
    /// The input as it was named.
    public var input: String
    /// What the input was before the work.
    public var source: FileStamp
    /// The digest of chain, settings and versions.
    public var recipe: String
    /// The output.
    public var output: String
    /// What the output is.
    public var result: FileStamp
    /// Whether the output replaced the input.
    public var isInPlace: Bool
    /// The row of the report.
    public var row: JSON

    /// Puts an entry together.
    public init(
        input: String, source: FileStamp, recipe: String, output: String, result: FileStamp,
        isInPlace: Bool, row: JSON
    ) {
        self.input = input
        self.source = source
        self.recipe = recipe
        self.output = output
        self.result = result
        self.isInPlace = isInPlace
        self.row = row
    }

    init?(_ json: JSON) {
        guard let input = json["input"]?.text, let source = FileStamp(json["source"]),
            let recipe = json["recipe"]?.text, let output = json["output"]?.text,
            let result = FileStamp(json["result"]), let row = json["row"]
        else { return nil }
        self.init(
            input: input, source: source, recipe: recipe, output: output, result: result,
            isInPlace: json["in_place"] == .bool(true), row: row)
    }

    var json: JSON {
        .object([
            .init("input", .string(input)), .init("source", source.json),
            .init("recipe", .string(recipe)), .init("output", .string(output)),
            .init("result", result.json), .init("in_place", .bool(isInPlace)), .init("row", row),
        ])
    }
}

/// The gain of an album, kept so that a run that goes on uses the same.
struct JournalAlbum: Hashable, Sendable {
    /// The digest of recipe and inputs.
    var key: String
    /// What was measured and planned, as the run understands it.
    var plan: JSON
    /// The places in the list of inputs that could not be measured.
    var unusable: [Int] = []

    init(key: String, plan: JSON, unusable: [Int] = []) {
        self.key = key
        self.plan = plan
        self.unusable = unusable
    }

    init?(_ json: JSON) {
        guard let key = json["key"]?.text, let plan = json["plan"] else { return nil }
        let places = json["unusable"]?.elements ?? []
        self.init(key: key, plan: plan, unusable: places.compactMap { $0.integer.map(Int.init) })
    }

    var json: JSON {
        .object([
            .init("key", .string(key)), .init("plan", plan),
            .init("unusable", .array(unusable.map { .int(Int64($0)) })),
        ])
    }
}

/// A line of a journal.
enum JournalLine: Hashable, Sendable {
    /// What follows was written by a run with this recipe.
    case run(recipe: String, description: JSON)
    /// A temporary file is about to be made.
    case begin(temporary: String)
    /// An output is about to get its name.
    case done(JournalEntry)
    /// The gain of an album is settled.
    case album(JournalAlbum)

    static let version: Int64 = 1
    static let header = sealed(
        .object([
            .init("mediakit", .string("batch journal")), .init("version", .int(version)),
        ]))

    /// The line with its checksum and line end.
    var bytes: [UInt8] {
        let body: JSON.Member =
            switch self {
            case .run(let recipe, let description):
                .init(
                    "run",
                    .object([.init("recipe", .string(recipe)), .init("of", description)]))
            case .begin(let temporary): .init("begin", .string(temporary))
            case .done(let entry): .init("done", entry.json)
            case .album(let album): .init("album", album.json)
            }
        return JournalLine.sealed(.object([body]))
    }

    init?(_ json: JSON) {
        if let run = json["run"], let recipe = run["recipe"]?.text, let description = run["of"] {
            self = .run(recipe: recipe, description: description)
        } else if let temporary = json["begin"]?.text {
            self = .begin(temporary: temporary)
        } else if let entry = json["done"].flatMap(JournalEntry.init) {
            self = .done(entry)
        } else if let album = json["album"].flatMap(JournalAlbum.init) {
            self = .album(album)
        } else {
            return nil
        }
    }

    /// One line of JSON whose last member is the checksum of everything before it.
    private static func sealed(_ json: JSON) -> [UInt8] {
        let body = Array(json.description.utf8.dropLast())
        return body + Array(",\"sum\":\"\(Checksum.crc32(body))\"}\n".utf8)
    }
}
