// JSON: what was read once reads the same again after it was printed.

internal import MediaCore

let jsonTarget = FuzzTarget(name: "json") { bytes in
    guard let value = try? JSON(parsing: bytes) else { return }
    let again = try? JSON(parsing: value.description.utf8)
    precondition(again == value, "printed and read again, it is another value")
}
