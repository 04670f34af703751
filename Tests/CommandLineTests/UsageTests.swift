// The command line as a person meets it: help, mistakes, exit statuses, closed pipes.

import MediaCore
import TestSupport
import Testing

@Suite("Command lines: help, mistakes and exit statuses") struct UsageTests {
    private static let verbs: [String] = {
        let page = (try? runMediakit(["--help"]).text) ?? ""
        return page.split(separator: "\n").filter { $0.hasPrefix("  ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }()

    @Test func theOverviewListsTheVerbs() throws {
        for verb in ["probe", "filters", "plugins"] { #expect(Self.verbs.contains(verb)) }
    }

    @Test(arguments: verbs) func everyVerbHasHelp(_ verb: String) throws {
        let long = try runMediakit([verb, "--help"])
        #expect(long.status == 0)
        #expect(long.text.hasPrefix("Usage: mediakit \(verb) "))
        #expect(long.text.contains("--log-level"))
        #expect(long.errors.isEmpty)
        #expect(try runMediakit([verb, "-h"]).text == long.text)
        #expect(try runMediakit(["help", verb]).text == long.text)
    }

    @Test(arguments: verbs) func everyVerbRefusesAnUnknownOption(_ verb: String) throws {
        let result = try runMediakit([verb, "--no-such-option"])
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errorText.contains("no option '--no-such-option'"))
        #expect(result.errorText.contains("mediakit \(verb) --help"))
    }

    @Test(arguments: [
        (["prob"], "did you mean 'probe'?"), (["probe"], "FILE is missing"),
        (["probe", "a", "b"], "'b' is one argument too many"),
        (["probe", "--log-level", "loud", "a"], "'loud' is not quiet|error"),
        (["probe", "--log-level"], "needs a value"), (["filters", "volum"], "no filter 'volum'"),
        (["plugins", "--no-json=yes"], "takes no value"),
    ])
    func mistakesAreNamed(_ arguments: [String], _ part: String) throws {
        let result = try runMediakit(arguments)
        #expect(result.status == 2)
        #expect(result.errorText.hasPrefix("mediakit: "))
        #expect(result.errorText.contains(part), "\(result)")
    }

    @Test func withoutAVerbTheOverviewIsAnError() throws {
        let result = try runMediakit([])
        #expect(result.status == 2)
        #expect(result.errorText.contains("Usage: mediakit VERB"))
    }

    @Test(arguments: [["plugins", "--json"], ["filters", "--json"]])
    func factsComeAsJSON(_ arguments: [String]) throws {
        let result = try runMediakit(arguments)
        #expect(result.status == 0)
        #expect(try JSON(parsing: result.output)["schema"]?.text == "mediakit.\(arguments[0])/1")
    }

    @Test func aClosedStandardOutputIsOneClearError() throws {
        let child = try ChildProcess(mediakitPath, ["filters"])
        child.closeOutput()
        let result = child.finish(seconds: 10)
        #expect(result.status == 1)
        #expect(result.errorText == "mediakit: write standard output: broken pipe\n")
    }
}
