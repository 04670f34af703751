// Random but plausible scripts, made from the API's own table.

internal import LuaRuntime
internal import MediaCore
public import MediaModel

/// Makes scripts out of bytes and runs them without grants, to shake the border between Lua and
/// Swift.
///
/// The same bytes always make the same script. Every function of the table can be called, with
/// arguments of the declared types and, now and then, of others.
public enum ScriptFuzzer {
    /// The script that some bytes stand for.
    public static func script(from bytes: [UInt8]) -> String {
        var maker = ScriptMaker(bytes: bytes)
        return maker.make()
    }

    /// Runs that script to its end; nothing is printed, read or written.
    ///
    /// - Returns: the exit status.
    @discardableResult
    public static func run(_ bytes: [UInt8], registry: PluginRegistry) -> Int32 {
        var configuration = ScriptConfiguration()
        configuration.limits = LuaState.Limits(time: .milliseconds(500), memory: 32 << 20)
        let runner = ScriptRunner(
            registry: registry, configuration: configuration, output: { _ in true },
            report: { _ in })
        return runner.run(text: Array(script(from: bytes).utf8), name: "-")
    }
}

/// Turns bytes into calls.
private struct ScriptMaker {
    private struct Callable {
        var path: String
        var owner: String?
        var parameters: [LuaParameter]
        var result: String
    }

    private static let callables: [Callable] = {
        var all: [Callable] = []
        for module in ScriptAPI.table.modules {
            for function in module.functions where function.name != "execute" {
                all.append(
                    Callable(
                        path: "\(module.name).\(function.name)", owner: nil,
                        parameters: function.parameters,
                        result: function.results.first?.type ?? ""))
            }
        }
        for type in ScriptAPI.table.classes {
            for method in type.methods {
                all.append(
                    Callable(
                        path: method.name, owner: type.name, parameters: method.parameters,
                        result: method.results.first?.type ?? ""))
            }
        }
        return all
    }()

    private static let preamble = """
        local pool = {}
        local function pick(kind)
          local list = pool[kind]
          return list and list[#list]
        end
        local function call(kind, fn, ...)
          local results = table.pack(pcall(fn, ...))
          if results[1] and results[2] ~= nil then
            pool[kind] = pool[kind] or {}
            table.insert(pool[kind], results[2])
          end
        end
        mk.after(0.05, function() mk.quit(0) end)
        call("mk.Player", mk.player, { clock = "free" })

        """

    private let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func make() -> String {
        var text = ScriptMaker.preamble
        var count = 0
        while place < bytes.count, count < 64 {
            text += statement() + "\n"
            count += 1
        }
        return text
    }

    private mutating func next() -> Int {
        guard place < bytes.count else { return 0 }
        defer { place += 1 }
        return Int(bytes[place])
    }

    private mutating func pick<Value>(_ values: [Value], or fallback: Value) -> Value {
        values.isEmpty ? fallback : values[next() % values.count]
    }

    private mutating func statement() -> String {
        let all = ScriptMaker.callables
        let callable = all[(next() << 8 | next()) % all.count]
        var arguments: [String] = []
        for parameter in callable.parameters {
            // One argument in sixteen is of any type.
            let type = next() % 16 == 0 ? "any" : parameter.type
            arguments.append(value(type, depth: 0))
        }
        let list = arguments.joined(separator: ", ")
        guard let owner = callable.owner else {
            return
                "call('\(callable.result)', \(([callable.path] + arguments).joined(separator: ", ")))"
        }
        return "call('\(callable.result)', function() return pick(\"\(owner)\"):\(callable.path)"
            + "(\(list)) end)"
    }

    private mutating func value(_ type: String, depth: Int) -> String {
        let names = type.split(separator: "|").map(String.init)
        let name = pick(names, or: "any")
        switch name {
        case "number":
            return pick(
                ["0", "1", "0.01", "-1", "0/0", "math.huge", "1e300", "2^63"], or: "0")
        case "integer":
            return pick(
                ["0", "1", "2", "-1", "255", "math.maxinteger", "math.mininteger"], or: "0")
        case "boolean": return pick(["true", "false"], or: "true")
        case "string", "string[]": return string()
        case _ where name.hasPrefix("fun("):
            return pick(
                [
                    "function() end", "function(...) mk.log.debug(...) end",
                    "function() mk.wait(0) end", "print", "function() error({}) end",
                    "function(x) x.url = 'synth:sine=duration=1' end",
                ], or: "print")
        case "any":
            let simple = ["number", "string", "boolean", "integer", "fun(", "table"]
            return value(depth > 3 ? "number" : pick(simple, or: "number"), depth: depth + 1)
        default: break
        }
        if let words = ScriptAPI.table.enums.first(where: { $0.name == name })?.words {
            return "\"\(pick(words, or: ""))\""
        }
        if let record = ScriptAPI.table.records.first(where: { $0.name == name }), depth < 3 {
            var fields: [String] = []
            for _ in 0..<next() % 4 {
                guard
                    let field = record.fields.isEmpty
                        ? nil : record.fields[next() % record.fields.count],
                    !field.name.hasPrefix("[")
                else { continue }
                fields.append("\(field.name) = \(value(field.type, depth: depth + 1))")
            }
            return "{ \(fields.joined(separator: ", ")) }"
        }
        if name.hasSuffix("[]"), depth < 3 {
            let element = String(name.dropLast(2))
            var elements: [String] = []
            for _ in 0..<next() % 3 { elements.append(value(element, depth: depth + 1)) }
            return "{ \(elements.joined(separator: ", ")) }"
        }
        if name.hasPrefix("table") {
            return pick(["{}", "{ a = 1 }", "{ 1, 2 }", "{ {} }"], or: "{}")
        }
        return "pick(\"\(name)\")"
    }

    private mutating func string() -> String {
        pick(
            [
                "'synth:sine=duration=0.1'", "'volume=-3dB'", "'volume@a=1,alimiter@b'", "''",
                "'a'", "'\\xff\\xfe'", "('x'):rep(9999)", "'../*'", "'{\"a\":[1,null]}'", "'-3dB'",
                "'status'", "'ended'", "'normalizer'", "'b'",
            ], or: "''")
    }
}
