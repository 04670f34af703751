// A small API and an interpreter for the tests of the border.

import LuaRuntime
import MediaCore
import TestSupport

/// What the functions of the sample share.
final class Sample {
    var callbacks: [LuaCallback] = []
    var released = 0
}

enum Mode: String, LuaEnum {
    case keyframe
    case exact

    static let luaName = "t.Mode"
    static let luaSummary = "How a seek lands."
}

struct Settings: LuaOptions {
    var clock: Mode?
    var volume = 1.0
    var tags: [String] = []

    static let luaName = "t.Settings"
    static let luaSummary = "How a thing is made."
    static let luaFields: [LuaOption<Settings>] = [
        LuaOption("clock", \.clock, "The mode of the clock."),
        LuaOption("volume", \.volume, "How loud it is."),
        LuaOption("tags", \.tags, "Words about it."),
    ]
}

struct Fact: LuaFacts {
    var title: String
    var length: MediaTime?

    static let luaName = "t.Fact"
    static let luaSummary = "What is known."
    static let luaFields: [LuaFact<Fact>] = [
        LuaFact("title", \.title, "The name."),
        LuaFact("length", \.length, "How long it lasts, in seconds."),
    ]
}

final class Thing: LuaObject {
    static let luaName = "t.Thing"
    var name: String
    var isClosed = false
    let sample: Sample

    init(_ name: String, _ sample: Sample) {
        self.name = name
        self.sample = sample
    }
    deinit { sample.released += 1 }
    var luaText: String { "thing \(name)" }
}

let sampleAPI = LuaAPI<Sample>(
    modules: [
        LuaModule(
            "t", "Things.",
            constants: [LuaConstant("version", "The version.") { _ in "1.0" }],
            [
                LuaFunction(
                    "seek", "Moves.", Param<MediaTime>("time", "Where to."),
                    Param<Mode?>("mode", "How."), returns: LuaDone.described,
                    fails: [.notFound], example: "t.seek(1)"
                ) { (_, time, _) throws(MediaError) in
                    if time < .zero { throw MediaError(.badArgument, "time: below zero") }
                    if time > MediaTime(seconds: 100) {
                        throw MediaError(.notFound, "seek: nothing there")
                    }
                    return LuaDone()
                },
                LuaFunction(
                    "echo", "Gives back text.", Param<String>("text", "Any bytes."),
                    returns: [LuaParameter("text", type: "string", "The same.")],
                    example: "t.echo('x')"
                ) { _, text in text },
                LuaFunction(
                    "value", "Gives back a value.", Param<LuaValue>("value", "Anything."),
                    returns: [LuaParameter("value", type: "any", "A copy.")],
                    example: "t.value({1})"
                ) { _, value in value },
                LuaFunction(
                    "make", "Makes a thing.", Param<String>("name", "Its name."),
                    Param<Settings?>("settings", "More."),
                    returns: [LuaParameter("thing", type: "t.Thing", "The thing.")],
                    example: "t.make('x')"
                ) { sample, name, settings in
                    Thing(name + (settings?.tags.joined() ?? ""), sample)
                },
                LuaFunction(
                    "facts", "Lists facts.",
                    returns: [LuaParameter("facts", type: "t.Fact[]", "The facts.")],
                    example: "t.facts()"
                ) { _ in [Fact(title: "a", length: MediaTime(seconds: 1.5)), Fact(title: "b")] },
                LuaFunction(
                    "later", "Keeps a function.", Param<LuaCallback>("fn", "The function."),
                    returns: [], example: "t.later(print)"
                ) { sample, callback in
                    sample.callbacks.append(callback)
                    return LuaNothing()
                },
                LuaFunction(
                    "count", "Counts its arguments.", Param<LuaVariadic>("...", "Any."),
                    returns: [LuaParameter("count", type: "integer", "How many.")],
                    example: "t.count(1, 2)"
                ) { _, all in all.values.count },
                LuaFunction(
                    "big", "Makes a large string.", Param<Int>("size", "Its length."),
                    returns: [LuaParameter("text", type: "string", "Zeros.")],
                    example: "t.big(3)"
                ) { _, size in String(repeating: "0", count: size) },
                LuaFunction(
                    "nap", "Waits.", Param<MediaTime>("time", "How long."), returns: [],
                    waits: true, example: "t.nap(0)"
                ) { _, time in
                    let gate = Monitor(())
                    let end = SystemTimeSource().now + time
                    _ = gate.wait(until: end) { _ -> Void? in nil }
                    return LuaNothing()
                },
            ])
    ],
    classes: [
        LuaClass(
            Thing.self, "A thing.",
            properties: [
                LuaProperty(
                    of: Thing.self, "name", "Its name.", get: { _, thing in thing.name },
                    set: { _, thing, name in thing.name = name })
            ],
            close: { _, thing in thing.isClosed = true },
            [
                LuaFunction(
                    of: Thing.self, "rename", "Names it anew.", Param<String>("name", "The name."),
                    returns: [LuaParameter("thing", type: "t.Thing", "The same thing.")],
                    example: "t.make('a'):rename('b')"
                ) { _, thing, name in
                    thing.name = name
                    return thing
                }
            ])
    ],
    records: [Settings.luaDescription, Fact.luaDescription],
    enums: [LuaEnumDescription(Mode.self)])

/// What a script printed and how it ended.
struct Outcome: Sendable {
    var printed: String
    var error: LuaError?
    var released = 0
    var seconds: Double
}

/// Runs text in an interpreter of its own on a thread of its own.
func runLua(
    _ text: String, time: Double = Sanitizer.patience(10), memory: Int = 64 << 20,
    libraries: LuaSandbox.Libraries = .contained, modules: [String: String]? = nil,
    printing: Bool = true,
    and: @escaping @Sendable (LuaState, Sample) throws(LuaError) -> Void = { _, _ in }
) -> Outcome {
    let result = Monitor(Outcome(printed: "", error: nil, seconds: 0))
    let start = SystemTimeSource().now
    let thread = WorkerThread("mk-lua-test", stackSize: 16 << 20) {
        let sample = Sample()
        do {
            let state = try LuaState(
                limits: .init(time: MediaTime(seconds: time), memory: memory),
                libraries: libraries
            ) { line in
                result.withLock { $0.printed += String(osBytes: line) }
                return printing
            }
            defer { state.close() }
            state.install(sampleAPI, context: sample)
            if let modules {
                try state.enableRequire(folders: ["/m"]) { path in
                    modules[path].map { Array($0.utf8) }
                }
            }
            try state.run(Array(text.utf8), name: "@script.lua") { _, _ in }
            try and(state, sample)
        } catch let error as LuaError {
            result.withLock { $0.error = error }
        } catch {
            result.withLock { $0.error = LuaError(kind: .runtime, message: "\(error)") }
        }
        sample.callbacks = []
        let released = sample.released
        result.withLock { $0.released = released }
    }
    thread.join()
    var outcome = result.withLock { $0 }
    outcome.seconds = (SystemTimeSource().now - start).seconds
    return outcome
}
