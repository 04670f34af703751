// Cover pictures as files and as comments.

internal import CFFmpeg
internal import MediaModel

/// What kind of file a cover is.
struct CoverKind {
    let ending: String
    let mime: String

    static let png = CoverKind(ending: "png", mime: "image/png")

    private init(ending: String, mime: String) {
        self.ending = ending
        self.mime = mime
    }

    /// By the codec of the picture; nil for one that no cover has.
    init?(_ codec: AVCodecID) {
        switch codec {
        case AV_CODEC_ID_PNG: self = .png
        case AV_CODEC_ID_MJPEG: self.init(ending: "jpg", mime: "image/jpeg")
        case AV_CODEC_ID_BMP: self.init(ending: "bmp", mime: "image/bmp")
        case AV_CODEC_ID_GIF: self.init(ending: "gif", mime: "image/gif")
        case AV_CODEC_ID_TIFF: self.init(ending: "tiff", mime: "image/tiff")
        case AV_CODEC_ID_WEBP: self.init(ending: "webp", mime: "image/webp")
        default: return nil
        }
    }
}

extension StreamInfo {
    /// A cover as a comment of an Ogg stream; nil where its bytes are not known.
    ///
    /// - Source: RFC 9639, section 8.8 (the picture block), in Base64 as Ogg's players agree.
    var coverComment: MetadataEntry? {
        guard let bytes = coverBytes,
            let kind = CoverKind(parameters.avParameters.pointee.codec_id)
        else { return nil }
        let format = parameters.videoFormat
        let title = metadata.first { $0.name.lowercased() == "title" }?.value ?? ""
        let frontCover: UInt32 = 3
        var block: [UInt8] = []
        func add(_ number: UInt32) {
            block += stride(from: 24, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: number >> $0)
            }
        }
        func add(_ data: [UInt8]) {
            add(UInt32(clamping: data.count))
            block += data
        }
        add(frontCover)
        add(Array(kind.mime.utf8))
        add(Array(title.utf8))
        for number in [format?.width ?? 0, format?.height ?? 0, 0, 0] {
            add(UInt32(clamping: number))
        }
        add(bytes)
        var text = [CChar](repeating: 0, count: (block.count + 2) / 3 * 4 + 1)
        guard av_base64_encode(&text, Int32(text.count), block, Int32(block.count)) != nil else {
            return nil
        }
        let characters = text.dropLast().map { UInt8(bitPattern: $0) }
        return MetadataEntry("METADATA_BLOCK_PICTURE", String(decoding: characters, as: UTF8.self))
    }
}
