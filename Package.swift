// swift-tools-version: 6.1
// The layers of the toolkit as modules; ARCHITECTURE.md draws them.

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-warnings-as-errors"]),
]

/// A Swift layer under `Sources/`.
func layer(_ name: String, _ path: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(path)",
        swiftSettings: swiftSettings)
}

/// A C library of the system: a module map and a shim header.
func system(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)")
}

/// A folder of tests under `Tests/`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)",
        swiftSettings: swiftSettings)
}

let package = Package(
    name: "mediakit",
    products: [
        .library(name: "Toolkit", targets: ["Toolkit"]),
        .executable(name: "mediakit", targets: ["mediakit"]),
    ],
    targets: [
        system("CFFmpeg"),
        system("CLua"),
        system("CEBUR128"),
        system("CJansson"),
        system("COpenSSL"),
        .target(name: "CShims", dependencies: ["CLua"], path: "Sources/System/CShims"),
        .target(name: "MediaKitPluginABI", path: "Sources/System/MediaKitPluginABI"),
        .target(
            name: "CDSP", path: "Sources/System/CDSP",
            cSettings: [.unsafeFlags(["-O3", "-ffp-contract=off", "-fno-math-errno"])]),

        layer("MediaCore", "Toolkit/Core", ["CShims", "CJansson"]),
        layer("MediaModel", "Toolkit/Model", ["MediaCore", "CFFmpeg"]),
        layer("Licence", "Toolkit/Licence", ["MediaModel", "MediaCore", "COpenSSL"]),
        layer("LibAV", "Toolkit/LibAV", ["MediaModel", "MediaCore", "CFFmpeg"]),
        layer("MediaIO", "Toolkit/IO", ["MediaModel", "MediaCore", "CShims"]),
        layer("Loudness", "Toolkit/Loudness", ["MediaModel", "MediaCore", "CDSP", "CEBUR128"]),
        layer("Pipeline", "Toolkit/Pipeline", ["MediaModel", "MediaCore"]),
        layer("Playback", "Toolkit/Playback", ["Pipeline", "MediaModel", "MediaCore"]),
        layer("Batch", "Toolkit/Batch", ["Pipeline", "Loudness", "MediaModel", "MediaCore"]),
        layer("LuaRuntime", "Toolkit/LuaRuntime", ["MediaCore", "CLua", "CShims"]),
        layer(
            "Scripting", "Toolkit/Scripting",
            [
                "LuaRuntime", "Playback", "Batch", "Pipeline", "Loudness", "Licence", "MediaModel",
                "MediaCore",
            ]),
        layer(
            "Toolkit", "Toolkit/Umbrella",
            [
                "Scripting", "Plugins", "Playback", "Batch", "Pipeline", "Loudness", "Licence",
                "LuaRuntime", "MediaModel", "MediaCore",
            ]),
        layer("Filters", "Filters", ["Loudness", "MediaModel", "MediaCore", "CDSP"]),
        layer(
            "Plugins", "Plugins",
            [
                "MediaIO", "LibAV", "Filters", "Pipeline", "MediaModel", "MediaCore",
                "MediaKitPluginABI", "CShims",
            ]),
        .executableTarget(
            name: "mediakit", dependencies: ["Toolkit", "Plugins"], path: "Sources/mediakit",
            swiftSettings: swiftSettings),

        // The program of docs/library.md, which must do with what is public.
        .executableTarget(
            name: "LibraryExample", dependencies: ["Toolkit"], path: "Tests/LibraryExample",
            packageAccess: false, swiftSettings: swiftSettings),
        .target(
            name: "TestSupport",
            dependencies: ["Toolkit", "Playback", "Plugins", "MediaModel", "MediaCore"],
            // Optimised: it makes and judges sound sample by sample.
            path: "Tests/TestSupport", swiftSettings: swiftSettings + [.unsafeFlags(["-O"])]),
        tests("FiltersTests", ["Filters", "Plugins", "MediaModel", "MediaCore"]),
        tests("LoudnessTests", ["Loudness", "MediaModel", "MediaCore"]),
        tests("CoreTests", ["MediaCore"]),
        tests("LuaRuntimeTests", ["LuaRuntime", "MediaCore"]),
        tests(
            "ScriptingTests",
            [
                "Scripting", "Plugins", "LuaRuntime", "Playback", "Licence", "MediaModel",
                "MediaCore",
            ]),
        tests("ModelTests", ["MediaModel", "MediaCore"]),
        tests(
            "ContractTests", ["Filters", "Plugins", "MediaIO", "MediaModel", "MediaCore"]),
        tests("GoldenTests", ["Plugins", "Pipeline", "MediaModel", "MediaCore"]),
        tests("LibAVTests", ["LibAV", "MediaIO", "Plugins", "MediaModel", "MediaCore"]),
        tests("PipelineTests", ["Pipeline", "Plugins", "LibAV", "MediaModel", "MediaCore"]),
        tests("PlaybackTests", ["Playback", "Pipeline", "Plugins", "MediaModel", "MediaCore"]),
        tests(
            "BatchTests", ["Batch", "Plugins", "Pipeline", "Loudness", "MediaModel", "MediaCore"]),
        tests("FaultTests", ["mediakit", "Batch", "Pipeline", "MediaModel", "MediaCore"]),
        tests("CommandLineTests", ["LibraryExample", "MediaCore"]),
        tests(
            "PluginTests", ["mediakit", "Plugins", "Pipeline", "MediaModel", "MediaCore"]),
        tests(
            "LicenceTests",
            [
                "Licence", "Plugins", "Playback", "Batch", "Pipeline", "LibAV", "MediaModel",
                "MediaCore",
            ]),
    ]
)

// The fuzzer's program, which only compiles under -sanitize=fuzzer (scripts/mk sanitize fuzz).
if Context.environment["MEDIAKIT_FUZZ"] != nil {
    package.targets += [
        .target(name: "FuzzDriver", path: "Fuzz/Driver"),
        .executableTarget(
            name: "mediakit-fuzz",
            dependencies: [
                "FuzzDriver", "Plugins", "Batch", "Scripting", "Licence", "MediaModel",
                "MediaCore",
            ],
            path: "Fuzz/Targets", swiftSettings: swiftSettings,
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),  // gold stops on ASan's symbols
    ]
}

// What measures the border to plugins (scripts/mk bench border).
if Context.environment["MEDIAKIT_BENCH"] != nil {
    package.targets += [
        .target(
            name: "BenchSwell", path: "Bench/Swell",
            cSettings: [.unsafeFlags(["-O2", "-ffp-contract=off"])]),
        .executableTarget(
            name: "mediakit-bench-border",
            dependencies: ["BenchSwell", "Plugins", "MediaModel", "MediaCore"],
            path: "Bench/Border", swiftSettings: swiftSettings),
    ]
}
