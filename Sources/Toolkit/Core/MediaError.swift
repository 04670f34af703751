// The one error type of the toolkit, its codes and their families.

/// Says what failed: a code for programs, a sentence for people, and what a library reported.
///
/// Messages are lower case, without a full stop, subject first: `open film.mp4: no such file`.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a program decides on.
    public enum Code: String, CaseIterable, Sendable {
        // general
        /// The work was given up because it was no longer wanted.
        case cancelled
        /// Something took longer than its deadline.
        case timedOut = "timed-out"
        /// The call does not fit what is going on; open a medium first, say.
        case invalidState = "invalid-state"
        /// A name, an option or a value is wrong; the message says which.
        case badArgument = "bad-argument"
        /// A rule of the toolkit's own was broken; please report it.
        case internalError = "internal"
        // input
        /// No such file or folder.
        case notFound = "not-found"
        /// The system, or a script's permissions, forbid it.
        case permissionDenied = "permission-denied"
        /// Reading failed below the container: disk, pipe.
        case inputFailed = "io-failed"
        // container
        /// The file is damaged, cut short or empty.
        case containerMalformed = "container-malformed"
        /// No plugin reads or writes such a container, or not with this codec.
        case containerUnsupported = "container-unsupported"
        /// The medium has no stream of the kind that is needed.
        case noSuchStream = "no-such-stream"
        // codec
        /// No plugin decodes the codec; `mediakit plugins` lists those there are.
        case decoderNotFound = "decoder-not-found"
        /// The packets of a stream can't be decoded.
        case decodeFailed = "decode-failed"
        /// No plugin has an encoder of this name.
        case encoderNotFound = "encoder-not-found"
        /// An encoder refused its settings or its frames.
        case encodeFailed = "encode-failed"
        // output
        /// A filter could not be set up or gave up.
        case filterFailed = "filter-failed"
        /// Writing failed: permissions, a closed pipe, the disk.
        case outputFailed = "output-failed"
        /// No space is left where the output goes.
        case diskFull = "disk-full"
        /// The output's name is taken, or is the input's own.
        case outputExists = "output-exists"
        // extension
        /// A script has an error; the message has file, line and traceback.
        case scriptFailed = "script-failed"
        /// Two plugins of a kind have one name.
        case pluginConflict = "plugin-conflict"
        /// A plugin file can't be loaded or used; the message names it and says why.
        case pluginUnusable = "plugin-unusable"
        /// A premium feature is not licensed; the message says why and what to do.
        case notLicensed = "not-licensed"
    }

    /// The number a library returned, and which library.
    public struct Underlying: Hashable, Sendable {
        /// Whose number it is.
        public enum Domain: String, Sendable {
            /// FFmpeg's.
            case av
            /// The system's.
            case errno
            /// Lua's.
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
