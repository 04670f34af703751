// The API as a reference in Markdown.

internal import MediaCore

/// Prints the reference: for each function its syntax, context, errors and an example.
public enum LuaDocPrinter {
    /// The whole API; ends with a newline.
    ///
    /// - Parameter introduction: Markdown between the title and the first module.
    public static func print<Context>(
        _ api: LuaAPI<Context>, title: String, introduction: String
    ) -> String {
        var lines = [
            "<!-- Printed by `mediakit lua-docs`. Do not edit: the tables in Sources are the source. -->",
            "# \(title)", "", introduction, "",
        ]
        for module in api.modules {
            lines += ["## \(module.name)", "", module.summary, ""]
            if !module.constants.isEmpty {
                lines += header(["value", "type", "what it is"])
                lines += module.constants.map { row([$0.name, code($0.type), $0.summary]) } + [""]
            }
            for entry in module.functions { lines += function(entry, owner: module.name + ".") }
        }
        for type in api.classes {
            lines += ["## \(type.name)", "", type.summary, ""]
            if !type.properties.isEmpty {
                lines += header(["field", "type", "what it is"])
                lines +=
                    type.properties.map { property in
                        row([
                            property.name, code(property.type),
                            property.summary + (property.isWritable ? "" : " Read only."),
                        ])
                    } + [""]
            }
            let local = type.name.split(separator: ".").last.map { $0.lowercased() } ?? type.name
            for method in type.methods { lines += function(method, owner: local + ":") }
        }
        lines += ["## Tables", ""]
        for record in api.records {
            lines += ["### \(record.name)", "", record.summary, ""]
            lines += header(["field", "type", "what it is"])
            lines +=
                record.fields.map { field in
                    row([
                        field.name, code(field.type + (field.isOptional ? "?" : "")), field.summary,
                    ])
                } + [""]
        }
        lines += ["## Words", ""]
        for type in api.enums {
            lines += [
                "### \(type.name)", "", type.summary, "",
                type.words.map { code("\"\($0)\"") }.joined(separator: ", "), "",
            ]
        }
        return lines.dropLast().joined(separator: "\n") + "\n"
    }

    private static func function<Context>(
        _ function: LuaFunction<Context>, owner: String
    ) -> [String] {
        let arguments = function.parameters.map { parameter in
            parameter.isOptional && parameter.name != "..." ? "[\(parameter.name)]" : parameter.name
        }
        let results = function.results.map(\.name)
        let call = "\(owner)\(function.name)(\(arguments.joined(separator: ", ")))"
        let syntax = results.isEmpty ? call : "\(results.joined(separator: ", ")) = \(call)"
        var lines = ["### \(owner)\(function.name)", "", "```lua", syntax, "```", ""]
        lines += [function.summary, ""]
        if !function.parameters.isEmpty {
            lines += header(["argument", "type", "what it is"])
            lines +=
                function.parameters.map { parameter in
                    let type = parameter.type + (parameter.isOptional ? "?" : "")
                    return row([parameter.name, code(type), parameter.summary])
                } + [""]
        }
        for result in function.results {
            lines += ["Gives `\(result.name)` (\(code(result.type))): \(result.summary)", ""]
        }
        if !function.failures.isEmpty {
            let codes = function.failures.map { code($0.rawValue) }.joined(separator: ", ")
            lines += ["Fails with `nil, message, code`: \(codes).", ""]
        }
        if function.waits {
            lines += [
                "Waits: callbacks run meanwhile, and the time does not count against "
                    + "`--script-timeout`.", "",
            ]
        }
        return lines + ["```lua", function.example, "```", ""]
    }

    private static func header(_ names: [String]) -> [String] {
        [row(names), row(names.map { _ in "---" })]
    }

    private static func row(_ cells: [String]) -> String {
        "| "
            + cells.map { $0.split(separator: "|").joined(separator: "\\|") }
            .joined(separator: " | ") + " |"
    }

    private static func code(_ text: String) -> String { "`\(text)`" }
}
