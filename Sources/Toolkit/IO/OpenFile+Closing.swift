// Closing what was only read.

internal import MediaCore

extension OpenFile {
    /// Closes; a failure, which costs nobody anything, is for developers.
    func closeQuietly() {
        do {
            try close()
        } catch {
            Log.debug("io", "\(error)")
        }
    }
}
