// Chains against the filters there really are: ours by their options, libavfilter's by its parser.

internal import MediaCore
internal import MediaModel
internal import Plugins

let filtersTarget = FuzzTarget(name: "filters") { bytes in
    guard let registry = FiltersTarget.registry else { preconditionFailure("no registry") }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let chain = try? FilterChain(parsing: text, registry: registry) else { return }
    for filter in chain.filters {
        do {
            try registry.check(filter)
        } catch {
            preconditionFailure("\(filter) was read, and is refused: \(error)")
        }
    }
}

private enum FiltersTarget {
    static let registry = try? BuiltinPlugins.makeRegistry()
}
