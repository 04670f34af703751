// Queues, mailboxes, cancellation and threads.

import Glibc
import MediaCore
import TestSupport
import Testing

private func soon(_ seconds: Double = Sanitizer.patience(5)) -> MediaTime {
    SystemTimeSource().now + MediaTime(seconds: seconds)
}

@Suite struct QueueTests {
    @Test func keepsOrderAcrossThreadsAndFullness() {
        let queue = BoundedQueue<Int>(limit: 4)
        let producer = WorkerThread("mk-test") {
            for number in 0..<5000 where !queue.push(number) { return }
            queue.finish()
        }
        var taken: [Int] = []
        while case .element(let number, _) = queue.pop(until: soon()) { taken.append(number) }
        producer.join()
        #expect(taken == Array(0..<5000))
    }

    @Test func anElementLargerThanTheLimitPasses() {
        let queue = BoundedQueue<Int>(limit: 10) { $0 }
        #expect(queue.push(1000))
        guard case .element(1000, _)? = queue.pop(until: soon()) else {
            Issue.record("nothing came")
            return
        }
    }

    @Test("costs that no sum can hold stop nothing") func absurdCosts() async {
        await #expect(processExitsWith: .success) {
            let queue = BoundedQueue<Int>(limit: 10) { $0 }
            for cost in [4, .max, .min, .max] {
                _ = queue.push(cost, epoch: Epoch(), within: 5, until: .zero)
            }
            for _ in 0..<4 {
                guard case .element? = queue.pop(until: .zero) else { fatalError("one is gone") }
            }
            exit(queue.fill == 0 ? 0 : 1)
        }
    }

    @Test func aProducerMayReachFurtherOrGiveUp() {
        let queue = BoundedQueue<Int>(limit: 2)
        func push(_ number: Int, within factor: Int) -> Bool? {
            let deadline = SystemTimeSource().now + .milliseconds(20)
            return queue.push(number, epoch: Epoch(), within: factor, until: deadline)
        }
        #expect(push(1, within: 1) == true)
        #expect(push(2, within: 1) == true)
        #expect(push(3, within: 1) == nil)
        #expect(push(4, within: 2) == true)
        #expect(queue.fill == 3)
        queue.close()
        #expect(push(5, within: 1) == false)
    }

    @Test func anOlderEpochVanishes() {
        let queue = BoundedQueue<String>(limit: 10)
        #expect(queue.push("old", epoch: Epoch(0)))
        queue.advance(to: Epoch(1))
        #expect(queue.push("stale", epoch: Epoch(0)))
        #expect(queue.push("new", epoch: Epoch(1)))
        guard case .element("new", Epoch(1))? = queue.pop(until: soon()) else {
            Issue.record("a stale element came")
            return
        }
        #expect(queue.fill == 0)
    }

    @Test func aConsumerIsWokenWhenEnoughWaitsOrNothingMoreComes() {
        let queue = BoundedQueue<Int>(limit: 100, wakeLevel: 10)
        let taken = Monitor<[Int]>([])
        let consumer = WorkerThread("mk-test") {
            while case .element(let number, _)? = queue.pop() {
                taken.withLock { $0.append(number) }
            }
        }
        // Fewer than ten may stay behind until the end, wherever the consumer was when they came.
        for number in 0..<50 { _ = queue.push(number) }
        #expect(taken.wait(until: soon()) { $0.count > 40 ? true : nil } == true)
        queue.finish()
        consumer.join()
        #expect(taken.withLock { $0 } == Array(0..<50))
    }

    @Test func theEndOfAnEpochIsToldOnce() {
        let queue = BoundedQueue<Int>(limit: 10)
        queue.advance(to: Epoch(1))
        queue.finish(epoch: Epoch(1))
        guard case .finished(Epoch(1))? = queue.pop(until: soon()) else {
            Issue.record("the end did not come")
            return
        }
        #expect(queue.pop(until: soon(0.05), knowingEndOf: Epoch(1)) == nil)
        queue.advance(to: Epoch(2))
        _ = queue.push(7, epoch: Epoch(2))
        guard case .element(7, Epoch(2))? = queue.pop(until: soon(), knowingEndOf: Epoch(1)) else {
            Issue.record("the next epoch did not come")
            return
        }
    }

    @Test func closeWakesAWaitingProducer() {
        let queue = BoundedQueue<Int>(limit: 1)
        _ = queue.push(1)
        let result = Monitor<Bool?>(nil)
        let producer = WorkerThread("mk-test") {
            let accepted = queue.push(2)
            result.withLock { $0 = accepted }
        }
        queue.close()
        producer.join()
        #expect(result.withLock { $0 } == false)
    }

    @Test func popReturnsAtItsDeadline() {
        let queue = BoundedQueue<Int>(limit: 1)
        #expect(queue.pop(until: soon(0.01)) == nil)
    }

    @Test("a deadline before the clock's start has passed")
    func negativeDeadline() {
        let done = Monitor(false)
        let waiter = WorkerThread("mk-test") {
            let past = MediaTime(nanoseconds: -1_500_000_000)
            let answer = Monitor(0).wait(until: past) { _ -> Bool? in nil }
            done.withLock { $0 = answer == nil }
        }
        let isDone = done.wait(until: soon()) { $0 ? true : nil } == true
        #expect(isDone)
        if isDone { waiter.join() } else { waiter.abandon() }
    }

    @Test func aMailboxGivesAllInOrderAndEndsWhenClosed() {
        let box = Mailbox<Int>()
        box.post(1)
        box.post(2)
        #expect(box.receive(until: soon()) == [1, 2])
        #expect(box.receive(until: soon(0.01)) == [])
        box.close()
        #expect(!box.post(3))
        #expect(box.receive() == [])
    }

    @Test func cancellationReachesChildrenAndLateCallbacks() {
        let parent = CancellationToken()
        let (child, registration) = parent.makeChild()
        let count = Monitor(0)
        child.onCancel { count.withLock { $0 += 1 } }
        let removed = child.onCancel { count.withLock { $0 += 100 } }
        removed.remove()
        parent.cancel()
        parent.cancel()
        child.onCancel { count.withLock { $0 += 10 } }
        registration.remove()
        #expect(child.isCancelled)
        #expect(count.withLock { $0 } == 11)
        #expect(throws: MediaError.self) { try child.check() }
    }

    @Test func eventsComeInOrderUntilTheSubscriptionEnds() {
        let bus = EventBus<Int>()
        let seen = Monitor<[Int]>([])
        let subscription = bus.subscribe { event in seen.withLock { $0.append(event) } }
        bus.post(1)
        bus.post(2)
        subscription.cancel()
        bus.post(3)
        #expect(seen.withLock { $0 } == [1, 2])
    }
}
