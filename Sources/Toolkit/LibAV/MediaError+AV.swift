// One table from FFmpeg's error numbers to error codes; no other file knows those numbers.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Gives a non-negative result back and throws what a negative one means.
///
/// - Parameters:
///   - action: what was tried and on what, for the message.
///   - code: what stands for numbers that the table doesn't hold.
@discardableResult
func avCheck(
    _ result: Int32, _ action: @autoclosure () -> String, else code: MediaError.Code
) throws(MediaError) -> Int32 {
    if result < 0 { throw .av(result, action(), else: code) }
    return result
}

extension MediaError {
    /// What FFmpeg reported.
    static func av(_ number: Int32, _ action: String, else code: Code) -> MediaError {
        MediaError(
            Code(av: number) ?? code, "\(action): \(describe(av: number))",
            underlying: Underlying(.av, Int(number)))
    }

    /// FFmpeg's sentence for its number, lower case.
    private static func describe(av number: Int32) -> String {
        let sentence = String(capacity: 128) { _ = av_strerror(number, $0, $1) }
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}

extension MediaError.Code {
    /// The code that always stands for a number; nil where it depends on what was tried.
    fileprivate init?(av number: Int32) {
        switch number {
        case mk_averror_exit: self = .cancelled
        case mk_averror_demuxer_not_found: self = .containerUnsupported
        case mk_averror_muxer_not_found: self = .containerUnsupported
        case mk_averror_decoder_not_found: self = .decoderNotFound
        case mk_averror_encoder_not_found: self = .encoderNotFound
        case mk_averror_filter_not_found, mk_averror_option_not_found: self = .badArgument
        case mk_averror_stream_not_found: self = .noSuchStream
        case mk_averror_bug: self = .internalError
        case mk_averror(ENOSPC), mk_averror(EDQUOT): self = .diskFull
        case mk_averror(ENOMEM): self = .internalError
        default: return nil
        }
    }
}

/// What FFmpeg's callbacks and loops answer, by meaning.
enum AVResult {
    /// More input is wanted.
    static let again = mk_averror_eagain
    /// The end was reached.
    static let end = mk_averror_eof
    /// Stop: the Swift error that says why is kept aside.
    static let stopped = mk_averror_exit
    /// The bytes make no sense.
    static let invalid = mk_averror_invaliddata
    /// Reading or writing failed: the Swift error that says why is kept aside.
    static let ioFailed = mk_averror(EIO)
    /// A container wanted to open something by itself.
    static let notPermitted = mk_averror(EPERM)
}
