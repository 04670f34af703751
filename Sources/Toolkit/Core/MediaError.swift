// The one error type of the toolkit, its codes and their families.

/// Says what failed: a code for programs, a sentence for people, and what a library reported.
///
/// Messages are lower case, without a full stop, subject first: `open film.mp4: no such file`.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a program decides on.
    public enum Code: String, CaseIterable, Sendable {
        // general
        case cancelled
        case timedOut = "timed-out"
        case invalidState = "invalid-state"
        case badArgument = "bad-argument"
        case internalError = "internal"
        // input
        case notFound = "not-found"
        case permissionDenied = "permission-denied"
        case inputFailed = "io-failed"
        // container
        case containerMalformed = "container-malformed"
        case containerUnsupported = "container-unsupported"
        case noSuchStream = "no-such-stream"
        // codec
        case decoderNotFound = "decoder-not-found"
        case decodeFailed = "decode-failed"
        case encoderNotFound = "encoder-not-found"
        case encodeFailed = "encode-failed"
        // output
        case filterFailed = "filter-failed"
        case outputFailed = "output-failed"
        case diskFull = "disk-full"
        case outputExists = "output-exists"
        // extension
        case scriptFailed = "script-failed"
        case pluginConflict = "plugin-conflict"
        case pluginUnusable = "plugin-unusable"
        case notLicensed = "not-licensed"
    }

    /// The number a library returned, and which library.
    public struct Underlying: Hashable, Sendable {
        /// Whose number it is.
        public enum Domain: String, Sendable {
            case av
            case errno
            case lua
        }

        /// The library that reported.
        public let domain: Domain
        /// Its number, as it came.
        public let code: Int

        /// Keeps the number with its owner.
        public init(_ domain: Domain, _ code: Int) {
            self.domain = domain
            self.code = code
        }
    }

    /// What a program decides on.
    public let code: Code
    /// What a person reads: what was tried, on what, what came back, what to do.
    public let message: String
    /// What a library reported, when one did.
    public let underlying: Underlying?

    /// Makes an error; `message` follows the wording rule of the type.
    public init(_ code: Code, _ message: String, underlying: Underlying? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message alone.
    public var description: String { message }

    /// The same error with `subject: ` in front of its message.
    public func prefixed(_ subject: String) -> MediaError {
        MediaError(code, "\(subject): \(message)", underlying: underlying)
    }
}

extension MediaError.Code {
    /// The exit status of a command that ends with this error.
    ///
    /// 1 output or processing failed, 2 usage or script error, 3 input can't be read, 5 not
    /// licensed, 130 interrupted.
    public var exitStatus: Int32 {
        switch self {
        case .cancelled: 130
        case .notLicensed: 5
        case .badArgument, .scriptFailed, .invalidState, .outputExists, .pluginUnusable: 2
        case .notFound, .permissionDenied, .inputFailed, .containerMalformed,
            .containerUnsupported, .noSuchStream, .decoderNotFound, .decodeFailed:
            3
        case .timedOut, .internalError, .encoderNotFound, .encodeFailed, .filterFailed,
            .outputFailed, .diskFull, .pluginConflict:
            1
        }
    }
}
