// Inputs that can't be read: a clear error, never a crash or a hang.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("Bad input")
struct BadInputTests {
    /// The error of opening `url` and reading it to its end.
    private func failure(_ url: String) throws -> MediaError? {
        do throws(MediaError) {
            let registry = try BuiltinPlugins.makeRegistry()
            let source = try registry.openSource(url, SourceContext(registry: registry))
            while try source.readPacket() != nil {}
            return nil
        } catch {
            return error
        }
    }

    private func film(_ folder: TemporaryFolder, _ arguments: [String]) throws -> [UInt8] {
        try readFile(
            try MediaRecipe(name: "film.mp4", arguments: MediaRecipe.film + arguments).make(
                in: folder))
    }

    @Test("a missing file")
    func missing() throws {
        let error = try failure("/nowhere/at all.mp4")
        #expect(error?.code == .notFound)
        #expect(error?.message == "open /nowhere/at all.mp4: no such file or directory")
    }

    @Test("a folder")
    func folder() throws {
        let folder = try TemporaryFolder()
        let error = try failure(folder.path)
        #expect(error?.code == .inputFailed)
        #expect(error?.message.contains("this is a folder") == true)
    }

    @Test("an empty file")
    func empty() throws {
        let folder = try TemporaryFolder()
        let error = try failure(try folder.write("empty.flac", []))
        #expect(error?.code == .containerMalformed)
        #expect(error?.message.hasSuffix("the file is empty") == true)
    }

    @Test(
        "text named like a film", arguments: ["film.mp4", "film.mkv", "song.flac", "film", "a.wav"])
    func text(_ name: String) throws {
        let folder = try TemporaryFolder()
        let words = String(repeating: "This is a letter, not a film.\n", count: 300)
        let error = try failure(try folder.write(name, words.utf8))
        #expect(error?.code == .containerMalformed || error?.code == .containerUnsupported)
        #expect(error?.message.contains("open \(folder.file(name)): ") == true)
    }

    @Test("an MP4 cut in half, its index at the end or at the start", arguments: [false, true])
    func halved(_ isIndexFirst: Bool) throws {
        let folder = try TemporaryFolder()
        let whole = try film(
            folder,
            ["-c:v", "mpeg4", "-c:a", "aac"] + (isIndexFirst ? ["-movflags", "+faststart"] : []))
        let half = try folder.write("half.mp4", whole.prefix(whole.count / 2))
        let error = try failure(half)
        #expect(error?.code == .containerMalformed)
        #expect(error?.message.contains(half) == true)
    }

    @Test("every possible cut of a small file ends with packets or an error")
    func anyCut() throws {
        let folder = try TemporaryFolder()
        let whole = try film(folder, ["-c:v", "mpeg4", "-c:a", "aac", "-t", "0.2"])
        for length in stride(from: 1, to: whole.count, by: max(1, whole.count / 150)) {
            let cut = try folder.write("cut.mp4", whole.prefix(length))
            _ = try failure(cut)
        }
    }

    @Test("random damage is survived by demuxer and decoders")
    func damage() throws {
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 11)
        for recipe in MediaRecipe.decoded {
            let whole = try readFile(try recipe.make(in: folder))
            for _ in 0..<4 {
                var bytes = whole
                for _ in 0..<40 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                let path = try folder.write("damaged-\(recipe.name)", bytes)
                decodeAll(path)
            }
        }
    }

    /// Decodes what can be decoded.
    private func decodeAll(_ path: String) {
        guard let passage = try? Passage(), let source = try? passage.open(path) else { return }
        var decoders: [Int: any Decoder] = [:]
        for stream in source.info.streams {
            decoders[stream.index] = try? passage.registry.makeDecoder(stream, threads: 1)
        }
        while let packet = try? source.readPacket() {
            guard let decoder = decoders[packet.streamIndex] else { continue }
            try? decoder.send(packet)
            while case .value? = try? decoder.receive() {}
        }
    }

    @Test("streams that aren't selected give no packets, covers neither")
    func selects() throws {
        let folder = try TemporaryFolder()
        let cover = try MediaRecipe(
            name: "cover.png",
            arguments: ["-f", "lavfi", "-i", "color=red:s=16x16", "-frames:v", "1"]
        ).make(in: folder)
        let path = try MediaRecipe(
            name: "a.mp3",
            arguments: MediaRecipe.sound + ["-i", cover, "-map", "0", "-map", "1", "-c:v", "copy"]
        ).make(in: folder)
        let source = try Passage().open(path)
        let sound = try #require(source.info.bestStream(.audio))
        #expect(source.info.streams.count == 2)
        source.select([sound.index])
        while let packet = try source.readPacket() { #expect(packet.streamIndex == sound.index) }
    }

    @Test("sound of no length is an input without packets")
    func silent() throws {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(
            name: "none.wav", arguments: ["-f", "lavfi", "-i", "anullsrc", "-t", "0"]
        ).make(in: folder)
        let source = try Passage().open(path)
        #expect(source.info.bestStream(.audio) != nil)
        #expect(try source.readPacket() == nil)
    }

    @Test("a file that nobody may read")
    func forbidden() throws {
        let files = RefusingFiles()
        let registry = try BuiltinPlugins.makeRegistry()
        let error = #expect(throws: MediaError.self) {
            _ = try registry.openSource("a.mp4", SourceContext(registry: registry, files: files))
        }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message == "open a.mp4: permission denied")
    }

    @Test("whichever call to the disk fails, its error comes out", arguments: FileFault.allCases)
    func failingDisk(_ fault: FileFault) throws {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(name: "a.flac", arguments: MediaRecipe.noise).make(in: folder)
        let registry = try BuiltinPlugins.makeRegistry()
        var isHit = true
        var number = 0
        while isHit {
            number += 1
            let files = FaultyFileSystem(failingCall: number, fault)
            var failure: MediaError?
            do throws(MediaError) {
                let context = SourceContext(registry: registry, files: files)
                let source = try registry.openSource(path, context)
                while try source.readPacket() != nil {}
                source.close()
            } catch {
                failure = error
            }
            isHit = files.failedCall != nil
            let isClosing = files.failedCall?.hasPrefix("close") == true
            #expect((failure != nil) == (isHit && !isClosing), "call \(number)")
            if let failure { #expect(failure.underlying?.domain == .errno, "\(failure)") }
        }
        #expect(number > 5)
    }

    @Test("whichever call to the disk fails, a muxer reports it", arguments: FileFault.allCases)
    func failingOutput(_ fault: FileFault) throws {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(name: "a.flac", arguments: MediaRecipe.noise).make(in: folder)
        for name in ["b.flac", "b.mka", "b.mp4"] {
            var isHit = true
            var number = 0
            while isHit {
                number += 1
                let files = FaultyFileSystem(failingCall: number, fault)
                var failure: MediaError?
                do {
                    try Passage(files: files).copy(path, to: folder.file(name))
                } catch let error as MediaError {
                    failure = error
                }
                isHit = files.failedCall != nil
                #expect(
                    (failure != nil) == isHit,
                    "\(name) call \(number) \(files.failedCall ?? "") \(failure?.message ?? "")")
                if let failure { #expect(failure.underlying?.domain == .errno, "\(failure)") }
            }
            #expect(number > 3)
        }
    }

    @Test("names with spaces, quotes, newlines and bytes that aren't UTF-8")
    func names() throws {
        let folder = try TemporaryFolder()
        let sound = try readFile(
            try MediaRecipe(name: "a.wav", arguments: MediaRecipe.noise).make(in: folder))
        let odd = String(osBytes: [UInt8(ascii: "x"), 0xFF, 0xC3, UInt8(ascii: ".")]) + "wav"
        for name in ["a b.wav", "it's \"it\".wav", "two\nlines.wav", "100%d.wav", "a:b.wav", odd] {
            let path = try folder.write(name, sound)
            #expect(try failure(path) == nil, "\(name.printable)")
        }
        let url = "file://\(folder.path)/a%20b.wav"
        #expect(try failure(url) == nil)
        #expect(try failure("file://elsewhere/a.wav")?.code == .badArgument)
        #expect(try failure("gopher://elsewhere/a.wav")?.code == .containerUnsupported)
    }

    @Test("playlists open nothing by themselves")
    func playlists() throws {
        let folder = try TemporaryFolder()
        _ = try MediaRecipe(name: "a.wav", arguments: MediaRecipe.noise).make(in: folder)
        let list = try folder.write("list.txt", "ffconcat version 1.0\nfile a.wav\n".utf8)
        #expect(try failure(list)?.code == .containerUnsupported)
        let hls =
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:1/a.ts\n"
            + "#EXT-X-ENDLIST\n"
        let error = try failure(try folder.write("list.m3u8", hls.utf8))
        #expect(
            error?.message.contains("names other files") == true, "\(String(describing: error))")
    }
}

/// Files that exist but may not be read.
private struct RefusingFiles: FileSystem {
    func open(_ path: String, _ access: FileAccess) throws(MediaError) -> sending any OpenFile {
        throw .system(13, "open \(path)")
    }
    func facts(of path: String) throws(MediaError) -> FileFacts? {
        FileFacts(kind: .file, size: 10, modified: 0, identity: [], mode: 0)
    }
    func resolve(_ path: String) throws(MediaError) -> String { path }
    func list(_ folder: String) throws(MediaError) -> [String] { [] }
    func makeFolder(_ path: String) throws(MediaError) {}
    func rename(_ source: String, to target: String) throws(MediaError) {}
    func remove(_ path: String) throws(MediaError) {}
    func syncFolder(_ path: String) throws(MediaError) {}
    func setFacts(_ path: String, mode: UInt32, modified: Int64?) throws(MediaError) {}
}
