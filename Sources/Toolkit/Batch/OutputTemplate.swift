// Names of outputs made from names of inputs.

public import MediaCore

/// A pattern for output paths: `OUT/{stem}.flac`, `{dir}/{stem}-loud.{ext}`.
///
/// - `{dir}`: the folder of the input as it was named, `.` where it has none.
/// - `{rel}`: the folder below the one that was named, for a tree that is kept.
/// - `{name}`, `{stem}`, `{ext}`: the file name, the part before its last dot, the part behind it.
/// - `{index}`: the place in the list, from 1; `{index:4}` with zeros in front.
///
/// `{{` and `}}` stand for braces. A template that ends in `/` means `{name}` in that folder.
public struct OutputTemplate: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Part: Hashable {
        case text(String)
        case field(Field)
        case index(width: Int)
    }

    fileprivate enum Field: String, CaseIterable {
        case dir
        case rel
        case name
        case stem
        case ext
        case index
    }

    /// The template as it was written.
    public let description: String
    private let parts: [Part]

    /// Reads a template; `bad-argument` names what is wrong in it.
    public init(parsing text: String) throws(MediaError) {
        func wrong(_ reason: String) -> MediaError {
            MediaError(.badArgument, "output template '\(text.printable)': \(reason)")
        }
        guard !text.isEmpty else { throw wrong("is empty") }
        var parts: [Part] = []
        var literal = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let letter = rest.popFirst() {
            if letter == "{" || letter == "}", rest.first == letter {
                rest.removeFirst()
                literal.append(letter)
            } else if letter == "}" {
                throw wrong("'}' without '{' (write '}}' for a brace)")
            } else if letter == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw wrong("'{' without '}' (write '{{' for a brace)")
                }
                if !literal.isEmpty { parts.append(.text(String(literal))) }
                literal = .init()
                let field = String(rest[..<end])
                rest = rest[rest.index(after: end)...]
                do {
                    parts.append(try OutputTemplate.part(field))
                } catch {
                    throw wrong(error.message)
                }
            } else {
                literal.append(letter)
            }
        }
        if !literal.isEmpty { parts.append(.text(String(literal))) }
        if text.utf8.last == UInt8(ascii: "/") { parts.append(.field(.name)) }
        self.parts = parts
        description = text
    }

    private static func part(_ text: String) throws(MediaError) -> Part {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(halves.first ?? "")
        guard let field = Field(rawValue: name) else {
            let known = Field.allCases.map(\.rawValue)
            throw MediaError(
                .badArgument,
                "no field {\(name)}\(Suggestion.sentence(for: name, among: known)); there are "
                    + known.map { "{\($0)}" }.joined(separator: " "))
        }
        guard field == .index || halves.count == 1 else {
            throw MediaError(.badArgument, "{\(name)} takes no width")
        }
        guard field == .index else { return .field(field) }
        guard halves.count == 2 else { return .index(width: 0) }
        guard let width = Int(halves[1]), (1...20).contains(width) else {
            throw MediaError(.badArgument, "the width in {\(text)} is not 1…20")
        }
        return .index(width: width)
    }

    /// The output path for an input at a place in the list, from 1.
    public func path(for input: BatchInput, index: Int) -> String {
        let isSource = input.facts == nil
        let name =
            isSource
            ? String(input.path.dropFirst(6)).split(separator: "/").joined(separator: "_")
            : PathText.name(of: input.path)
        let (stem, ext) = isSource ? (name, "") : PathText.split(name: name)
        var path = ""
        for part in parts {
            switch part {
            case .text(let text): path += text
            case .index(let width):
                let digits = String(index)
                path += String(repeating: "0", count: max(0, width - digits.count)) + digits
            case .field(.dir):
                let folder = isSource ? "" : PathText.folder(of: input.path)
                path += folder.isEmpty ? "." : folder
            case .field(.rel): path += input.subfolder.isEmpty ? "." : input.subfolder
            case .field(.name): path += name
            case .field(.stem): path += stem
            case .field(.ext):
                // A name without an extension leaves no dot behind.
                if ext.isEmpty, path.utf8.last == UInt8(ascii: ".") { path.removeLast() }
                path += ext
            case .field(.index): path += String(index)
            }
        }
        return PathText.tidied(path)
    }

    /// The folder in which all outputs lie whatever the inputs are; nil where the inputs decide.
    public var fixedFolder: String? {
        guard case .text(let text)? = parts.first else { return nil }
        let folder = PathText.folder(of: text)
        guard !folder.isEmpty || parts.dropFirst().allSatisfy(\.staysInFolder) else { return nil }
        return PathText.tidied(folder)
    }
}

extension OutputTemplate.Part {
    fileprivate var staysInFolder: Bool {
        switch self {
        case .text(let text): !text.utf8.contains(UInt8(ascii: "/"))
        case .field(.dir), .field(.rel): false
        case .field, .index: true
        }
    }
}
