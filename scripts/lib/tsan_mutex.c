// Tells ThreadSanitizer about Swift's Mutex where two threads contend for it: loaded before the
// Synchronization library, whose slow paths (a system call in code that is not instrumented) would
// otherwise look like no synchronisation at all, and every value behind a Mutex like a race.
// Symptom: "Swift access race" inside withLock; seen with Swift 6.3.1.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT_METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT_METHOD void LockSlow(uint32_t thread, SELF void *mutex);
typedef SWIFT_METHOD void UnlockSlow(SELF void *mutex);

SWIFT_METHOD void lock_slow(uint32_t thread, SELF void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT_METHOD void unlock_slow(SELF void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

SWIFT_METHOD void lock_slow(uint32_t thread, SELF void *mutex) {
    static LockSlow *original;
    if (original == NULL)
        original = (LockSlow *)next("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    original(thread, mutex);
    if (__tsan_acquire != NULL) __tsan_acquire(mutex);
}

SWIFT_METHOD void unlock_slow(SELF void *mutex) {
    static UnlockSlow *original;
    if (original == NULL)
        original = (UnlockSlow *)next("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release != NULL) __tsan_release(mutex);
    original(mutex);
}
