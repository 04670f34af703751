// The results of a batch as a file for other programs.

public import MediaCore
internal import Pipeline

/// Writes summaries as JSON or CSV.
public struct BatchReport: Sendable {
    private let summary: BatchSummary

    /// Reports on a finished batch.
    public init(_ summary: BatchSummary) { self.summary = summary }

    /// Everything, as one object; loudness in LUFS, LU, dBTP and dBFS, times in seconds.
    public var json: JSON {
        .object([
            .init("schema", .string("mediakit.batch/1")),
            .init("wall", .double(summary.wall.seconds)),
            .init("exit_status", .int(Int64(summary.exitStatus))),
            .init(
                "counts",
                .object(
                    BatchResult.Status.allCases.map {
                        .init($0.rawValue, .int(Int64(summary.count($0))))
                    })),
            .init("files", .array(summary.results.map(BatchReport.row))),
        ])
    }

    /// One file as an object.
    public static func row(_ result: BatchResult) -> JSON {
        .object(
            [
                .init("input", .string(result.input)),
                .init("output", result.output.isEmpty ? .null : .string(result.output)),
                .init("status", .string(result.status.rawValue)),
                .init("error", result.error.map { .string($0.code.rawValue) } ?? .null),
                .init(
                    "message", (result.error?.message ?? result.note).map { .string($0) } ?? .null),
            ] + result.details.members)
    }

    /// One line a file under a line of names, as RFC 4180 has it; empty where a value is unknown.
    public var csv: String {
        var lines = [BatchReport.columns.map(\.name).joined(separator: ",")]
        for result in summary.results {
            let row = BatchReport.row(result)
            lines.append(
                BatchReport.columns.map { column in
                    let value = column.path.reduce(Optional(row)) { $0?[$1] }
                    return BatchReport.field(value)
                }.joined(separator: ","))
        }
        return lines.map { $0 + "\r\n" }.joined()
    }

    private static let columns: [(name: String, path: [String])] =
        ["input", "output", "status", "error", "message", "duration", "wall"].map { ($0, [$0]) }
        + ["before", "after"].flatMap { time in
            ["integrated", "range", "true_peak", "sample_peak"].map {
                ("\($0)_\(time)", [time, $0])
            }
        } + ["gain", "limited", "encoder", "warnings"].map { ($0, [$0]) }

    private static func field(_ value: JSON?) -> String {
        let text =
            switch value {
            case nil, .null?: ""
            case .string(let text)?: text
            case .double(let number)?: number.isFinite ? number.description : ""
            case .array(let values)?: values.compactMap(\.text).joined(separator: "; ")
            case let other?: other.description
            }
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
            return text
        }
        return "\""
            + text.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }

    /// Writes the report to `path`, whole or not at all: rows for `.csv`, else JSON.
    ///
    /// Bytes of a name that are not UTF-8 stay as they are in rows; in JSON, byte *b* is written as
    /// U+10FF00 + *b*.
    public func write(to path: String, files: any FileSystem) throws(MediaError) {
        let isRows = PathText.loweredExtension(of: path) == "csv"
        let bytes = isRows ? csv.osBytes : Array((json.pretty + "\n").utf8)
        let folder = PathText.folder(of: path)
        if !folder.isEmpty { try files.makeFolder(folder) }
        do throws(MediaError) {
            let output = try StagedOutput(path, files: files)
            try output.file.write(bytes: bytes)
            try output.commit()
        } catch {
            throw error.prefixed("report")
        }
    }
}
