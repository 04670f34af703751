// What a script gets of a program that it ran.

internal import LuaRuntime
internal import MediaCore

/// What a program did.
struct ChildProgram: LuaFacts, Sendable {
    /// The exit status; 128 and the signal's number where one ended it.
    var status: Int
    /// What it wrote on standard output.
    var output: FileText
    /// What it wrote on standard error.
    var errors: FileText

    static let luaName = "mk.ProgramResult"
    static let luaSummary = "How a program ended and what it wrote."
    static let luaFields: [LuaFact<ChildProgram>] = [
        LuaFact("status", \.status, "Its exit status; 128 and more where a signal ended it."),
        LuaFact("output", \.output, "What it wrote on standard output."),
        LuaFact("errors", \.errors, "What it wrote on standard error."),
    ]

    init(_ run: ProgramRun) {
        switch run.ending {
        case .exited(let status): self.status = status
        case .signalled(let signal): status = 128 + signal
        case .timedOut: status = 128 + 9
        }
        output = FileText(bytes: run.output)
        errors = FileText(bytes: run.errors)
    }
}
