// What can be read and observed of a player, as one table.

public import MediaCore
internal import MediaModel

/// One observable fact of a player.
public struct PlayerProperty: Sendable {
    /// The name, as scripts know it.
    public let name: String
    /// The type of its value, in LuaCATS words.
    public let type: String
    /// One sentence for people.
    public let summary: String
    /// The value at one moment; null where there is none.
    public let read: @Sendable (PlayerSnapshot) -> JSON

    /// All properties.
    public static let table: [PlayerProperty] = [
        PlayerProperty(
            name: "state", type: "string", summary: "What the engine is doing.",
            read: { .string($0.state.name) }),
        PlayerProperty(
            name: "status", type: "string", summary: "The public status.",
            read: { .string($0.status.rawValue) }),
        PlayerProperty(
            name: "position", type: "number", summary: "Where playback is, in seconds.",
            read: { .double($0.position.seconds) }),
        PlayerProperty(
            name: "duration", type: "number?",
            summary: "How long the medium lasts, in seconds.",
            read: { $0.duration.map { .double($0.seconds) } ?? .null }),
        PlayerProperty(
            name: "paused", type: "boolean", summary: "Whether playback is not wanted now.",
            read: { .bool(!$0.intent.wantsToPlay) }),
        PlayerProperty(
            name: "tracks", type: "table[]",
            summary:
                "The streams that can be chosen: index, kind, codec, decoder, language, selected.",
            read: { tracks($0) }),
        PlayerProperty(
            name: "frames", type: "table<mk.MediaKind, integer>",
            summary: "How many decoded frames have gone out, by kind.",
            read: { snapshot in
                .object(
                    [MediaKind.video, .audio].compactMap { kind in
                        snapshot.frames[kind].map { .init(kind.rawValue, .int(Int64($0))) }
                    })
            }),
        PlayerProperty(
            name: "filters", type: "table[]",
            summary: "The filters that sound passes: label, text, enabled.",
            read: { filters($0.filters) }),
        PlayerProperty(
            name: "info", type: "table?", summary: "What is known of the medium.",
            read: { $0.info.map(facts) ?? .null }),
    ]

    /// The property with this name; `bad-argument` with the nearest where there is none.
    public static func named(_ name: String) throws(MediaError) -> PlayerProperty {
        if let property = table.first(where: { $0.name == name }) { return property }
        let hint = Suggestion.sentence(for: name, among: table.map(\.name))
        throw MediaError(.badArgument, "no player property '\(name)'\(hint)")
    }

    private static func tracks(_ snapshot: PlayerSnapshot) -> JSON {
        let streams = (snapshot.info?.streams ?? []).filter { !$0.isAttachedPicture }
        return .array(
            streams.map { stream in
                let isSelected = snapshot.selected[stream.kind] == stream.index
                let decoder = isSelected ? stream.decoder?.json : nil
                return .object([
                    .init("index", .int(Int64(stream.index))),
                    .init("kind", .string(stream.kind.rawValue)),
                    .init("codec", .string(stream.parameters.codecName)),
                    .init("decoder", decoder ?? .null),
                    .init("language", stream.language.map(JSON.string) ?? .null),
                    .init("selected", .bool(isSelected)),
                ])
            })
    }

    private static func filters(_ chain: FilterChain) -> JSON {
        .array(
            chain.filters.map { filter in
                .object([
                    .init("label", .string(filter.title)),
                    .init("text", .string(filter.description)),
                    .init("enabled", .bool(filter.isEnabled)),
                ])
            })
    }

    /// A medium's facts in short, as scripts see them.
    static func facts(_ info: MediaInfo) -> JSON {
        .object([
            .init("url", .string(info.url)),
            .init("container", .string(info.containerName)),
            .init("duration", info.duration.map { .double($0.seconds) } ?? .null),
            .init("seekable", .bool(info.isSeekable)),
            .init("bit_rate", info.bitRate.map { .int(Int64($0)) } ?? .null),
            .init("size", info.size.map { .int($0) } ?? .null),
            .init(
                "metadata",
                .object(info.metadata.map { .init($0.name, .string($0.value)) })),
            .init(
                "streams",
                .array(
                    info.streams.map { stream in
                        .object([
                            .init("index", .int(Int64(stream.index))),
                            .init("kind", .string(stream.kind.rawValue)),
                            .init("codec", .string(stream.parameters.codecName)),
                            .init("decoder", stream.decoder?.json ?? .null),
                            .init(
                                "format",
                                stream.parameters.audioFormat.map { .string($0.description) }
                                    ?? stream.parameters.videoFormat.map {
                                        .string($0.description)
                                    } ?? .null),
                        ])
                    })),
        ])
    }
}
