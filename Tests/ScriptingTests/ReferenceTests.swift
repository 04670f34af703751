// The API's table: sentences, types, printed files, and every example run.

import LuaRuntime
import MediaCore
import Playback
import TestSupport
import Testing

@testable import Scripting

@Suite("Lua API: table, stub, reference (issue: 5, 'cover every function')")
struct ReferenceTests {
    private static let functions =
        ScriptAPI.table.modules.flatMap { module in
            module.functions.map { (name: "\(module.name).\($0.name)", function: $0) }
        }
        + ScriptAPI.table.classes.flatMap { type in
            type.methods.map { (name: "\(type.name):\($0.name)", function: $0) }
        }

    private static func isSentence(_ text: String) -> Bool {
        text.count > 3 && (text.hasSuffix(".") || text.hasSuffix(")"))
            && text.first.map { $0.isUppercase || $0 == "`" || $0.isNumber || $0 == "−" } == true
    }

    @Test("every function, parameter, result, field and word list has a sentence")
    func sentences() {
        for (name, function) in Self.functions {
            #expect(Self.isSentence(function.summary), "\(name)")
            for part in function.parameters + function.results {
                #expect(Self.isSentence(part.summary), "\(name) \(part.name)")
            }
        }
        for record in ScriptAPI.table.records {
            #expect(Self.isSentence(record.summary), "\(record.name)")
            for field in record.fields {
                #expect(Self.isSentence(field.summary), "\(record.name).\(field.name)")
            }
        }
        for words in ScriptAPI.table.enums { #expect(Self.isSentence(words.summary)) }
    }

    @Test("every type that is named is declared")
    func types() {
        let table = ScriptAPI.table
        var declared = Set(table.records.map(\.name))
        declared.formUnion(table.enums.map(\.name))
        declared.formUnion(table.classes.map(\.name))
        var used: [String] = []
        for (_, function) in Self.functions {
            used += (function.parameters + function.results).map(\.type)
        }
        for record in table.records { used += record.fields.map(\.type) }
        for type in table.classes { used += type.properties.map(\.type) }
        for type in used {
            let names = type.split { !($0.isLetter || $0 == "." || $0.isNumber) }
                .filter { $0.hasPrefix("mk.") }
            for name in names { #expect(declared.contains(String(name)), "\(name)") }
        }
    }

    @Test("every field of every event has a type")
    func eventFields() {
        let known = Set(ScriptAPI.eventFields.map(\.name))
        for event in PlayerEvent.table {
            for field in event.fields { #expect(known.contains(field), "\(event.name).\(field)") }
        }
    }

    @Test("stub and reference name every function")
    func printed() {
        let stub = ScriptAPI.stub
        let reference = ScriptAPI.reference
        for module in ScriptAPI.table.modules {
            for function in module.functions {
                #expect(stub.contains("function \(module.name).\(function.name)("))
                #expect(reference.contains("### \(module.name).\(function.name)\n"))
            }
        }
        for event in PlayerEvent.table { #expect(reference.contains("| `\(event.name)` |")) }
    }

    @Test("the example of every function runs", arguments: functions.map(\.name))
    func example(_ name: String) throws {
        let entry = try #require(Self.functions.first { $0.name == name })
        let bench = try ScriptBench()
        let outcome = bench.run(entry.function.example, name: "example.lua", patience: 30)
        #expect(outcome.reported == "", "\(name)")
        #expect(outcome.status == 0, "\(name)")
        #expect(outcome.seconds < Sanitizer.patience(60))
    }
}
