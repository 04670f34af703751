// The version of the toolkit.

/// The version of the toolkit, as `mediakit --version` prints it.
public enum ToolkitVersion {
    /// Major, minor and patch (semver.org).
    public static let current = "0.1.0"
}
