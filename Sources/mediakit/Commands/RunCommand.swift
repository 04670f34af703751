// `mediakit run`: a Lua script.

import Toolkit

struct RunCommand: Command {
    let name = "run"
    let summary = "Runs a Lua 5.4 script."
    let discussion = """
        SCRIPT is a file, or `-` for a script on standard input. Everything behind it belongs to the
        script (`...`, arg, mk.args); files named there may be read and written. Options of
        mediakit's own come before SCRIPT.

        A script is contained: it has no io and debug libraries, of os only clock, date, difftime and
        time, and it touches no other files, hosts or programs, and loads no other plugins, unless an
        --allow option lets it.

        Examples:
          mediakit run enhance.lua film.mp4 louder.mp4
          mediakit run --allow-read=media --allow-write=out normalise.lua
        """
    let operands = Operands(usage: "SCRIPT [ARGS…]", least: 1, most: nil, takesRest: true)
    let options = ScriptOptions.all
    let repeatable: Set<String> = ["lua_path"]
    let optionalValues = ScriptOptions.optionalValues

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let path = line.operands[0]
        let (registry, loader) = try line.plugins()
        let runner = ScriptRunner(
            registry: registry,
            configuration: ScriptOptions.configuration(
                line, arguments: Array(line.operands.dropFirst()), loader: loader),
            output: ScriptOptions.print, report: ScriptOptions.report)
        return try Interrupts.watching { (token) throws(MediaError) in
            path == "-"
                ? runner.run(text: try StandardInput.readAll(token), name: "-", cancellation: token)
                : try runner.run(path: path, cancellation: token)
        }
    }
}
