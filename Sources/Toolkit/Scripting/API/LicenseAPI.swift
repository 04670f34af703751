// Licences: hearing of premium features, naming a licence, how it stands.

internal import Licence
internal import LuaRuntime
internal import MediaCore
internal import MediaModel

extension ScriptAPI {
    static let license = LuaModule<ScriptContext>(
        "mk.license", "What premium features a license grants; everything unless one is asked for.",
        [
            LuaFunction(
                "on_verify",
                "Calls a function when a player, batch or measurement first uses a premium feature.",
                Param<LuaCallback>(
                    "fn",
                    "The function; must be set before the first player, batch or measurement.",
                    type:
                        "fun(feature: mk.PremiumFeature, valid: boolean, message: string, number: integer)"
                ),
                returns: [],
                example: """
                    mk.license.on_verify(function(feature, valid, message)
                      print(feature, valid, message)
                    end)
                    local player = mk.player{ clock = "free", filters = "audioEnhance" }
                    player:open("synth:sine=duration=1")
                    player:play()
                    player:wait(10)
                    """
            ) { (context, callback) throws(MediaError) in
                let mailbox = context.mailbox
                do throws(MediaError) {
                    try context.setting.registry.onPremium { mailbox.post(.premium($0)) }
                } catch {
                    // Called at the wrong place: the script itself is wrong, so this raises.
                    throw MediaError(.scriptFailed, "on_verify: \(error.message)")
                }
                context.premiumCallback = callback
                return LuaNothing()
            },
            LuaFunction(
                "load", "Reads a license; from now on one is asked for, whether it holds or not.",
                Param<String>("path", "The license file."),
                Param<String?>(
                    "key",
                    "The issuer's public key as PEM or Base64, or a PEM file; the program's own when "
                        + "not given."),
                returns: LuaDone.described, fails: [.notLicensed, .invalidState],
                example: """
                    local ok, message, code = mk.license.load("license.json")
                    if not ok then print(code, message) end
                    """
            ) { (context, path, key) throws(MediaError) in
                let setting = context.setting
                try setting.permissions.read(path)
                if let key, (try? LicenceKey(key)) == nil { try setting.permissions.read(key) }
                try gate(setting).load(path, key: key)
                return LuaDone()
            },
            LuaFunction(
                "status", "Tells how the license stands at this moment.",
                returns: [LuaParameter("status", type: "mk.LicenseStatus", "How it stands.")],
                example: """
                    local status = mk.license.status()
                    assert(status.valid and not status.enforced)
                    for _, feature in ipairs(status.features) do
                      print(feature.number, feature.name, feature.valid, feature.message)
                    end
                    """
            ) { context in
                LicenseFacts(context.setting.registry.gate)
            },
        ])

    private static func gate(_ setting: ScriptSetting) throws(MediaError) -> LicenceGate {
        if let gate = setting.registry.gate as? LicenceGate { return gate }
        throw MediaError(.invalidState, "this program asks for no licenses")
    }

    static let licenseRecords: [LuaRecordDescription] = [
        LicenseFacts.luaDescription, FeatureFacts.luaDescription,
    ]
}

extension ScriptContext {
    /// Tells the script what was decided on a premium feature.
    func tell(_ verdict: PremiumVerdict) {
        guard let callback = premiumCallback else { return }
        invoke(callback) { stack in
            verdict.feature.name.push(to: stack)
            verdict.isValid.push(to: stack)
            verdict.message.push(to: stack)
            verdict.feature.rawValue.push(to: stack)
            return 4
        }
    }
}

/// What `mk.license.status` gives.
struct LicenseFacts: LuaFacts {
    let isEnforced: Bool
    let isValid: Bool
    let reason: String
    let message: String
    let path: String?
    let id: String?
    let customer: String?
    let issued: String?
    let notBefore: String?
    let expires: String?
    let features: [FeatureFacts]

    init(_ gate: any PremiumGate) {
        let status = (gate as? LicenceGate)?.status
        isEnforced = status?.isEnforced ?? false
        isValid = status?.isValid ?? true
        reason = status?.reason ?? "open"
        message = status?.message ?? "no license is asked for in this program"
        path = status?.path
        id = status?.licence?.id
        customer = status?.licence?.customer
        issued = status?.licence?.issued.description
        notBefore = status?.licence?.notBefore?.description
        expires = status?.licence?.expires?.description
        features = PremiumFeature.allCases.map { FeatureFacts(gate.verdict(on: $0)) }
    }

    static let luaName = "mk.LicenseStatus"
    static let luaSummary = "How the license stands."
    static let luaFields: [LuaFact<LicenseFacts>] = [
        LuaFact("enforced", \.isEnforced, "Whether a license is asked for; else all is granted."),
        LuaFact("valid", \.isValid, "Whether it holds; true where none is asked for."),
        LuaFact("reason", \.reason, "`open`, `licensed`, or why not: `expired`, `tampered`, …."),
        LuaFact("message", \.message, "The same for people, with what to do."),
        LuaFact("path", \.path, "The license file."),
        LuaFact("id", \.id, "The issuer's number of the license."),
        LuaFact("customer", \.customer, "Whom it is for."),
        LuaFact("issued", \.issued, "When it was made, in UTC: `2026-11-30T12:00:00Z`."),
        LuaFact("not_before", \.notBefore, "From when on it holds."),
        LuaFact("expires", \.expires, "Until when it holds."),
        LuaFact("features", \.features, "Every premium feature there is, and how it stands."),
    ]
}

/// How one premium feature stands.
struct FeatureFacts: LuaFacts {
    let name: String
    let number: Int
    let isValid: Bool
    let reason: String
    let message: String
    let summary: String

    init(_ verdict: PremiumVerdict) {
        name = verdict.feature.name
        number = verdict.feature.rawValue
        isValid = verdict.isValid
        reason = verdict.reason
        message = verdict.message
        summary = verdict.feature.summary
    }

    static let luaName = "mk.LicenseFeature"
    static let luaSummary = "A premium feature."
    static let luaFields: [LuaFact<FeatureFacts>] = [
        LuaFact("name", \.name, "Its name."),
        LuaFact("number", \.number, "Its number."),
        LuaFact("valid", \.isValid, "Whether it may be used."),
        LuaFact("reason", \.reason, "`open`, `licensed`, or why not."),
        LuaFact("message", \.message, "The same for people."),
        LuaFact("summary", \.summary, "What it is."),
    ]
}
