// One table from errno to error codes.

internal import Glibc

extension MediaError {
    /// What the system call `action` on `subject` reported.
    ///
    /// - Parameter output: true where the call was writing, so that a failure is the output's.
    public static func system(
        _ number: Int32, _ action: String, output: Bool = false
    ) -> MediaError {
        MediaError(
            Code(errno: number, output: output), "\(action): \(describe(errno: number))",
            underlying: Underlying(.errno, Int(number)))
    }

    /// The system's sentence for an errno, lower case.
    public static func describe(errno number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        let sentence = String(cString: text)
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}

extension MediaError.Code {
    /// The code that stands for an errno.
    public init(errno number: Int32, output: Bool = false) {
        switch number {
        case ENOENT, ENOTDIR: self = output ? .outputFailed : .notFound
        case EACCES, EPERM, EROFS: self = output ? .outputFailed : .permissionDenied
        case ENOSPC, EDQUOT: self = .diskFull
        case EEXIST: self = .outputExists
        case EINVAL: self = .badArgument
        case ETIMEDOUT: self = .timedOut
        case ECANCELED: self = .cancelled
        default: self = output ? .outputFailed : .inputFailed
        }
    }
}
