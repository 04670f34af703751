// What a machine answers when asked for output.

/// Output, or why there is none now: waiting and ending are answers, not errors.
public enum Pull<Value> {
    /// One unit of output.
    case value(Value)
    /// Send more input first.
    case needsInput
    /// Everything was drained.
    case endOfStream
}
