// Reaching the pixels of a picture.

internal import CFFmpeg

extension Frame {
    /// The rows of one plane of a picture, top to bottom, each without what lies behind its visible
    /// end; nothing for sound, for a plane that is not there, and for frames in a device's memory.
    ///
    /// Read only; the pointers end with `body`.
    public func withPictureRows(_ plane: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        let frame = avFrame.pointee
        let format = AVPixelFormat(frame.format)
        guard !isAudio, (0..<4).contains(plane), let planes = frame.extended_data,
            let start = planes[plane], let descriptor = av_pix_fmt_desc_get(format),
            descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0,
            plane < Int(av_pix_fmt_count_planes(format))
        else { return }
        let width = Int(av_image_get_linesize(format, frame.width, Int32(plane)))
        let shift = plane == 1 || plane == 2 ? descriptor.pointee.log2_chroma_h : 0
        let rows = (Int(frame.height) + (1 << shift) - 1) >> shift
        let stride = withUnsafeBytes(of: frame.linesize) {
            Int($0.bindMemory(to: Int32.self)[plane])
        }
        for row in 0..<max(0, rows) {
            body(UnsafeRawBufferPointer(start: start + row * stride, count: max(0, width)))
        }
    }
}
