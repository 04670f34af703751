// Hardware that decodes pictures, as a decoder plugin offers it.

public import MediaCore

/// The devices on which a plugin can decode pictures.
///
/// Thread-safety: safe.
public protocol HardwareDevices: Sendable {
    /// The names of devices that may decode a stream, best first: `vaapi`, `cuda`, …; empty where
    /// there is none.
    ///
    /// It is asked each time a stream is opened, and must not wait for a driver.
    func candidates(for stream: StreamInfo) -> [String]
    /// Opens a decoder on a device. Its frames are in system memory, in the pixel format that
    /// software gives for the stream.
    ///
    /// May block: it is given up after some seconds. `decoder-not-found` means that the machine has
    /// no such device, which is nothing to tell anybody; any other error, here or later from the
    /// decoder, makes the stream go on in software with an event.
    func makeDecoder(_ stream: StreamInfo, on device: String) throws(MediaError)
        -> sending any Decoder
}
