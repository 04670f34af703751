// The fuzzer's program: `mediakit-fuzz TARGET [libFuzzer's arguments and folders]`.

internal import FuzzDriver
internal import Glibc

guard FuzzTargets.chosen != nil else {
    // `--list` and a wrong name both get the names.
    print(FuzzTargets.all.map(\.name).joined(separator: " "))
    exit(CommandLine.arguments.dropFirst().first == "--list" ? 0 : 2)
}

// libFuzzer reads the command line without the target's name, and edits it in place.
var arguments: [UnsafeMutablePointer<CChar>?] =
    CommandLine.arguments.enumerated().filter { $0.offset != 1 }.map { strdup($0.element) } + [nil]
var count = Int32(arguments.count - 1)
let status = arguments.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return LLVMFuzzerRunDriver(&count, &start) { data, size in
        FuzzTargets.chosen?.run(UnsafeBufferPointer(start: data, count: size))
        return 0
    }
}
exit(status)
