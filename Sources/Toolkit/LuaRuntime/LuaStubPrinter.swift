// The API as LuaCATS annotations, for editors and linters.

/// Prints a meta file that a Lua language server reads.
public enum LuaStubPrinter {
    /// The whole API; ends with a newline.
    ///
    /// - Parameters:
    ///   - module: what `require` calls the API.
    ///   - value: what `require` gives.
    public static func print<Context>(
        _ api: LuaAPI<Context>, module: String, value: String
    ) -> String {
        var lines = [
            "--- @meta \(module)",
            "-- Printed by `mediakit lua-stub`. Do not edit: the tables in Sources are the source.",
            "error('Cannot require a meta file')",
            "",
        ]
        for type in api.enums { lines += alias(type) }
        for record in api.records { lines += fields(record) }
        for type in api.classes { lines += handle(type) }
        for module in api.modules { lines += table(module) }
        return (lines + ["return \(value)"]).joined(separator: "\n") + "\n"
    }

    private static func alias(_ type: LuaEnumDescription) -> [String] {
        let words = type.words.map { "---| \"\($0)\"" }
        return ["--- \(type.summary)", "---@alias \(type.name)"] + words + [""]
    }

    private static func fields(_ record: LuaRecordDescription) -> [String] {
        let fields = record.fields.map { field in
            "---@field \(field.name)\(field.isOptional ? "?" : "") \(field.type) \(field.summary)"
        }
        return ["--- \(record.summary)", "---@class \(record.name)"] + fields + [""]
    }

    private static func handle<Context>(_ type: LuaClass<Context>) -> [String] {
        let local = type.name.split(separator: ".").last.map(String.init) ?? type.name
        var lines = ["--- \(type.summary)", "---@class \(type.name)"]
        for property in type.properties {
            let access = property.isWritable ? "" : " (read only)"
            lines.append("---@field \(property.name) \(property.type) \(property.summary)\(access)")
        }
        lines += ["local \(local) = {}", ""]
        for method in type.methods { lines += function(method, owner: local + ":") }
        return lines
    }

    private static func table<Context>(_ module: LuaModule<Context>) -> [String] {
        var lines = ["--- \(module.summary)", "---@class \(module.name)"]
        for constant in module.constants {
            lines.append("---@field \(constant.name) \(constant.type) \(constant.summary)")
        }
        lines += ["\(module.name) = {}", ""]
        for entry in module.functions { lines += function(entry, owner: module.name + ".") }
        return lines
    }

    private static func function<Context>(
        _ function: LuaFunction<Context>, owner: String
    ) -> [String] {
        var lines = ["--- \(function.summary)"]
        for parameter in function.parameters {
            let mark = parameter.isOptional && parameter.name != "..." ? "?" : ""
            lines.append(
                "---@param \(parameter.name)\(mark) \(parameter.type) \(parameter.summary)")
        }
        for result in function.allResults {
            let mark = result.isOptional && !result.type.hasSuffix("?") ? "?" : ""
            lines.append("---@return \(result.type)\(mark) \(result.name) \(result.summary)")
        }
        lines += function.overloads.map { "---@overload \($0)" }
        let names = function.parameters.map(\.name).joined(separator: ", ")
        return lines + ["function \(owner)\(function.name)(\(names)) end", ""]
    }
}

extension LuaFunction {
    /// The results, with message and code where it may fail.
    var allResults: [LuaParameter] {
        guard !failures.isEmpty else { return results }
        let first = results.map { result in
            LuaParameter(
                name: result.name, type: result.type, isOptional: true, summary: result.summary)
        }
        return first + [
            LuaParameter("message", type: "string", optional: true, "Why it failed."),
            LuaParameter("code", type: "mk.ErrorCode", optional: true, "What kind of failure."),
        ]
    }
}
