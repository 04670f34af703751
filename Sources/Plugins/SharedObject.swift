// Whether a file is a shared library for this machine, told before the system's loader sees it.

internal import MediaCore

/// The headers of an ELF file (System V ABI, chapters 4 and 5).
enum SharedObject {
    private static let headerSize = 64

    private static let machines = [
        (number: 3, name: "x86"), (number: 62, name: "x86-64"), (number: 40, name: "ARM"),
        (number: 183, name: "AArch64"), (number: 243, name: "RISC-V"), (number: 21, name: "POWER"),
        (number: 22, name: "S/390"), (number: 258, name: "LoongArch"),
    ]

    #if arch(x86_64)
        private static let ownMachine = (number: 62, name: "x86-64")
    #elseif arch(arm64)
        private static let ownMachine = (number: 183, name: "AArch64")
    #elseif arch(riscv64)
        private static let ownMachine = (number: 243, name: "RISC-V")
    #endif

    /// Tells apart what `dlopen` has one message for, and what it stops the program for: a file
    /// that ends before the memory that its headers promise.
    static func check(_ path: String, _ files: any FileSystem) throws(MediaError) {
        guard let facts = try files.facts(of: path) else {
            throw MediaError(.notFound, "plugin \(path.printable): no such file")
        }
        guard facts.kind == .file else { throw unusable(path, "it is no file") }
        let file = try files.open(path, .read)
        let head = try bytes(of: file, at: 0, count: headerSize)
        guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46]), head.count >= 20 else {
            throw unusable(path, "it is no shared library (not an ELF file)")
        }
        // e_ident[EI_CLASS], e_ident[EI_DATA], e_type, e_machine.
        let machine = number(head, at: 18, size: 2)
        guard head[4] == 2, head[5] == 1, machine == ownMachine.number else {
            let name = machines.first { $0.number == machine }?.name ?? "machine \(machine)"
            throw unusable(
                path,
                "it is for \(name)\(head[4] == 2 ? "" : " (32 bit)"), "
                    + "this program is for \(ownMachine.name)")
        }
        guard number(head, at: 16, size: 2) == 3 else {
            throw unusable(path, "it is no shared library")
        }
        guard head.count == headerSize, try isWhole(file, head, size: facts.size) else {
            throw unusable(path, "it is cut short")
        }
        try file.close()
    }

    /// Whether every segment that is to be loaded lies within the file.
    private static func isWhole(
        _ file: any OpenFile, _ head: [UInt8], size: Int64
    ) throws(MediaError) -> Bool {
        // e_phoff, e_phentsize, e_phnum; then p_type, p_offset, p_filesz of each.
        let table = number(head, at: 32, size: 8)
        let (entrySize, count) = (number(head, at: 54, size: 2), number(head, at: 56, size: 2))
        guard entrySize >= 56, table >= 0, table <= Int(size) else { return false }
        let entries = try bytes(of: file, at: Int64(table), count: entrySize * count)
        guard entries.count == entrySize * count else { return false }
        for start in stride(from: 0, to: entries.count, by: entrySize) {
            let isLoaded = number(entries, at: start, size: 4) == 1
            let offset = number(entries, at: start + 8, size: 8)
            let length = number(entries, at: start + 32, size: 8)
            let (end, overflows) = offset.addingReportingOverflow(length)
            if isLoaded, offset < 0 || length < 0 || overflows || end > Int(size) { return false }
        }
        return true
    }

    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private static func bytes(
        of file: any OpenFile, at offset: Int64, count: Int
    ) throws(MediaError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        try file.seek(to: offset)
        var filled = 0
        while filled < count {
            let got = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            if got == 0 { break }
            filled += got
        }
        return Array(buffer.prefix(filled))
    }
}
