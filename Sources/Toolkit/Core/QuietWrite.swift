// Writing to what may have lost its reader.

internal import Glibc

/// `write(2)` that reports a reader that has gone by EPIPE alone: SIGPIPE, which would end a program
/// that does not ignore it, is held off on this thread and taken back.
///
/// `errno` is that of the write.
func writeWithoutSignal(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    var pending = sigset_t()
    sigemptyset(&pending)
    sigpending(&pending)
    // Held off by the program already, for whom one more changes nothing.
    if sigismember(&pending, SIGPIPE) == 1 { return write(descriptor, start, count) }
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var old = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &old)
    let written = write(descriptor, start, count)
    let number = errno
    if written < 0, number == EPIPE {
        var atOnce = timespec()
        while sigtimedwait(&pipe, nil, &atOnce) < 0, errno == EINTR {}
    }
    pthread_sigmask(SIG_SETMASK, &old, nil)
    errno = number
    return written
}
