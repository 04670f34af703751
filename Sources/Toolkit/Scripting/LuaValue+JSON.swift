// JSON to Lua values and back.

internal import LuaRuntime
internal import MediaCore

/// What stands for JSON's null in Lua, where nil would be a hole.
final class JSONNull: LuaObject {
    static let luaName = "mk.json.Null"
    var luaText: String { "null" }
}

extension LuaValue {
    /// The value of JSON that the toolkit made: null members are left out.
    init(facts json: JSON) { self.init(json, null: .null) }

    /// The value of any JSON; nulls become `null`.
    init(_ json: JSON, null: LuaValue) {
        switch json {
        case .null: self = null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int(value))
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let values):
            self = .table(elements: values.map { LuaValue($0, null: null) }, fields: [])
        case .object(let members):
            self = .table(
                elements: [], fields: members.map { ($0.name, LuaValue($0.value, null: null)) })
        }
    }

    /// The value as JSON; `bad-argument` for functions, handles, and tables that are both list and
    /// object.
    func json() throws(MediaError) -> JSON {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(Int64(value))
        case .double(let value):
            guard !value.isNaN else {
                throw MediaError(.badArgument, "\(value) can't be written as JSON")
            }
            // The loudness of silence; what is infinite is written as null.
            return .double(value)
        case .string(let value): return .string(value)
        case .object(let object) where object is JSONNull: return .null
        case .object(let object):
            throw MediaError(.badArgument, "a \(type(of: object).luaName) can't be JSON")
        case .function: throw MediaError(.badArgument, "a function can't be JSON")
        case .table(let elements, let fields):
            if fields.isEmpty, !elements.isEmpty {
                var values: [JSON] = []
                for element in elements { values.append(try element.json()) }
                return .array(values)
            }
            guard elements.isEmpty else {
                throw MediaError(.badArgument, "a table with list and names can't be JSON")
            }
            var members: [JSON.Member] = []
            for field in fields { members.append(.init(field.name, try field.value.json())) }
            return .object(members)
        }
    }

    /// The value for a log line: strings as they are, tables as JSON where they can be.
    var logText: String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): "\(value)"
        case .string(let value): value
        case .object(let object): object.luaText
        case .function: "a function"
        case .table: (try? json())?.description ?? "a table"
        }
    }

    /// The value for the option with this name; `bad-argument` for what can be the value of none.
    func option(_ name: String) throws(MediaError) -> OptionValue {
        switch self {
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(value)
        default:
            throw MediaError(
                .badArgument,
                "option '\(name.printable)': a number, a string or a boolean expected")
        }
    }
}

/// JSON facts that the toolkit made, as a result.
struct Facts: LuaPushable, Sendable {
    static let luaType = "table"
    let json: JSON

    init(_ json: JSON) { self.json = json }

    func push(to stack: LuaStack) { LuaValue(facts: json).push(to: stack) }
}
