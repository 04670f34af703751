// What each error code means, for the reference and for scripts.

extension MediaError.Code {
    /// One sentence: what happened, and what helps.
    public var meaning: String {
        switch self {
        case .cancelled: "The work was given up because it was no longer wanted."
        case .timedOut: "Something took longer than its deadline."
        case .invalidState: "The call does not fit what is going on; open a medium first, say."
        case .badArgument: "A name, an option or a value is wrong; the message says which."
        case .internalError: "A rule of the toolkit's own was broken; please report it."
        case .notFound: "No such file or folder."
        case .permissionDenied: "The system, or a script's permissions, forbid it."
        case .inputFailed: "Reading failed below the container: disk, pipe."
        case .containerMalformed: "The file is damaged, cut short or empty."
        case .containerUnsupported:
            "No plugin reads or writes such a container, or not with this codec."
        case .noSuchStream: "The medium has no stream of the kind that is needed."
        case .decoderNotFound:
            "No plugin decodes the codec; `mediakit plugins` lists those there are."
        case .decodeFailed: "The packets of a stream can't be decoded."
        case .encoderNotFound: "No plugin has an encoder of this name."
        case .encodeFailed: "An encoder refused its settings or its frames."
        case .filterFailed: "A filter could not be set up or gave up."
        case .outputFailed: "Writing failed: permissions, a closed pipe, the disk."
        case .diskFull: "No space is left where the output goes."
        case .outputExists: "The output's name is taken, or is the input's own."
        case .scriptFailed: "A script has an error; the message has file, line and traceback."
        case .pluginConflict: "Two plugins of a kind have one name."
        case .pluginUnusable:
            "A plugin file can't be loaded or used; the message names it and says why."
        case .notLicensed:
            "A premium feature is not licensed; the message says why and what to do."
        }
    }
}
