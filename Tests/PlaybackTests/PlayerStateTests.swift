// The tables of state and status, walked pair by pair.

import MediaCore
import Playback
import Testing

@Suite("States of a player")
struct PlayerStateTests {
    private static let failure = MediaError(.decodeFailed, "broken")
    private static let all: [PlayerState] = [
        .idle, .opening, .buffering, .ready, .ended, .failed(failure),
    ]

    @Test func everyPairOfStates() {
        let allowed: Set<String> = [
            "idle opening", "opening buffering", "buffering ready", "ready buffering",
            "ready ended", "ended buffering", "opening failed", "buffering failed",
            "ready failed", "ended failed", "failed failed", "opening idle", "buffering idle",
            "ready idle", "ended idle", "failed idle",
        ]
        for from in PlayerStateTests.all {
            for to in PlayerStateTests.all {
                #expect(from.canBecome(to) == allowed.contains("\(from.name) \(to.name)"))
            }
        }
    }

    @Test("the public status keeps the players' names: every state with every intent")
    func statusTable() {
        for wantsToPlay in [false, true] {
            for hasStarted in [false, true] {
                for isStopped in [false, true] {
                    var intent = PlayerIntent()
                    intent.wantsToPlay = wantsToPlay
                    intent.hasStarted = hasStarted
                    intent.isStopped = isStopped
                    let running: PlayerStatus =
                        wantsToPlay ? .started : hasStarted ? .paused : .prepared
                    let expected: [String: PlayerStatus] = [
                        "idle": isStopped ? .stopped : .idle, "opening": .initialized,
                        "buffering": running, "ready": running, "ended": .completion,
                        "failed": .error,
                    ]
                    for state in PlayerStateTests.all {
                        #expect(PlayerStatus(state, intent) == expected[state.name])
                    }
                }
            }
        }
        #expect(
            PlayerStatus.allCases.map(\.rawValue) == [
                "idle", "initialized", "prepared", "started", "paused", "stopped", "completion",
                "error",
            ])
    }

    @Test func tablesHaveASentenceEach() {
        #expect(PlayerProperty.table.allSatisfy { $0.summary.hasSuffix(".") })
        #expect(PlayerEvent.table.allSatisfy { $0.summary.hasSuffix(".") })
        #expect(PlayerHook.allCases.allSatisfy { $0.summary.hasSuffix(".") })
        #expect(PlayerConfiguration.options.allSatisfy { $0.summary.hasSuffix(".") })
        #expect(Set(PlayerProperty.table.map(\.name)).count == PlayerProperty.table.count)
        #expect(
            Set(PlayerConfiguration.options.map(\.name)).count
                == PlayerConfiguration.options.count)
        #expect(throws: MediaError.self) { try PlayerProperty.named("positon") }
    }
}
