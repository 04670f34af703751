// What several threads give, in the order of what it was made from.

/// Puts what comes from several threads into the order of turns.
///
/// A turn is one step of the thread that reads: what the lanes make of one packet, however long it
/// takes them. Elements of the first turn that is not over pass at once, those of later turns wait.
struct TurnOrder<Element> {
    private struct Turn {
        var elements: [Element] = []
        var head = 0
        var cost = 0
        var isOver = false
    }

    private var turns: [Turn] = []
    private var head = 0
    private var firstNumber = 0

    /// The cost of all that waits.
    private(set) var waiting = 0

    /// Begins a turn behind all others and gives its number.
    mutating func begin() -> Int {
        turns.append(Turn())
        return firstNumber + turns.count - head - 1
    }

    /// Adds an element to a turn that is not over.
    mutating func add(_ element: Element, cost: Int, to number: Int) {
        let place = head + number - firstNumber
        turns[place].elements.append(element)
        turns[place].cost += cost
        waiting += cost
    }

    /// Says that a turn gives nothing more.
    mutating func end(_ number: Int) { turns[head + number - firstNumber].isOver = true }

    /// The next element in order; nil where that is still to come.
    mutating func next() -> Element? {
        while head < turns.count {
            if turns[head].head < turns[head].elements.count {
                turns[head].head += 1
                return turns[head].elements[turns[head].head - 1]
            }
            waiting -= turns[head].cost
            turns[head] = Turn(isOver: turns[head].isOver)
            guard turns[head].isOver else { return nil }
            head += 1
            firstNumber += 1
            if head >= 64, head * 2 >= turns.count {
                turns.removeFirst(head)
                head = 0
            }
        }
        return nil
    }
}
