// The chain language: text into filters, with the place of each part.

/// Splits chain text the way libavfilter does: `'…'` quotes, `\` escapes, `,` ends a filter, `:` an
/// option.
enum ChainSyntax {
    /// A run of the text, by character offsets, and what it says.
    struct Part {
        var range: Range<Int>
        var text: String
    }

    /// One filter, taken apart.
    struct Element {
        /// The whole, quotes and all.
        var whole: Part
        var name: Part
        var label: Part?
        /// Everything behind the first `=`.
        var arguments: Part?
    }

    /// An option of a filter; `name` is nil where the value stands alone.
    struct Argument {
        var name: Part?
        var value: Part
    }

    /// The text letter by letter, a combining mark being one too: a mark behind `@` or `=` must not
    /// hide it, as it does not for libavfilter.
    static func letters(_ text: String) -> [Character] { text.unicodeScalars.map(Character.init) }

    /// Whether the text is a graph (`[pads]`, `;`) rather than a list.
    static func isGraph(_ text: [Character]) -> Bool {
        !split(text, range: 0..<text.count, at: [";", "[", "]"]).dropFirst().isEmpty
    }

    /// The filters of a list; blank ones are kept, so that they can be refused with their place.
    static func elements(_ text: [Character]) -> [Element] {
        split(text, range: 0..<text.count, at: [","]).map { element(text, trimmed(text, $0)) }
    }

    /// The options of a filter.
    static func arguments(_ text: [Character], _ part: Part) -> [Argument] {
        split(text, range: part.range, at: [":"]).map { range in
            let halves = split(text, range: range, at: ["="], limit: 1)
            let value = trimmed(text, halves.last ?? range)
            let name = halves.count == 2 ? trimmed(text, halves[0]) : nil
            return Argument(
                name: name.map { Part(range: $0, text: String(text[$0])) },
                value: Part(range: value, text: unquoted(text[value])))
        }
    }

    /// Raw text as libavfilter reads it: without our `lavfi.` before a name.
    static func withoutPrefixes(_ text: String) -> String {
        let letters = letters(text)
        guard !isGraph(letters) else { return text }
        var bare = letters
        for name in elements(letters).reversed().map(\.name) where name.text.hasPrefix("lavfi.") {
            bare.removeSubrange(name.range.prefix(6))
        }
        return String(bare)
    }

    /// A value in quotes where it has letters of the language.
    static func quoted(_ value: String) -> String {
        let letters = letters(value)
        guard letters.contains(where: { ",:;[]='\\".contains($0) }) || value != trimmed(value)
        else {
            return value
        }
        return "'" + String(letters.flatMap { $0 == "'" ? Array("'\\''") : [$0] }) + "'"
    }

    /// The options of a libavfilter filter with others in place of those of the same names; nil
    /// where the text is not one filter alone.
    ///
    /// libavfilter reads such text twice: as a part of a graph, then as options.
    static func setting(_ values: [(name: String, value: String)], in text: String) -> String? {
        let letters = letters(text)
        let elements = elements(letters)
        guard !isGraph(letters), elements.count == 1, let element = elements.first else {
            return nil
        }
        let head = String(letters.prefix { $0 != "=" })
        var parts: [String] = []
        if let range = element.arguments?.range {
            let options = self.letters(unquoted(letters[range]))
            for part in split(options, range: 0..<options.count, at: [":"]) {
                let name = options[part].prefix { isNameLetter($0) }
                let isNamed = name.endIndex < part.upperBound && options[name.endIndex] == "="
                if isNamed, values.contains(where: { $0.name == String(name) }) { continue }
                let value = String(
                    options[(isNamed ? name.endIndex + 1 : part.lowerBound)..<part.upperBound])
                parts.append((isNamed ? "\(String(name))=" : "") + quoted(value))
            }
            if options.isEmpty { parts = [] }
        }
        for (name, value) in values {
            let escaped = self.letters(value).map { letter in
                ("\\':".contains(letter) || letter.isWhitespace ? "\\" : "") + String(letter)
            }
            parts.append("\(name)=" + quoted(escaped.joined()))
        }
        return head + (parts.isEmpty ? "" : "=" + parts.joined(separator: ":"))
    }

    /// Whether libavfilter takes a name of an option that is made of these letters.
    static func isOptionName(_ name: String) -> Bool {
        !name.isEmpty && letters(name).allSatisfy(isNameLetter)
    }

    /// Whether a chain can be written with this label.
    static func isLabel(_ label: String) -> Bool {
        let found = elements(letters("anull@\(label)=x"))
        return !label.isEmpty && found.count == 1 && found[0].label?.text == label
    }

    private static func isNameLetter(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isLetter || letter.isNumber || "-_/.".contains(letter))
    }

    private static func element(_ text: [Character], _ range: Range<Int>) -> Element {
        let halves = split(text, range: range, at: ["="], limit: 1)
        let head = trimmed(text, halves.first ?? range)
        let names = split(text, range: head, at: ["@"], limit: 1)
        func part(_ range: Range<Int>) -> Part { Part(range: range, text: String(text[range])) }
        return Element(
            whole: part(range), name: part(trimmed(text, names.first ?? head)),
            label: names.count == 2 ? part(trimmed(text, names[1])) : nil,
            arguments: halves.count == 2 ? part(trimmed(text, halves[1])) : nil)
    }

    /// Cuts a range at unquoted separators, at most `limit` times.
    private static func split(
        _ text: [Character], range: Range<Int>, at separators: Set<Character>,
        limit: Int = .max
    ) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        var isQuoted = false
        var index = range.lowerBound
        while index < range.upperBound {
            let letter = text[index]
            if letter == "'" {
                isQuoted.toggle()
            } else if letter == "\\", !isQuoted {
                index += 1
            } else if !isQuoted, separators.contains(letter), parts.count < limit {
                parts.append(start..<index)
                start = index + 1
            }
            index += 1
        }
        parts.append(start..<max(start, range.upperBound))
        return parts
    }

    private static func trimmed(_ text: [Character], _ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, text[first].isWhitespace {
            range = first + 1..<range.upperBound
        }
        while let last = range.last, text[last].isWhitespace,
            last == range.lowerBound || text[last - 1] != "\\"
        {
            range = range.lowerBound..<last
        }
        return range
    }

    private static func trimmed(_ text: String) -> String {
        let letters = letters(text)
        return String(letters[trimmed(letters, 0..<letters.count)])
    }

    private static func unquoted(_ letters: ArraySlice<Character>) -> String {
        var text = ""
        var isQuoted = false
        var isEscaped = false
        for letter in letters {
            if isEscaped {
                text.append(letter)
                isEscaped = false
            } else if letter == "'" {
                isQuoted.toggle()
            } else if letter == "\\", !isQuoted {
                isEscaped = true
            } else {
                text.append(letter)
            }
        }
        return text
    }
}
