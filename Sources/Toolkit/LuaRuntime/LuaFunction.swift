// One function of the API: declared once, typed by parameter packs, called through C.

public import MediaCore

/// A parameter: its name and sentence; the type comes from Swift.
public struct Param<Value: LuaReadable>: Sendable {
    let name: String
    let summary: String
    let type: String?

    /// Declares a parameter.
    ///
    /// - Parameter type: the LuaCATS type where Swift's says too little (a callback's signature).
    public init(_ name: String, _ summary: String, type: String? = nil) {
        self.name = name
        self.summary = summary
        self.type = type
    }

    var description: LuaParameter {
        LuaParameter(
            name: Value.self == LuaVariadic.self ? "..." : name, type: type ?? Value.luaType,
            isOptional: Value.isLuaOptional, summary: summary)
    }
}

/// What the stub and the reference say of a parameter or a result.
public struct LuaParameter: Sendable {
    /// Its name.
    public let name: String
    /// Its LuaCATS type.
    public let type: String
    /// Whether nil stands for "not given".
    public let isOptional: Bool
    /// One sentence for people.
    public let summary: String

    /// Declares a result.
    public init(_ name: String, type: String, optional isOptional: Bool = false, _ summary: String)
    {
        self.init(name: name, type: type, isOptional: isOptional, summary: summary)
    }

    init(name: String, type: String, isOptional: Bool, summary: String) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.summary = summary
    }
}

/// How a host function ended.
enum LuaOutcome {
    /// So many values on top of the stack are the results.
    case results(Int32)
    /// An error is to be raised at the caller's line.
    case raise(String)
}

/// A host function without types, as the trampoline calls it.
final class LuaBody {
    let run: (LuaStack) -> LuaOutcome
    /// The interpreter that keeps this body, and so outlives it.
    var state: Unmanaged<LuaState>?

    init(_ run: @escaping (LuaStack) -> LuaOutcome) { self.run = run }
}

/// A function or method of the API.
///
/// Lua calls a C trampoline, which calls Swift with the stack. Swift reads the arguments with calls
/// that cannot raise, runs the body and pushes the results; when an argument is wrong or the body
/// throws, Swift returns first and C raises then, so `longjmp` never crosses a Swift frame.
///
/// A wrong argument raises `bad argument #1 to 'seek' (number expected, got string)`, and so does a
/// body that throws `bad-argument` or `script-failed`: the script itself is wrong. Any other error
/// gives `nil, message, code`.
public struct LuaFunction<Context>: Sendable {
    /// Its name in the module or on the handle.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// What it takes, without the handle itself.
    public let parameters: [LuaParameter]
    /// What it gives.
    public let results: [LuaParameter]
    /// The codes with which it may fail as `nil, message, code`.
    public let failures: [MediaError.Code]
    /// Whether it waits: time inside does not count as the script's, callbacks may run.
    public let waits: Bool
    /// Lua code that shows the use and runs as a test.
    public let example: String
    /// Whether it is called on a handle with a colon.
    public let isMethod: Bool
    /// Further signatures for the stub, without the handle: `fun(event: "state", …)`.
    public let overloads: [String]

    private let run: @Sendable (Context, LuaStack) -> LuaOutcome

    /// Declares a function.
    public init<each Argument: LuaReadable, Result: LuaResults>(
        _ name: String, _ summary: String, _ parameters: repeat Param<each Argument>,
        returns results: [LuaParameter], fails failures: [MediaError.Code] = [],
        waits: Bool = false, overloads: [String] = [], example: String,
        body: @escaping @Sendable (Context, repeat each Argument) throws(MediaError) -> Result
    ) {
        var described: [LuaParameter] = []
        repeat described.append((each parameters).description)
        self.name = name
        self.summary = summary
        self.parameters = described
        self.results = results
        self.failures = failures
        self.waits = waits
        self.overloads = overloads
        self.example = example
        isMethod = false
        run = { context, stack in
            var index: Int32 = 0
            do throws(MediaError) {
                let arguments = (repeat try read((each Argument).self, stack, &index))
                index = 0
                return .results(
                    try body(context, repeat each arguments).pushResults(to: stack))
            } catch {
                return fail(error, name, argument: Int(index), stack)
            }
        }
    }

    /// Declares a method.
    public init<Object: LuaObject, each Argument: LuaReadable, Result: LuaResults>(
        of type: Object.Type, _ name: String, _ summary: String,
        _ parameters: repeat Param<each Argument>,
        returns results: [LuaParameter], fails failures: [MediaError.Code] = [],
        waits: Bool = false, overloads: [String] = [], example: String,
        body:
            @escaping @Sendable (Context, Object, repeat each Argument) throws(MediaError) -> Result
    ) {
        var described: [LuaParameter] = []
        repeat described.append((each parameters).description)
        self.name = name
        self.summary = summary
        self.parameters = described
        self.results = results
        self.failures = failures
        self.waits = waits
        self.overloads = overloads
        self.example = example
        isMethod = true
        run = { context, stack in
            guard let object = stack.state.object(at: 1, stack.raw, as: type) else {
                return .raise(
                    "calling '\(name)' on a bad self (\(stack.mismatch(type.luaName, at: 1))); "
                        + "use ':' to call it")
            }
            var index: Int32 = 1
            do throws(MediaError) {
                let arguments = (repeat try read((each Argument).self, stack, &index))
                index = 1
                return .results(
                    try body(context, object, repeat each arguments).pushResults(to: stack))
            } catch {
                return fail(error, name, argument: Int(index) - 1, stack)
            }
        }
    }

    /// The function with its context, ready for the trampoline.
    func bound(to context: Context) -> LuaBody {
        let waits = waits
        let run = run
        return LuaBody { stack in
            waits ? stack.state.pausingClock { run(context, stack) } : run(context, stack)
        }
    }
}

private func read<Value: LuaReadable>(
    _ type: Value.Type, _ stack: LuaStack, _ index: inout Int32
) throws(MediaError) -> Value {
    index += 1
    return try Value.read(stack, at: index)
}

/// The outcome of a body that threw; `argument` is 0 where the arguments were right.
private func fail(
    _ error: MediaError, _ name: String, argument: Int, _ stack: LuaStack
) -> LuaOutcome {
    if argument > 0 { return .raise("bad argument #\(argument) to '\(name)' (\(error.message))") }
    switch error.code {
    case .badArgument, .scriptFailed:
        return .raise(error.message)
    default:
        stack.pushNil()
        stack.push(error.message)
        stack.push(error.code.rawValue)
        return .results(3)
    }
}

/// The result of a function that has none.
public struct LuaNothing: LuaResults, Sendable {
    /// Makes it.
    public init() {}
    /// Pushes nothing.
    public func pushResults(to stack: LuaStack) -> Int32 { 0 }
}

/// The result of an operation that did what it was asked to: `true`, so that `assert` can tell.
public struct LuaDone: LuaResults, Sendable {
    /// Makes it.
    public init() {}
    /// Pushes true.
    public func pushResults(to stack: LuaStack) -> Int32 {
        stack.push(true)
        return 1
    }
    /// What the reference says of it.
    public static let described = [
        LuaParameter("done", type: "true?", "True; nil where it failed.")
    ]
}

/// Several results.
public struct LuaTuple<First: LuaPushable, Second: LuaPushable>: LuaResults {
    let first: First
    let second: Second

    /// Joins two results.
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// Pushes both.
    public func pushResults(to stack: LuaStack) -> Int32 {
        first.push(to: stack)
        second.push(to: stack)
        return 2
    }
}
