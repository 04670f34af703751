// Options of loaded plugins as the toolkit's own, with every mistake in them told.

internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

/// Reads what a part of a plugin declares and refuses what makes no sense.
///
/// - Parameters:
///   - owner: whose they are, for messages.
///   - path: the plugin's file, for messages.
func readOptions(
    _ list: UnsafePointer<UnsafePointer<mk_option>?>?, count: Int, owner: String, path: String
) throws(MediaError) -> [OptionSpec] {
    guard count > 0 else { return [] }
    guard count <= 1000 else { throw unusable(path, "\(owner) tells of \(count) options") }
    guard let list else {
        throw unusable(path, "\(owner) tells of \(count) options and has no list of them")
    }
    var specs: [OptionSpec] = []
    for index in 0..<count {
        guard let pointer = list[index] else {
            throw unusable(path, "\(owner): option \(index) is missing")
        }
        let raw = readStruct(pointer, zero: mk_option())
        guard let name = String(plugin: raw.name), isPluginName(name),
            !specs.contains(where: { $0.name == name })
        else { throw unusable(path, "\(owner): option \(index) has no name of its own") }
        do throws(MediaError) {
            specs.append(try readOption(raw, name: name))
        } catch {
            throw unusable(path, "\(owner): \(error.message)")
        }
    }
    return specs
}

private func readOption(_ raw: mk_option, name: String) throws(MediaError) -> OptionSpec {
    let isUnset = raw.flags & UInt32(MK_OPTION_UNSET) != 0
    let text = String(plugin: raw.default_text) ?? ""
    let kind: OptionSpec.Kind
    let value: OptionValue
    switch raw.kind {
    case Int32(MK_BOOL):
        kind = .bool
        value = .bool(raw.default_number != 0)
    case Int32(MK_INT):
        let limit = 9_007_199_254_740_992.0
        guard raw.minimum <= raw.maximum, abs(raw.minimum) <= limit, abs(raw.maximum) <= limit,
            let least = Int(exactly: raw.minimum), let most = Int(exactly: raw.maximum),
            let number = Int(exactly: raw.default_number)
        else {
            throw MediaError(.badArgument, "option '\(name)': its range is not of whole numbers")
        }
        kind = .int(least...most)
        value = .int(number)
    case Int32(MK_DOUBLE):
        guard raw.minimum.isFinite, raw.maximum.isFinite, raw.minimum <= raw.maximum else {
            throw MediaError(.badArgument, "option '\(name)': its range is upside down or endless")
        }
        kind = .double(raw.minimum...raw.maximum)
        value = .double(raw.default_number)
    case Int32(MK_CHOICE):
        var words: [String] = []
        while let choices = raw.choices, words.count < 1000,
            let word = String(plugin: choices[words.count])
        {
            words.append(word)
        }
        guard !words.isEmpty else {
            throw MediaError(.badArgument, "option '\(name)': there is nothing to choose from")
        }
        kind = .choice(words)
        value = .string(text)
    case Int32(MK_TEXT):
        kind = .string
        value = .string(text)
    default:
        throw MediaError(.badArgument, "option '\(name)': \(raw.kind) is no kind of option")
    }
    let spec = OptionSpec(
        name, kind, default: isUnset ? nil : value, unit: String(plugin: raw.unit) ?? "",
        live: raw.flags & UInt32(MK_OPTION_LIVE) != 0,
        String(plugin: raw.summary) ?? "")
    if !isUnset {
        do throws(MediaError) {
            _ = try spec.check(value)
        } catch {
            throw MediaError(
                .badArgument, "option '\(name)': its default \(value) is not \(spec.domain)")
        }
    }
    return spec
}

extension Options {
    /// Every value that is set, defaults included, in the order of the declaration.
    func all(_ specs: [OptionSpec]) -> [(spec: OptionSpec, value: OptionValue)] {
        specs.compactMap { spec in self[spec.name].map { (spec, $0) } }
    }
}
