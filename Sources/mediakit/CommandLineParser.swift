// Arguments into checked options and operands.

import Toolkit

/// Reads `--name value`, `--name=value`, `--flag`, `--no-flag`, `-h`; `--` ends the options.
struct CommandLineParser {
    private let command: any Command

    init(_ command: any Command) { self.command = command }

    func parse(_ arguments: [String]) throws(MediaError) -> ParsedLine {
        var line = ParsedLine()
        var values: [String: OptionValue] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                line.operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                line.operands.append(argument)
                if command.operands.takesRest {
                    line.operands += rest
                    break
                }
                continue
            }
            let spec = try read(argument, &rest, &values, &line)
            if spec.name == "help" { break }
        }
        line.options = try Options(values, specs: command.allOptions, owner: command.name)
        return line
    }

    private func read(
        _ argument: String, _ rest: inout ArraySlice<String>,
        _ values: inout [String: OptionValue], _ line: inout ParsedLine
    ) throws(MediaError) -> OptionSpec {
        let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let flag = String(halves.first ?? "")
        let given = halves.count == 2 ? String(halves[1]) : nil
        let (spec, isNegated) = try option(flag)
        let text: String
        if spec.kind == .bool {
            guard !isNegated || given == nil else {
                throw MediaError(.badArgument, "\(command.name): \(flag) takes no value")
            }
            text = given ?? (isNegated ? "no" : "yes")
        } else if let given {
            text = given
        } else if command.optionalValues.contains(spec.name) {
            text = ""
        } else if let next = rest.popFirst() {
            text = next
        } else {
            throw MediaError(.badArgument, "\(command.name): \(flag) needs a value: \(spec.domain)")
        }
        do {
            values[spec.name] = try spec.parse(text)
        } catch {
            throw MediaError(
                .badArgument,
                "\(command.name): \(flag): '\(text.printable)' is not \(spec.expectation(of: text))"
            )
        }
        if command.allRepeatable.contains(spec.name) {
            line.repeated[spec.name, default: []].append(text)
        }
        return spec
    }

    private func option(_ flag: String) throws(MediaError) -> (spec: OptionSpec, isNegated: Bool) {
        if flag == "-h" { return try option("--help") }
        let name = flag.drop { $0 == "-" }.replacing("-", with: "_")
        let specs = command.allOptions
        if flag.hasPrefix("--"), let spec = specs.first(where: { $0.name == name }) {
            return (spec, false)
        }
        if flag.hasPrefix("--"), name.hasPrefix("no_"),
            let spec = specs.first(where: { $0.name == name.dropFirst(3) && $0.kind == .bool })
        {
            return (spec, true)
        }
        let known = specs.map { HelpPage.flag($0) }
        let hint = Suggestion.sentence(for: flag, among: known)
        throw MediaError(
            .badArgument,
            "\(command.name): no option '\(flag.printable)'\(hint); "
                + "see `mediakit \(command.name) --help`")
    }
}
