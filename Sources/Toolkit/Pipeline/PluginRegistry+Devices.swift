// A decoder on a device of the machine, where there is one for the stream.

package import MediaCore
package import MediaModel

extension PluginRegistry {
    /// Makes a decoder that begins on a device, where the plugin that decodes the stream has one for
    /// it, or else one in software.
    ///
    /// - Parameters:
    ///   - usesDevices: software only where it is false.
    ///   - patience: the longest wait for a device's answer.
    ///   - chosen: is told what decodes, and again when that is another one.
    ///   - switched: is told where a device was there and did not do; not where there is none.
    package func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest, usesDevices: Bool,
        patience: MediaTime = MediaTime(seconds: 5),
        chosen: @escaping (DecoderChoice) -> Void, switched: @escaping (SoftwareSwitch) -> Void
    ) throws(MediaError) -> any Decoder {
        var refusals: [(device: String, error: MediaError)] = []
        let (plugin, choice) = try decoderChoice(for: stream)
        try admit(stream)
        if usesDevices, let hardware = plugin.hardware {
            for device in hardware.candidates(for: stream) {
                do {
                    let decoder = try WatchedDecoder(patience: patience) { () throws(MediaError) in
                        try hardware.makeDecoder(stream, on: device)
                    }
                    var choice = choice
                    choice.device = device
                    Log.info("plugins", "video stream \(stream.index): decoder \(choice)")
                    chosen(choice)
                    return SwitchingDecoder(
                        decoder, on: device,
                        makeSoftware: { [self] (showsIncomplete) throws(MediaError) in
                            var request = request
                            request.showsIncomplete = showsIncomplete
                            return try makeDecoder(stream, request, chosen: chosen)
                        }, tell: switched)
                } catch {
                    if error.code == .cancelled { throw error }
                    if error.code == .decoderNotFound { continue }
                    refusals.append((device, error))
                }
            }
        }
        let software = try makeDecoder(stream, request, chosen: chosen)
        if let last = refusals.last {
            let reasons = refusals.map { "\($0.device): \($0.error.message)" }
            switched(
                SoftwareSwitch(
                    device: last.device,
                    reason: MediaError(
                        last.error.code, reasons.joined(separator: "; "),
                        underlying: last.error.underlying)))
        }
        return software
    }
}
