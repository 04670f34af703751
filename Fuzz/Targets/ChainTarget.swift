// The chain language: a chain that was read reads the same again after it was printed.

internal import MediaCore
internal import MediaModel

let chainTarget = FuzzTarget(name: "chain") { bytes in
    guard let registry = Stub.registry else { preconditionFailure("no registry") }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let chain = try? FilterChain(parsing: text, registry: registry) else { return }
    let again = try? FilterChain(parsing: chain.description, registry: registry)
    precondition(
        again?.description == chain.description,
        "\(chain.description) became \(again?.description ?? "an error")")
}

// Filters that exist only by their options; nothing is ever made of them.
private enum Stub {
    static let registry = try? PluginRegistry([Named(), Raw()])

    static let refused = MediaError(.invalidState, "the fuzzer opens nothing")

    struct Named: FilterPlugin {
        let info = PluginInfo(name: "stub", summary: "Options of every kind.")
        let options = OptionsTarget.specs
        func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
            throw Stub.refused
        }
    }

    struct Raw: RawFilterPlugin {
        let info = PluginInfo(name: "raw", summary: "Takes what begins with a name.")
        let catalogue: [PluginInfo] = []
        func check(_ text: String) throws(MediaError) {
            let name = text.prefix { $0 != "=" && $0 != "[" }
            guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_") })
            else { throw Stub.refused }
        }
        func describe(_ name: String) -> [OptionSpec]? { nil }
        func makeConverter() -> sending any AudioFilter { preconditionFailure("not asked for") }
        func makeFilter(_ text: String) throws(MediaError) -> sending any AudioFilter {
            throw Stub.refused
        }
        func makeVideoConverter(pixelFormats: [String]) -> sending any VideoConverter {
            preconditionFailure("not asked for")
        }
    }
}
