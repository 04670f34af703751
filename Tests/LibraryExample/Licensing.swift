// The Swift lines of docs/licence.md, built as a program outside of this package would be.

import Toolkit

func makeLicensedPlayer(_ issuersKey: String, licence path: String) throws -> Player {
    let gate = LicenceGate(key: try LicenceKey(issuersKey))
    gate.enforce(path)  // read at the first question
    let registry = try BuiltinPlugins.makeRegistry(gate: gate)
    try registry.onPremium { verdict in  // on the thread that uses the feature
        print(verdict.feature, verdict.isValid, verdict.reason)
    }
    let player = try Player(registry: registry)
    return player
}
