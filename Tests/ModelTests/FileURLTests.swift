// Which file a URL names.

import MediaCore
import MediaModel
import Testing

@Suite("URLs of files")
struct FileURLTests {
    @Test(
        "name the path behind them",
        arguments: [
            ("a b.wav", "a b.wav"), ("100%25.wav", "100%25.wav"), ("file:a.wav", "a.wav"),
            ("file:/x/a.wav", "/x/a.wav"), ("file:///x/a%20b.wav", "/x/a b.wav"),
            ("file://localhost/x/%e2%82%ac", "/x/€"), ("file:///x/%zz", "/x/%zz"),
            ("file:///x%2", "/x%2"),
        ])
    func names(_ url: String, _ path: String) throws {
        #expect(try FileURL.path(of: url) == path)
    }

    @Test("of another machine are refused")
    func refuses() {
        #expect(throws: MediaError.self) { try FileURL.path(of: "file://elsewhere/a.wav") }
    }
}
