// Memory in C's shape: reading a plugin's structs, and lending it texts, lists and values.

internal import Glibc
internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

/// Reads a struct that may be shorter or longer than the one this program knows: what it lacks
/// stays as in `zero`.
///
/// A size that ends within a member, which no compiler tells, ends before it.
func readStruct<Value>(_ pointer: UnsafePointer<Value>, zero: Value) -> Value {
    var value = zero
    let raw = UnsafeRawPointer(pointer)
    // Members are at most as long as the struct is aligned.
    let alignment = MemoryLayout<Value>.alignment
    let size = Int(raw.loadUnaligned(as: UInt32.self)) / alignment * alignment
    withUnsafeMutableBytes(of: &value) { bytes in
        bytes.copyMemory(
            from: UnsafeRawBufferPointer(start: raw, count: min(size, bytes.count)))
    }
    return value
}

/// The size of a struct as its first member tells it.
func structSize<Value>(_ type: Value.Type) -> UInt32 { UInt32(MemoryLayout<Value>.size) }

/// Texts and lists that are lent to a plugin; they are freed with the last reference.
///
/// Threading: confined.
final class PluginMemory {
    private var blocks: [UnsafeMutableRawPointer] = []

    deinit { blocks.forEach { free($0) } }

    /// A copy of a text.
    func text(_ text: String) -> UnsafePointer<CChar> {
        UnsafePointer(list(text.osBytes.map { CChar(bitPattern: $0) } + [0]))
    }

    /// A copy of some text, nil for nil.
    func text(_ text: String?) -> UnsafePointer<CChar>? {
        guard let text else { return nil }
        return UnsafePointer(list(text.osBytes.map { CChar(bitPattern: $0) } + [0]))
    }

    /// A copy of a list; zero bytes may be asked for behind it.
    func list<Element>(_ elements: [Element], padding: Int = 0) -> UnsafeMutablePointer<Element> {
        let count = elements.count * MemoryLayout<Element>.stride
        guard let block = calloc(1, max(1, count + padding)) else { fatalError("out of memory") }
        blocks.append(block)
        let typed = block.bindMemory(to: Element.self, capacity: max(1, elements.count))
        elements.withUnsafeBufferPointer { source in
            if let start = source.baseAddress {
                typed.initialize(from: start, count: elements.count)
            }
        }
        return typed
    }

    /// Checked values in the plugin's form.
    func values(_ values: [(spec: OptionSpec, value: OptionValue)]) -> UnsafePointer<mk_value> {
        UnsafePointer(
            list(
                values.map { spec, value in
                    var made = mk_value()
                    made.name = text(spec.name)
                    switch value {
                    case .bool(let flag):
                        made.kind = Int32(MK_BOOL)
                        made.integer = flag ? 1 : 0
                        made.number = flag ? 1 : 0
                    case .int(let number):
                        made.kind = Int32(MK_INT)
                        made.integer = Int64(number)
                        made.number = Double(number)
                    case .double(let number):
                        made.kind = Int32(MK_DOUBLE)
                        made.number = number
                    case .string(let word):
                        made.kind = Int32(spec.isChoice ? MK_CHOICE : MK_TEXT)
                        made.text = text(word)
                    }
                    return made
                }))
    }

    /// A codec's description in the plugin's form.
    func parameters(_ description: CodecDescription) -> mk_parameters {
        var made = mk_parameters()
        made.struct_size = structSize(mk_parameters.self)
        switch description.kind {
        case .video: made.kind = Int32(MK_VIDEO)
        case .audio: made.kind = Int32(MK_AUDIO)
        case .subtitle: made.kind = Int32(MK_SUBTITLE)
        case .data, .attachment: made.kind = Int32(MK_DATA)
        }
        made.codec = text(description.codecName)
        made.tag = description.tag
        made.profile = Int32(clamping: description.profile ?? -99)
        made.level = Int32(clamping: description.level ?? -99)
        if !description.extraData.isEmpty {
            made.extradata = UnsafePointer(list(description.extraData, padding: 64))
            made.extradata_size = description.extraData.count
        }
        made.bit_rate = description.bitRate
        made.width = Int32(clamping: description.width)
        made.height = Int32(clamping: description.height)
        made.aspect_num = description.sampleAspectRatio?.numerator ?? 0
        made.aspect_den = description.sampleAspectRatio?.denominator ?? 1
        made.pixel_format = text(description.pixelFormat)
        made.audio = mk_audio_format(
            sample_rate: Int32(clamping: description.sampleRate),
            channel_count: Int32(clamping: description.channelCount),
            sample_format: text(description.sampleFormat?.rawValue),
            layout: text(description.layout))
        made.bits_per_sample = Int32(clamping: description.bitsPerRawSample)
        made.frame_size = Int32(clamping: description.frameSize)
        return made
    }

    /// A stream in the plugin's form.
    func stream(_ stream: StreamInfo) -> mk_stream {
        var made = mk_stream()
        made.struct_size = structSize(mk_stream.self)
        made.flags =
            (stream.isDefault ? UInt32(MK_STREAM_DEFAULT) : 0)
            | (stream.isAttachedPicture ? UInt32(MK_STREAM_PICTURE) : 0)
        made.parameters = UnsafePointer(list([parameters(stream.parameters.codecDescription)]))
        made.tick_num = stream.timeBase.numerator
        made.tick_den = stream.timeBase.denominator
        made.start = stream.startTicks ?? noTime
        made.duration = stream.duration.map(stream.timeBase.ticks) ?? noTime
        made.rate_num = stream.frameRate?.numerator ?? 0
        made.rate_den = stream.frameRate?.denominator ?? 1
        made.metadata = UnsafePointer(
            list(
                stream.metadata.map { entry in
                    mk_metadata(name: text(entry.name), value: text(entry.value))
                }))
        made.metadata_count = stream.metadata.count
        return made
    }
}

/// `MK_NO_TIME`, which Swift does not see: "not known".
let noTime = Int64.min

/// A plugin's time; nil where it is not known.
///
/// What no medium can mean, so that sums of a few such times would overflow, is not known either.
func knownTime(_ ticks: Int64, _ timeBase: TimeBase) -> Int64? {
    ticks == noTime || timeBase.isAbsurd(ticks) ? nil : ticks
}

extension TimeBase {
    /// Times of a medium as a whole.
    static let nanoseconds = TimeBase(1, 1_000_000_000)
}

extension OptionSpec {
    fileprivate var isChoice: Bool { if case .choice = kind { true } else { false } }
}
