// The nearest known word to a mistyped one.

/// Finds what a user may have meant.
public enum Suggestion {
    /// `; did you mean 'x'?`, or nothing when no known word is near.
    public static func sentence(for word: String, among known: [String]) -> String {
        guard let nearest = nearest(to: word, among: known) else { return "" }
        return "; did you mean '\(nearest)'?"
    }

    /// The known word with the fewest edits, if those are at most a third of its length.
    public static func nearest(to word: String, among known: [String]) -> String? {
        let scored = known.map {
            (word: $0, distance: distance(word.lowercased(), $0.lowercased()))
        }
        guard let best = scored.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, best.word.count / 3)
        else { return nil }
        return best.word
    }

    private static func distance(_ a: String, _ b: String) -> Int {
        let right = Array(b)
        var row = Array(0...right.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in right.indices {
                let substituted = diagonal + (left == right[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, min(row[j], row[j + 1]) + 1)
            }
        }
        return row[right.count]
    }
}
