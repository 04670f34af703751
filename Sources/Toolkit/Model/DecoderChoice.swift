// Which decoder takes a stream, and why that one.

public import MediaCore

/// How a decoder is to work.
public struct DecoderRequest: Sendable {
    /// How many threads it may use; 0 for as many as the machine has.
    public var threads: Int
    /// Whether it is to give pictures too that lack what they refer to, until the next flush; a
    /// decoder that can't tell them apart may ignore it.
    public var showsIncomplete = false
    /// Its own options, checked; `PluginRegistry.makeDecoder` fills in what is set for the plugin.
    public var options = Options()

    /// Asks for a decoder.
    public init(threads: Int = 0) { self.threads = threads }
}

/// The decoder that was taken for a stream.
public struct DecoderChoice: Hashable, Sendable {
    /// The name of the decoder plugin.
    public var name: String
    /// The version of the code behind it.
    public var version: String
    /// The file it was loaded from; nil for what is built in.
    public var file: String?
    /// The kind of device it decodes on: `vaapi`, `vulkan`, …; nil for the processor.
    public var device: String?
    /// Why it was taken, in words for people.
    public var reason: String

    /// Gathers the facts of a plugin that decodes on the processor.
    public init(_ plugin: any DecoderPlugin, reason: String) {
        name = plugin.info.name
        version = plugin.info.version
        file = plugin.origin?.path
        self.reason = reason
    }

    /// The choice for programs.
    public var json: JSON {
        .object([
            .init("name", .string(name)), .init("version", .string(version)),
            .init("file", file.map { .string($0) } ?? .null),
            .init("device", device.map { .string($0) } ?? .null),
            .init("reason", .string(reason)),
        ])
    }
}

extension DecoderChoice: CustomStringConvertible {
    /// `vvc 0.1.0 (/…/libmediakit-vvc.so), in software: the only decoder for it`.
    public var description: String {
        let place = file.map { " (\($0.printable))" } ?? ""
        return
            "\(name) \(version)\(place), \(device.map { "on \($0)" } ?? "in software"): \(reason)"
    }
}
