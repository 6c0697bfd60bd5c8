// What the thread sanitizer has to be told of Swift on Linux, loaded in front of the tests.
//
// Synchronization.Mutex waits in the runtime library, which is not built for the sanitizer, so that each contended mutex
// would look like a race. And the concurrency runtime, which would tell the sanitizer how tasks follow each other, finds
// it by itself on other systems only, and says nothing of continuations that are resumed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Programs that the tests start are not all built for the sanitizer, or in Swift.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));
extern bool _swift_tsan_enabled __attribute__((weak));
extern void (*_swift_tsan_acquire)(void *address) __attribute__((weak));
extern void (*_swift_tsan_release)(void *address) __attribute__((weak));

__attribute__((constructor)) static void introduce(void) {
  if (!__tsan_acquire || !&_swift_tsan_enabled) return;
  _swift_tsan_acquire = __tsan_acquire;
  _swift_tsan_release = __tsan_release;
  _swift_tsan_enabled = true;
}

#define HANDLE "$s15Synchronization12_MutexHandleV"
#define SELF __attribute__((swift_context)) void *self
#define SWIFT __attribute__((swiftcall))

SWIFT void lock_slow(uint32_t owner, SELF) __asm__(HANDLE "9_lockSlowyys6UInt32VF");
SWIFT void unlock_slow(SELF) __asm__(HANDLE "11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t owner, SELF) {
  SWIFT void (*original)(uint32_t, SELF) = dlsym(RTLD_NEXT, HANDLE "9_lockSlowyys6UInt32VF");
  original(owner, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
  SWIFT void (*original)(SELF) = dlsym(RTLD_NEXT, HANDLE "11_unlockSlowyyF");
  if (__tsan_release) __tsan_release(self);
  original(self);
}

SWIFT void swift_continuation_resume(void *task);
SWIFT void swift_continuation_throwingResume(void *task);

SWIFT void swift_continuation_resume(void *task) {
  SWIFT void (*original)(void *) = dlsym(RTLD_NEXT, "swift_continuation_resume");
  if (__tsan_release) __tsan_release(task);
  original(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
  SWIFT void (*original)(void *) = dlsym(RTLD_NEXT, "swift_continuation_throwingResume");
  if (__tsan_release) __tsan_release(task);
  original(task);
}
