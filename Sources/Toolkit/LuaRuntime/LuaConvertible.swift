// Swift types that Lua arguments and results are made of.

public import MediaCore

/// A type with a name in the stub and the reference.
public protocol LuaTyped: SendableMetatype {
    /// Its LuaCATS name: `number`, `string[]`, `mk.Track`, ….
    static var luaType: String { get }
    /// Whether nil stands for "not given".
    static var isLuaOptional: Bool { get }
}

extension LuaTyped {
    /// A value is needed.
    public static var isLuaOptional: Bool { false }
}

/// What an argument can be.
public protocol LuaReadable: LuaTyped {
    /// Reads the value at `index`; `bad-argument` says what was expected and what came.
    static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Self
}

/// What a value pushed to Lua can be.
public protocol LuaPushable: LuaTyped, LuaResults {
    /// Pushes exactly one value.
    func push(to stack: LuaStack)
}

/// What a function gives back: one value, or several.
public protocol LuaResults: SendableMetatype {
    /// Pushes the values and gives their count.
    func pushResults(to stack: LuaStack) -> Int32
}

extension LuaPushable {
    /// Pushes the one value.
    public func pushResults(to stack: LuaStack) -> Int32 {
        push(to: stack)
        return 1
    }
}

/// Both an argument and a result.
public typealias LuaConvertible = LuaReadable & LuaPushable

extension Bool: LuaReadable, LuaPushable {
    /// `boolean`.
    public static var luaType: String { "boolean" }
    /// Takes true and false only.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Bool {
        guard let value = stack.bool(at: index) else { throw stack.mismatch("boolean", at: index) }
        return value
    }
    /// Pushes it.
    public func push(to stack: LuaStack) { stack.push(self) }
}

extension Int: LuaReadable, LuaPushable {
    /// `integer`.
    public static var luaType: String { "integer" }
    /// Takes whole numbers.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Int {
        if let value = stack.int(at: index) { return value }
        if let value = stack.double(at: index) {
            throw MediaError(.badArgument, "whole number expected, got \(value)")
        }
        throw stack.mismatch("number", at: index)
    }
    /// Pushes it.
    public func push(to stack: LuaStack) { stack.push(self) }
}

extension Double: LuaReadable, LuaPushable {
    /// `number`.
    public static var luaType: String { "number" }
    /// Takes any number.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Double {
        guard let value = stack.double(at: index) else { throw stack.mismatch("number", at: index) }
        return value
    }
    /// Pushes it.
    public func push(to stack: LuaStack) { stack.push(self) }
}

extension String: LuaReadable, LuaPushable {
    /// `string`.
    public static var luaType: String { "string" }
    /// Takes strings of any bytes; what is not UTF-8 is kept as `String(osBytes:)` keeps it.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> String {
        guard let value = stack.string(at: index) else { throw stack.mismatch("string", at: index) }
        return value
    }
    /// Pushes the bytes it stands for.
    public func push(to stack: LuaStack) { stack.push(self) }
}

extension MediaTime: LuaReadable, LuaPushable {
    /// `number`, in seconds.
    public static var luaType: String { "number" }
    /// Takes finite numbers as seconds.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> MediaTime {
        let seconds = try Double.read(stack, at: index)
        guard seconds.isFinite else {
            throw MediaError(.badArgument, "seconds expected, got \(seconds)")
        }
        return MediaTime(seconds: seconds)
    }
    /// Pushes seconds.
    public func push(to stack: LuaStack) { stack.push(seconds) }
}

/// Words that Lua writes as strings; the stub lists them as a union.
public protocol LuaEnum: LuaReadable, LuaPushable, CaseIterable, RawRepresentable<String> {
    /// The name of the union in the stub: `mk.SeekMode`.
    static var luaName: String { get }
    /// One sentence for people.
    static var luaSummary: String { get }
}

extension LuaEnum {
    /// The name of the union.
    public static var luaType: String { luaName }
    /// Takes one of the words.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Self {
        let words = allCases.map(\.rawValue)
        guard let word = stack.string(at: index) else {
            throw stack.mismatch("one of \(list(words))", at: index)
        }
        guard let value = Self(rawValue: word) else {
            throw MediaError(
                .badArgument, "one of \(list(words)) expected, got '\(word.printable)'")
        }
        return value
    }
    /// Pushes the word.
    public func push(to stack: LuaStack) { stack.push(rawValue) }

    private static func list(_ words: [String]) -> String {
        words.map { "'\($0)'" }.joined(separator: ", ")
    }
}
