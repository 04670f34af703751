// A decoder on a thread of its own, so that a device that hangs can be left behind.

package import MediaCore
package import MediaModel

/// Hands every call to a decoder on another thread, and waits only so long for its answer.
///
/// A driver that does not come back can't be stopped: its thread is given up, and ends when the
/// driver answers after all. Threading: confined.
package final class WatchedDecoder: Decoder {
    private enum Order: Sendable {
        case send(Packet?)
        case receive
        case flush
        case stop
    }

    private enum Answer: Sendable {
        case done
        case frame(Frame)
        case needsInput
        case endOfStream
        case failed(MediaError)
    }

    private struct State {
        var order: Order?
        var answer: Answer?
    }

    private let state = Monitor(State())
    private let patience: MediaTime
    private let thread: WorkerThread
    /// Set once the device did not answer.
    private var loss: MediaError?
    private var hasEnded = false

    /// Makes a decoder on a new thread; throws what `make` throws, or `timed-out`.
    ///
    /// - Parameter patience: the longest wait for any answer.
    package init(
        patience: MediaTime, make: @escaping @Sendable () throws(MediaError) -> any Decoder
    ) throws(MediaError) {
        self.patience = patience
        let state = self.state
        thread = WorkerThread("mk-device") {
            do throws(MediaError) {
                let decoder = try make()
                state.withLock { $0.answer = .done }
                WatchedDecoder.serve(decoder, state)
            } catch {
                state.withLock { $0.answer = .failed(error) }
                _ = state.wait { $0.order }
            }
            state.withLock { $0.answer = .done }
        }
        do throws(MediaError) {
            if case .failed(let error) = try answer() { throw error }
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    package func send(_ packet: Packet?) throws(MediaError) {
        if case .failed(let error) = try ask(.send(packet)) { throw error }
    }

    package func receive() throws(MediaError) -> Pull<Frame> {
        switch try ask(.receive) {
        case .frame(let frame): return .value(frame)
        case .endOfStream: return .endOfStream
        case .failed(let error): throw error
        case .needsInput, .done: return .needsInput
        }
    }

    /// Where the device does not answer, the next call says so.
    package func flush() { _ = try? ask(.flush) }

    private func ask(_ order: Order) throws(MediaError) -> Answer {
        if let loss { throw loss }
        state.withLock { $0.order = order }
        return try answer()
    }

    private func answer() throws(MediaError) -> Answer {
        let deadline = SystemTimeSource().now + patience
        let answer = state.wait(until: deadline) { state -> Answer? in
            defer { state.answer = nil }
            return state.answer
        }
        if let answer { return answer }
        let loss = MediaError(.timedOut, "no answer in \(patience.seconds) s")
        self.loss = loss
        throw loss
    }

    /// Lets the thread go, once: an initialiser that throws has `deinit` run behind it, too.
    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        if loss == nil, (try? ask(.stop)) != nil {
            thread.join()
        } else {
            state.withLock { $0.order = .stop }
            thread.abandon()
        }
    }

    private static func serve(_ decoder: any Decoder, _ state: Monitor<State>) {
        while true {
            let order = state.wait { state -> Order? in
                defer { if case .stop = state.order {} else { state.order = nil } }
                return state.order
            }
            guard let order, let answer = obey(order, decoder) else { return }
            state.withLock { $0.answer = answer }
        }
    }

    /// Does what is asked; nil for the end.
    private static func obey(_ order: Order, _ decoder: any Decoder) -> Answer? {
        do throws(MediaError) {
            switch order {
            case .send(let packet):
                try decoder.send(packet)
                return .done
            case .receive:
                switch try decoder.receive() {
                case .value(let frame): return .frame(frame)
                case .needsInput: return .needsInput
                case .endOfStream: return .endOfStream
                }
            case .flush:
                decoder.flush()
                return .done
            case .stop:
                return nil
            }
        } catch {
            return .failed(error)
        }
    }
}
