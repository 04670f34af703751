// `mediakit repl`: Lua, line by line.

import Glibc
import Toolkit

struct ReplCommand: Command {
    let name = "repl"
    let summary = "Evaluates Lua line by line; players and timers go on between the lines."
    let discussion = """
        An expression's values are printed. A statement may go over several lines; an empty line
        gives it up. The end of input, or mk.quit(), ends the dialogue.
        """
    let operands = Operands(usage: "[ARGS…]", most: nil)
    let options = ScriptOptions.all
    let repeatable: Set<String> = ["lua_path"]
    let optionalValues = ScriptOptions.optionalValues

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let (registry, loader) = try line.plugins()
        let configuration = ScriptOptions.configuration(
            line, arguments: line.operands, loader: loader)
        return try Interrupts.watching { (token) throws(MediaError) in
            let repl = Repl(
                registry: registry, configuration: configuration, cancellation: token,
                output: ScriptOptions.print, report: ScriptOptions.report)
            let result = Result { () throws(MediaError) in try converse(repl, token) }
            let status = repl.close()
            return try result.get() ?? status
        }
    }

    /// Feeds lines until the input or the dialogue ends; gives the status of the latter.
    private func converse(
        _ repl: Repl, _ cancellation: CancellationToken
    ) throws(MediaError) -> Int32? {
        let isDialogue = isatty(0) == 1 && isatty(2) == 1
        var lines = InputLines(cancellation)
        var prompt = "> "
        while true {
            if isDialogue { Terminal.writeError(prompt) }
            guard let line = try lines.next() else {
                if isDialogue { Terminal.writeError("\n") }
                return nil
            }
            prompt = "> "
            switch repl.evaluate(line) {
            case .done: break
            case .needsMore: prompt = ">> "
            case .failed(let message): ScriptOptions.report(message)
            case .ended(let status): return status
            }
        }
    }
}

/// Standard input as lines.
private struct InputLines {
    private let file = StandardInput.makeFile()
    private let cancellation: CancellationToken
    private var pending: [UInt8] = []
    private var isAtEnd = false

    init(_ cancellation: CancellationToken) { self.cancellation = cancellation }

    /// The next line without its end; nil at the end of input.
    mutating func next() throws(MediaError) -> String? {
        while true {
            if let end = pending.firstIndex(of: 10) {
                defer { pending.removeSubrange(...end) }
                return String(osBytes: pending[..<end])
            }
            if isAtEnd {
                defer { pending = [] }
                return pending.isEmpty ? nil : String(osBytes: pending)
            }
            if let chunk = try StandardInput.readChunk(file, cancellation) {
                pending += chunk
            } else {
                isAtEnd = true
            }
        }
    }
}
