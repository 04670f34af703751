// What a verb of the command line is made of.

import Toolkit

/// The arguments that are not options.
struct Operands {
    /// As the usage line shows them: `FILE…`.
    var usage: String
    /// How many there must be.
    var least = 0
    /// How many there may be; nil for any number.
    var most: Int? = 0
    /// Whether everything behind the last one, options too, belongs to a script.
    var takesRest = false
}

/// A verb: `mediakit NAME [options] OPERANDS`.
protocol Command: Sendable {
    var name: String { get }
    var summary: String { get }
    /// Longer help behind the summary: how, and an example.
    var discussion: String { get }
    var operands: Operands { get }
    var options: [OptionSpec] { get }
    /// Options that may be given several times.
    var repeatable: Set<String> { get }
    /// Text options whose value may be left out, which then is empty.
    var optionalValues: Set<String> { get }
    func run(_ line: ParsedLine) throws(MediaError) -> Int32
}

extension Command {
    var discussion: String { "" }
    var options: [OptionSpec] { [] }
    var repeatable: Set<String> { [] }
    var optionalValues: Set<String> { [] }

    /// Its own options and those that every verb has.
    var allOptions: [OptionSpec] { options + CommonOptions.all }
    /// Its own options that may be given several times, and those that every verb has.
    var allRepeatable: Set<String> { repeatable.union(CommonOptions.repeatable) }
}

/// The options that every verb has.
enum CommonOptions {
    static let all = [
        OptionSpec("help", .bool, default: .bool(false), "Shows this page."),
        OptionSpec(
            "log_level", .choice(Log.Level.allCases.map(\.rawValue)), default: .string("warning"),
            "How much is said on standard error."),
        OptionSpec(
            "plugin", .string, default: nil,
            "A plugin file, or a folder of them, to load; may be given several times."),
        OptionSpec(
            "license", .string, default: nil, unit: "FILE",
            "The license that grants premium features; MEDIAKIT_LICENSE when not given."),
        OptionSpec(
            "license_key", .string, default: nil, unit: "KEY",
            "The issuer's public key as Base64, or a PEM file; MEDIAKIT_LICENSE_KEY when not given."
        ),
        OptionSpec(
            "decoder_option", .string, default: nil, unit: "NAME:OPTION=VALUE",
            "Sets options of a decoder plugin, with more of them behind colons: vvc:threads=2; "
                + "`mediakit plugins --json` lists them. May be given several times."),
        OptionSpec(
            "demuxer_option", .string, default: nil, unit: "NAME:OPTION=VALUE",
            "The same for demuxer plugins: vvc-raw:frame_rate=50."),
    ]

    static let repeatable: Set<String> = ["plugin", "decoder_option", "demuxer_option"]

    static let json = OptionSpec(
        "json", .bool, default: .bool(false), "Prints facts as JSON on standard output.")
}

/// A command line, taken apart and checked.
struct ParsedLine {
    var options = Options()
    var operands: [String] = []
    /// Every value of the repeatable options, in order.
    var repeated: [String: [String]] = [:]
}
