// Options from text: a value that was taken is taken again as it is printed, and stays the same.

internal import MediaCore

let optionsTarget = FuzzTarget(name: "options") { bytes in
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        let halves = line.split(separator: UInt8(ascii: "="), maxSplits: 1)
        guard halves.count == 2 else { continue }
        let name = String(decoding: halves[0], as: UTF8.self)
        let text = String(decoding: halves[1], as: UTF8.self)
        OptionsTarget.read(name, .string(text))
        if let number = Int(text) { OptionsTarget.read(name, .int(number)) }
        if let number = Double(text) { OptionsTarget.read(name, .double(number)) }
    }
}

enum OptionsTarget {
    static let specs = [
        OptionSpec("flag", .bool, default: .bool(false), "Yes or no."),
        OptionSpec("count", .int(-8...64), default: .int(0), "A whole number."),
        OptionSpec("any", .int(.min ... .max), default: nil, "Any whole number."),
        OptionSpec("gain", .double(-60...60), default: .double(0), unit: "dB", "A number."),
        OptionSpec("word", .choice(["none", "left", "right"]), default: nil, "A word."),
        OptionSpec("text", .string, default: nil, "Anything."),
    ]

    static func read(_ name: String, _ value: OptionValue) {
        guard let options = try? Options([name: value], specs: specs, owner: "fuzz") else { return }
        guard let taken = options[name] else { preconditionFailure("\(name) was taken, and lost") }
        let again = try? Options([name: .string("\(taken)")], specs: specs, owner: "fuzz")
        precondition(again?[name] == taken, "\(name): \(taken) became something else")
        _ = (options.bool(name), options.int(name), options.double(name), options.string(name))
    }
}
