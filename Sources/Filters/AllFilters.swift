// The list of our filters.

public import MediaModel

/// The filters of the toolkit itself; `Plugins` puts them into the registry.
public enum AllFilters {
    /// One of each.
    public static let plugins: [any FilterPlugin] = [
        AudioEnhance(), DialogueEnhance(), OutputChannel(), LoudnessNormalizer(), Surround(),
    ]
}
