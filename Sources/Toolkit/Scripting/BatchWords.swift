// Messages of batches in the words of scripts.

internal import Batch
internal import MediaCore

/// Batches advise their users in flags of the command line; scripts write these as options.
enum BatchWords {
    /// The text with flags as options: `--force` as `force = true`, `--journal FILE` as `journal`.
    static func script(_ text: String) -> String {
        guard text.contains("--") else { return text }
        var words: [Substring] = []
        var unit = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let (before, core, after) = parts(word)
            if !unit.isEmpty, core == unit {
                words[words.count - 1] += after
                unit = ""
                continue
            }
            unit = ""
            guard let spec = options[String(core)] else {
                words.append(word)
                continue
            }
            unit = spec.unit
            words.append("\(before)`\(spec.name)\(spec.kind == .bool ? " = true" : "")`\(after)")
        }
        return words.joined(separator: " ")
    }

    /// The error in these words.
    static func script(_ error: MediaError) -> MediaError {
        MediaError(error.code, script(error.message), underlying: error.underlying)
    }

    /// A row of a report in these words.
    static func script(row: JSON) -> JSON {
        guard case .object(let members) = row else { return row }
        return .object(
            members.map { member in
                switch (member.name, member.value) {
                case ("message", .string(let text)):
                    .init(member.name, .string(script(text)))
                case ("warnings", .array(let texts)):
                    .init(
                        member.name,
                        .array(
                            texts.map { text in
                                if case .string(let text) = text {
                                    .string(script(text))
                                } else {
                                    text
                                }
                            }))
                default: member
                }
            })
    }

    private static let options = [String: OptionSpec](
        BatchRequest.options.map { spec in
            ("--" + spec.name.split(separator: "_").joined(separator: "-"), spec)
        }, uniquingKeysWith: { first, _ in first })

    /// A word without the brackets and stops around it, and these.
    private static func parts(
        _ word: Substring
    ) -> (before: Substring, core: Substring, after: Substring) {
        let before = word.prefix { $0 == "(" }
        var core = word.dropFirst(before.count)
        while let last = core.last, ",;:.)".contains(last) { core = core.dropLast() }
        return (before, core, word[core.endIndex...])
    }
}
