// What contained scripts can reach: text modules from given folders, and standard output.

public import MediaCore

/// The walls around a script.
///
/// Contained scripts have base, coroutine, table, string, math, utf8, the clock of `os`, `print`
/// and a `require` of their own; no files, programs, environment, debug library, C loaders,
/// bytecode or finalizers.
public enum LuaSandbox {
    /// Which of Lua's libraries a script has.
    public enum Libraries: Sendable {
        /// Those that can't reach outside.
        case contained
        /// All, for scripts that are trusted like programs.
        case everything
    }

    static func printing(to output: @escaping ([UInt8]) -> Bool) -> LuaBody {
        LuaBody { stack in
            guard output(stack.bytes(at: 1) ?? []) else {
                stack.state.stopper.stop(.outputFailed)
                return .raise("standard output can't be written")
            }
            return .results(0)
        }
    }

    /// The files in which a module may be, in the order of `folders`.
    ///
    /// `a.b` is `a/b.lua` or `a/b/init.lua`; names that could lead out of a folder give none.
    public static func candidates(for module: String, in folders: [String]) -> [String] {
        let parts = module.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        }
        guard isPlain else { return [] }
        let path = parts.joined(separator: "/")
        return folders.flatMap { ["\($0)/\(path).lua", "\($0)/\(path)/init.lua"] }
    }
}

extension LuaState {
    /// Gives a contained script `require` and `package.loaded`.
    ///
    /// - Parameters:
    ///   - folders: where modules are looked for, in order.
    ///   - read: the text of a file, nil where there is none.
    public func enableRequire(
        folders: [String], read: @escaping (String) throws(MediaError) -> [UInt8]?
    ) throws(LuaError) {
        setGlobal(
            "package",
            body: LuaBody { stack in
                let module = stack.string(at: 1) ?? ""
                let files = LuaSandbox.candidates(for: module, in: folders)
                do throws(MediaError) {
                    for file in files {
                        guard let text = try read(file) else { continue }
                        stack.push(bytes: text)
                        stack.push(file)
                        return .results(2)
                    }
                } catch {
                    stack.pushNil()
                    stack.push(error.message)
                    return .results(2)
                }
                stack.pushNil()
                stack.push(
                    "module '\(module.printable)' not found"
                        + files.map { "\n\tno file '\($0)'" }.joined())
                return .results(2)
            })
        try run(Array(LuaState.requireText.utf8), name: "=require") { _, _ in }
    }

    /// Takes the finder out of the global `package` and puts the table there.
    private static let requireText = """
        local find, load, error, type, setmetatable = package, load, error, type, setmetatable
        local loading = {}
        local loaded = { _G = _G, coroutine = coroutine, math = math, os = os, string = string,
          table = table, utf8 = utf8 }
        local preload = {}
        package = { loaded = loaded, preload = preload }
        function require(name)
          if type(name) ~= "string" then
            error("bad argument #1 to 'require' (string expected, got " .. type(name) .. ")", 2)
          end
          if loaded[name] ~= nil then return loaded[name] end
          if loading[name] then error("module '" .. name .. "' requires itself", 2) end
          local loader, path = preload[name], ":preload:"
          if loader == nil then
            local text, message
            text, path = find(name)
            if not text then error(path, 2) end
            loader, message = load(text, "@" .. path, "t")
            if not loader then error(message, 0) end
          end
          loading[name] = true
          local done <close> = setmetatable({}, { __close = function() loading[name] = nil end })
          local value <const> = loader(name, path)
          if value ~= nil then loaded[name] = value end
          if loaded[name] == nil then loaded[name] = true end
          return loaded[name], path
        end
        """
}
