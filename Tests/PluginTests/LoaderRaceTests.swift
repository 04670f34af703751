// One plugin file loaded and unloaded by several threads at once.

import Glibc
import MediaCore
import MediaModel
import Plugins
import Synchronization
import TestSupport
import Testing

@Suite("issue 3: plugins loaded by several threads at once")
struct LoaderRaceTests {
    /// Holds whoever looks at a plugin file until another one does too, or for a while.
    private struct MeetingFileSystem: FileSystem {
        let inner = SystemFileSystem()
        let arrivals = Monitor(0)

        func facts(of path: String) throws(MediaError) -> FileFacts? {
            arrivals.withLock { $0 += 1 }
            let deadline = SystemTimeSource().now + .milliseconds(300)
            _ = arrivals.wait(until: deadline) { $0 >= 2 ? true : nil }
            return try inner.facts(of: path)
        }
        func open(_ path: String, _ access: FileAccess) throws(MediaError) -> sending any OpenFile {
            try inner.open(path, access)
        }
        func resolve(_ path: String) throws(MediaError) -> String { try inner.resolve(path) }
        func list(_ folder: String) throws(MediaError) -> [String] { try inner.list(folder) }
        func makeFolder(_ path: String) throws(MediaError) { try inner.makeFolder(path) }
        func rename(_ source: String, to target: String) throws(MediaError) {
            try inner.rename(source, to: target)
        }
        func remove(_ path: String) throws(MediaError) { try inner.remove(path) }
        func syncFolder(_ path: String) throws(MediaError) { try inner.syncFolder(path) }
        func setFacts(_ path: String, mode: UInt32, modified: Int64?) throws(MediaError) {
            try inner.setFacts(path, mode: mode, modified: modified)
        }
    }

    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void)
        -> [String]
    {
        let failures = Mutex<[String]>([])
        let threads = (0..<count).map { number in
            WorkerThread("mk-test") {
                do {
                    try body(number)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        for thread in threads { thread.join() }
        return failures.withLock { $0 }
    }

    @Test("two loads of one file: nothing happens in the second")
    func twice() throws {
        let folder = try TemporaryFolder()
        let path = try Workshop.example("tremolo", in: folder)
        let registry = try PluginRegistry([])
        let loader = PluginLoader(into: registry, files: MeetingFileSystem())
        let failures = onThreads(2) { _ in
            try loader.load(path)
            // What it holds is there as soon as a load says so.
            guard registry.filter(named: "tremolo-c") != nil else {
                throw MediaError(.internalError, "loaded without its filter")
            }
        }
        #expect(failures == [])
        #expect(loader.loaded.map(\.name) == ["tremolo-c"])
    }

    @Test("a load beside an unload finds the file loaded, or loads it anew")
    func besideUnload() throws {
        let folder = try TemporaryFolder()
        let path = try Workshop.example("tremolo", in: folder)
        let registry = try PluginRegistry([])
        let loader = PluginLoader(into: registry)
        let failures = onThreads(3) { number in
            for _ in 0..<100 {
                if number == 0 {
                    _ = try? loader.unload(path)
                } else {
                    try loader.load(path)
                }
            }
        }
        #expect(failures == [])
        try loader.load(path)
        #expect(registry.filter(named: "tremolo-c") != nil)
    }
}
