// What the parts of a loaded plugin have in common: names, options, and how instances are made.

internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

/// The checked facts of one part of a plugin file: a decoder, a demuxer or a filter.
struct LoadedPart: Sendable {
    let library: PluginLibrary
    let info: PluginInfo
    let options: [OptionSpec]

    /// Checks what a table says of itself.
    ///
    /// - Parameters:
    ///   - kind: what it is, for messages: `decoder`.
    ///   - isComplete: whether it has all functions that it must have.
    /// - Throws: `plugin-unusable`, naming the file and the part.
    init(
        _ kind: String, name: UnsafePointer<CChar>?, summary: UnsafePointer<CChar>?, rank: Int32,
        options: UnsafePointer<UnsafePointer<mk_option>?>?, count: Int, isComplete: Bool,
        _ library: PluginLibrary
    ) throws(MediaError) {
        let path = library.origin.path
        guard let text = String(plugin: name), isPluginName(text) else {
            let shown = String(plugin: name)?.printable ?? ""
            throw unusable(
                path,
                "a \(kind) is named '\(shown)'; names are of small letters, "
                    + "digits, '-' and '_'")
        }
        info = PluginInfo(
            name: text, summary: String(plugin: summary) ?? "", version: library.origin.version,
            rank: Int(rank))
        guard isComplete else { throw unusable(path, "\(kind) '\(text)' lacks functions") }
        self.options = try readOptions(
            options, count: count, owner: "\(kind) '\(text)'", path: path)
        self.library = library
    }

    /// Makes an instance, of a plugin that is initialised.
    ///
    /// - Parameters:
    ///   - action: what is tried, for messages.
    ///   - damage: what stands for `MK_INVALID_DATA`.
    ///   - create: the plugin's function; leaves the instance in its argument.
    func make(
        _ action: String, else code: MediaError.Code, damage: MediaError.Code,
        _ create: (inout UnsafeMutableRawPointer?) -> Int32
    ) throws(MediaError) -> UnsafeMutableRawPointer {
        var made: UnsafeMutableRawPointer?
        var result = Int32(MK_OK)
        do throws(MediaError) {
            try PluginHost.require(action, else: code) {
                result = create(&made)
                return result
            }
        } catch {
            throw result == Int32(MK_INVALID_DATA) ? MediaError(damage, error.message) : error
        }
        guard let made else {
            throw PluginHost.failure(Int32(MK_FAILED), action, else: code)
        }
        return made
    }
}
