// Optionals, lists and dictionaries of convertible values.

public import MediaCore

extension Optional: LuaTyped where Wrapped: LuaTyped {
    /// The type of the value where there is one.
    public static var luaType: String { Wrapped.luaType }
    /// Nil stands for none.
    public static var isLuaOptional: Bool { true }
}

extension Optional: LuaReadable where Wrapped: LuaReadable {
    /// Takes nil or nothing as none.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Wrapped? {
        stack.isNil(at: index) ? nil : try Wrapped.read(stack, at: index)
    }
}

extension Optional: LuaResults where Wrapped: LuaPushable {
    /// Pushes one value.
    public func pushResults(to stack: LuaStack) -> Int32 {
        push(to: stack)
        return 1
    }
}

extension Optional: LuaPushable where Wrapped: LuaPushable {
    /// Pushes the value, or nil.
    public func push(to stack: LuaStack) {
        if let self { self.push(to: stack) } else { stack.pushNil() }
    }
}

extension Array: LuaTyped where Element: LuaTyped {
    /// `element[]`.
    public static var luaType: String {
        let element = Element.luaType
        return element.contains("|") || element.hasPrefix("fun(")
            ? "(\(element))[]" : element + "[]"
    }
}

extension Array: LuaReadable where Element: LuaReadable {
    /// Takes a table with elements from 1 on.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> [Element] {
        guard stack.kind(at: index) == .table else { throw stack.mismatch("list", at: index) }
        var elements: [Element] = []
        for number in 0..<stack.length(at: index) {
            let element = try stack.withElement(number + 1, of: index) {
                (place) throws(MediaError) -> Element in
                do throws(MediaError) {
                    return try Element.read(stack, at: place)
                } catch {
                    throw error.prefixed("element \(number + 1)")
                }
            }
            elements.append(element)
        }
        return elements
    }
}

extension Array: LuaResults where Element: LuaPushable {
    /// Pushes one table.
    public func pushResults(to stack: LuaStack) -> Int32 {
        push(to: stack)
        return 1
    }
}

extension Array: LuaPushable where Element: LuaPushable {
    /// Pushes a table with elements from 1 on.
    public func push(to stack: LuaStack) {
        guard stack.pushTable(elements: count) else { return }
        for (offset, element) in enumerated() {
            stack.setElement(offset + 1) { element.push(to: stack) }
        }
    }
}

extension Dictionary: LuaTyped where Key == String, Value: LuaTyped {
    /// `table<string, value>`.
    public static var luaType: String { "table<string, \(Value.luaType)>" }
}

extension Dictionary: LuaReadable where Key == String, Value: LuaReadable {
    /// Takes a table whose keys are strings.
    public static func read(
        _ stack: LuaStack, at index: Int32
    ) throws(MediaError) -> [String: Value] {
        guard stack.kind(at: index) == .table else { throw stack.mismatch("table", at: index) }
        var values: [String: Value] = [:]
        try stack.forEach(in: index) { (key, value) throws(MediaError) in
            guard let name = stack.string(at: key) else {
                throw MediaError(
                    .badArgument, "string keys expected, got a \(stack.typeName(at: key)) key")
            }
            do throws(MediaError) {
                values[name] = try Value.read(stack, at: value)
            } catch {
                throw error.prefixed("field '\(name.printable)'")
            }
        }
        return values
    }
}

extension Dictionary: LuaResults where Key == String, Value: LuaPushable {
    /// Pushes one table.
    public func pushResults(to stack: LuaStack) -> Int32 {
        push(to: stack)
        return 1
    }
}

extension Dictionary: LuaPushable where Key == String, Value: LuaPushable {
    /// Pushes a table.
    public func push(to stack: LuaStack) {
        guard stack.pushTable(fields: count) else { return }
        for (name, value) in self { stack.setField(name) { value.push(to: stack) } }
    }
}
