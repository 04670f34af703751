// FFmpeg's list of names and values, freed at the end of its scope.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// An `AVDictionary` that one scope owns.
struct AVDictionaryHandle: ~Copyable {
    private(set) var pointer: OpaquePointer?

    init() {}

    init(_ values: [String: String]) {
        for (name, value) in values { set(name, value) }
    }

    deinit {
        var pointer = pointer
        av_dict_free(&pointer)
    }

    mutating func set(_ name: String, _ value: String) {
        av_dict_set(&pointer, name, value, 0)
    }

    /// Lends the dictionary to a call that takes out what it understands.
    mutating func lend<Result>(_ body: (inout OpaquePointer?) -> Result) -> Result {
        body(&pointer)
    }

    /// The names that are left.
    var names: [String] { AVDictionaryHandle.entries(of: pointer).map(\.name) }

    /// The entries of any dictionary, in order.
    static func entries(of dictionary: OpaquePointer?) -> [MetadataEntry] {
        var entries: [MetadataEntry] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while true {
            entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)
            guard let found = entry else { return entries }
            let name = String(osCString: found.pointee.key)
            let value = String(osCString: found.pointee.value)
            entries.append(MetadataEntry(name, value))
        }
    }

    /// Adds entries to a dictionary of FFmpeg's; names that are there already are added again.
    static func add(_ entries: [MetadataEntry], to dictionary: inout OpaquePointer?) {
        for entry in entries {
            entry.name.withOSPath { name in
                _ = entry.value.withOSPath { value in
                    av_dict_set(&dictionary, name, value, AV_DICT_MULTIKEY)
                }
            }
        }
    }
}
