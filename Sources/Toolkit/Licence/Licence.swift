// What a licence grants, to whom, where and when.

public import MediaCore
public import MediaModel

/// The contents of a licence.
public struct Licence: Hashable, Sendable {
    /// The issuer's number of it.
    public var id: String
    /// Whom it is for.
    public var customer: String
    /// The names of the features it grants; those of newer versions too.
    public var features: [String]
    /// When it was made.
    public var issued: UTCTime
    /// From when on it holds; nil for always.
    public var notBefore: UTCTime?
    /// Until when it holds; nil for ever.
    public var expires: UTCTime?
    /// The machines it is bound to, by their ids; empty for any.
    public var machines: [String]
    /// The domains it is bound to, with what lies below them; empty for any.
    public var domains: [String]

    /// Gathers the contents.
    public init(
        id: String, customer: String, features: [String], issued: UTCTime,
        notBefore: UTCTime? = nil, expires: UTCTime? = nil, machines: [String] = [],
        domains: [String] = []
    ) {
        self.id = id
        self.customer = customer
        self.features = features
        self.issued = issued
        self.notBefore = notBefore
        self.expires = expires
        self.machines = machines
        self.domains = domains
    }

    /// Whether it names a feature.
    public func grants(_ feature: PremiumFeature) -> Bool { features.contains(feature.name) }

    /// Its title in messages.
    var title: String { "the license of \(customer.printable) (\(id.printable))" }

    // MARK: - JSON

    /// The contents as JSON: what is signed, and what is shown.
    public var json: JSON {
        func list(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
        var members: [JSON.Member] = [
            .init("id", .string(id)), .init("customer", .string(customer)),
            .init("features", list(features)), .init("issued", .string(issued.description)),
        ]
        if let notBefore { members.append(.init("not_before", .string(notBefore.description))) }
        if let expires { members.append(.init("expires", .string(expires.description))) }
        if !machines.isEmpty { members.append(.init("machines", list(machines))) }
        if !domains.isEmpty { members.append(.init("domains", list(domains))) }
        return .object(members)
    }

    private static let members: Set<String> = [
        "id", "customer", "features", "issued", "not_before", "expires", "machines", "domains",
    ]

    /// Reads contents; every member must be known, because a newer one may restrict what is
    /// granted.
    public static func read(_ json: JSON) -> Result<Licence, LicenceRefusal> {
        guard case .object(let members) = json else {
            return .failure(LicenceRefusal(.malformed, "the payload is no JSON object"))
        }
        if let strange = members.first(where: { !Licence.members.contains($0.name) }) {
            return .failure(
                LicenceRefusal(
                    .unsupportedVersion,
                    "the payload has the member '\(strange.name.printable)', which this version "
                        + "does not know"))
        }
        var problem: String?
        func text(_ name: String) -> String {
            if let text = json[name]?.text, !text.isEmpty { return text }
            problem = problem ?? "'\(name)' is no text"
            return ""
        }
        func texts(_ name: String, isRequired: Bool) -> [String] {
            guard let value = json[name] else {
                if isRequired { problem = problem ?? "'\(name)' is missing" }
                return []
            }
            let texts = value.elements?.compactMap(\.text)
            if let texts, texts.count == value.elements?.count, isRequired || !texts.isEmpty {
                return texts
            }
            problem = problem ?? "'\(name)' is no list of texts"
            return []
        }
        func time(_ name: String) -> UTCTime? {
            guard let value = json[name] else { return nil }
            if let time = value.text.flatMap({ UTCTime($0) }) { return time }
            problem = problem ?? "'\(name)' is no time like 2026-11-30T12:00:00Z"
            return nil
        }
        let issued = time("issued")
        if issued == nil { problem = problem ?? "'issued' is missing" }
        let licence = Licence(
            id: text("id"), customer: text("customer"),
            features: texts("features", isRequired: true), issued: issued ?? UTCTime(seconds: 0),
            notBefore: time("not_before"), expires: time("expires"),
            machines: texts("machines", isRequired: false),
            domains: texts("domains", isRequired: false))
        if let problem { return .failure(LicenceRefusal(.malformed, "payload: \(problem)")) }
        return .success(licence)
    }
}
