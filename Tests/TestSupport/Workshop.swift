// Builds plugin files for the tests: the examples, the VVC plugin, and bad ones.

public import MediaCore
public import MediaModel
public import Plugins

/// The repository and a compiler.
public enum Workshop {
    /// The repository's folder.
    public static let root = String(
        #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    )
    .prefixed("/")
    /// The folder of the plugin header.
    public static let header = "\(root)/Sources/System/MediaKitPluginABI/include"

    /// Compiles C or C++ into a shared library.
    @discardableResult
    public static func compile(
        _ source: String, to output: String, _ flags: [String] = []
    ) throws(MediaError) -> String {
        let result = try run(
            "cc",
            [
                "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", "-O2",
                "-I", header, source, "-o", output, "-lm",
            ] + flags)
        guard result.status == 0 else { throw MediaError(.internalError, result.errorText) }
        return output
    }

    /// One of the examples.
    public static func example(_ name: String, in folder: TemporaryFolder) throws(MediaError)
        -> String
    {
        try compile(
            "\(root)/scripts/examples/plugin-c/\(name).c", to: folder.file("\(name).so"))
    }

    /// Builds a plugin by the `cc` line of its own instructions.
    ///
    /// - Parameters:
    ///   - line: the instruction, with paths from `place`.
    ///   - place: where in the repository it is meant to be run.
    ///   - name: the source file, with `text` in it; the result has `.so` instead of `.c`.
    public static func build(
        by line: String, at place: String, _ name: String, _ text: [UInt8],
        in folder: TemporaryFolder
    ) throws(MediaError) -> String {
        let bench = place.isEmpty ? folder.path : folder.file(place)
        let made = try run(
            "sh",
            [
                "-ec",
                "mkdir -p \"$1\"; ln -s \"$2/Sources\" \"$3/Sources\"; cat >\"$1/$4\"; "
                    + "cd \"$1\"; \(line)", "sh", bench, root, folder.path, name,
            ], input: text)
        guard made.status == 0 else { throw MediaError(.internalError, made.errorText) }
        return "\(bench)/\(name.dropLast(2)).so"
    }

    /// A plugin of a few lines of C: `parts` goes before the descriptor, `members` into it.
    public static func plugin(
        _ name: String, in folder: TemporaryFolder, parts: String = "", members: String = "",
        entry: String = "return &plugin;", api: String = "MK_API_VERSION", file: String? = nil
    ) throws(MediaError) -> String {
        let source = try folder.write(
            "\(file ?? name).c",
            """
            #include <mediakit_plugin.h>
            #include <stdlib.h>
            \(parts)
            const mk_plugin plugin = {.struct_size = sizeof(mk_plugin), .api_version = \(api),
                .name = "\(name)", .version = "1", .license = "0BSD", .summary = "A test.",
                \(members)};
            MK_EXPORT const mk_plugin *mediakit_plugin(const mk_host *host) {
                (void)host;
                \(entry)
            }

            """.utf8)
        return try compile(source, to: folder.file("\(file ?? name).so"))
    }

    /// A filter that does nothing, as a part of a plugin.
    public static func idleFilter(_ name: String, options: String = "") -> String {
        """
        static int32_t create(const mk_host *h, const mk_value *v, size_t c, void **self) {
            (void)h, (void)v, (void)c;
            *self = malloc(1);
            return MK_OK;
        }
        static int32_t configure(void *s, const mk_audio_format *i, mk_audio_format *o) {
            (void)s, (void)i, (void)o;
            return MK_OK;
        }
        static int32_t process(void *s, const mk_audio *input, mk_emit emit, void *sink) {
            (void)s;
            return input ? emit(sink, input) : MK_OK;
        }
        static void flush(void *s) { (void)s; }
        static void destroy(void *s) { free(s); }
        static const mk_option option = {.struct_size = sizeof(mk_option), \(options)};
        static const mk_option *const options[] = {&option};
        static const mk_filter filter = {.struct_size = sizeof(mk_filter), .name = "\(name)",
            .summary = "Does nothing.", .options = options,
            .option_count = \(options.isEmpty ? 0 : 1), .create = create,
            .configure = configure, .process = process, .flush = flush, .destroy = destroy};
        static const mk_filter *const filters[] = {&filter};
        """
    }
    /// A decoder that takes streams of a codec and gives nothing, as a part of a plugin.
    public static func idleDecoder(
        _ name: String, codec: String, rank: Int = 0, create: String = "*self = malloc(1);"
    ) -> String {
        """
        #include <string.h>
        static int32_t supports(const mk_parameters *p) { return !strcmp(p->codec, "\(codec)"); }
        static int32_t create(const mk_host *h, const mk_decoder_request *r, void **self) {
            (void)h, (void)r, (void)self;
            \(create)
            return MK_OK;
        }
        static int32_t send(void *s, const mk_packet *p) { (void)s, (void)p; return MK_OK; }
        static int32_t receive(void *s, mk_frame *f) { (void)s, (void)f; return MK_AGAIN; }
        static void flush(void *s) { (void)s; }
        static void destroy(void *s) { free(s); }
        static const mk_option threads = {.struct_size = sizeof(mk_option), .kind = MK_INT,
            .name = "effort", .summary = "How hard it tries.", .minimum = 1, .maximum = 9,
            .default_number = 3};
        static const mk_option *const options[] = {&threads};
        static const mk_decoder decoder = {.struct_size = sizeof(mk_decoder), .rank = \(rank),
            .name = "\(name)", .summary = "Does nothing.", .options = options, .option_count = 1,
            .supports = supports, .create = create, .send = send, .receive = receive,
            .flush = flush, .destroy = destroy};
        static const mk_decoder *const decoders[] = {&decoder};
        """
    }
    /// The members of the descriptor for it.
    public static let decoderMembers = ".decoders = decoders, .decoder_count = 1"

    /// The members of the descriptor for it.
    public static let filterMembers = ".filters = filters, .filter_count = 1"

    /// The VVC plugin; built where it is missing or older than its sources.
    public static let vvc: Result<String, MediaError> = {
        do throws(MediaError) {
            let made = try run("make", ["-s", "-C", "\(root)/vvc"], seconds: 1200)
            let path = try run(
                "make", ["-s", "--no-print-directory", "-C", "\(root)/vvc", "path"])
            guard made.status == 0, path.status == 0 else {
                throw MediaError(.internalError, made.errorText + path.errorText)
            }
            return .success(String(path.text.split(separator: "\n").last ?? ""))
        } catch {
            return .failure(error)
        }
    }()
}

extension String {
    fileprivate func prefixed(_ text: String) -> String { hasPrefix(text) ? self : text + self }
}

/// A registry of what is built in, and a loader for more.
public struct Bench: Sendable {
    /// What is built in, and what was loaded.
    public let registry: PluginRegistry
    /// Loads more.
    public let loader: PluginLoader

    /// Makes a registry that has loaded nothing yet.
    public init() throws(MediaError) {
        registry = try BuiltinPlugins.makeRegistry()
        loader = PluginLoader(into: registry)
    }

    /// Opens a medium.
    public func open(_ path: String) throws(MediaError) -> any MediaSource {
        try registry.openSource(path, SourceContext(registry: registry))
    }
}
