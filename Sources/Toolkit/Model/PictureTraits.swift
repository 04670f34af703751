// What a picture is beside its size and its pixel format.

package import CFFmpeg

/// How the numbers of a picture become colours, and how its lines come about.
package struct PictureTraits: Sendable {
    /// Whether numbers use their whole range.
    package var range: AVColorRange
    /// What red, green and blue are.
    package var primaries: AVColorPrimaries
    /// How numbers become light.
    package var transfer: AVColorTransferCharacteristic
    /// How luma and chroma become red, green and blue; unspecified where pixels are those already.
    package var matrix: AVColorSpace
    /// Where chroma samples lie between those of luma.
    package var chromaLocation: AVChromaLocation
    /// Whether lines belong to two moments, and which come first.
    package var fieldOrder: AVFieldOrder

    /// What a picture says, and else the stream it came from.
    package init(_ frame: Frame, of stream: StreamInfo) {
        let raw = frame.avFrame.pointee
        let known = stream.parameters.avParameters.pointee
        let descriptor = av_pix_fmt_desc_get(AVPixelFormat(raw.format))
        let isRGB = (descriptor?.pointee.flags ?? 0) & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        range = raw.color_range != AVCOL_RANGE_UNSPECIFIED ? raw.color_range : known.color_range
        primaries =
            raw.color_primaries != AVCOL_PRI_UNSPECIFIED
            ? raw.color_primaries : known.color_primaries
        transfer = raw.color_trc != AVCOL_TRC_UNSPECIFIED ? raw.color_trc : known.color_trc
        matrix = raw.colorspace != AVCOL_SPC_UNSPECIFIED ? raw.colorspace : known.color_space
        if isRGB {
            range = AVCOL_RANGE_UNSPECIFIED
            matrix = AVCOL_SPC_UNSPECIFIED
        }
        chromaLocation =
            raw.chroma_location != AVCHROMA_LOC_UNSPECIFIED
            ? raw.chroma_location : known.chroma_location
        if mk_frame_is_interlaced(frame.avFrame) != 0 {
            fieldOrder = mk_frame_is_top_first(frame.avFrame) != 0 ? AV_FIELD_TB : AV_FIELD_BT
        } else {
            fieldOrder = AV_FIELD_PROGRESSIVE
        }
    }
}

extension StreamInfo {
    /// Adds what its first picture says of high dynamic range and the container did not.
    package mutating func addSideData(of frame: Frame) {
        let kinds = [
            (AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
            (AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
        ]
        for (from, to) in kinds where !sideData.contains(where: { $0.type == to.rawValue }) {
            guard let found = av_frame_get_side_data(frame.avFrame, from) else { continue }
            let bytes = UnsafeBufferPointer(start: found.pointee.data, count: found.pointee.size)
            sideData.append(StreamSideData(type: to.rawValue, bytes: Array(bytes)))
        }
    }
}
