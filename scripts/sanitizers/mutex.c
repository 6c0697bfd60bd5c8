// Shows the thread sanitizer what Synchronization.Mutex does where it has to wait: that part is in the runtime library,
// which is not built for the sanitizer, so that each contended mutex would look like a race. Loaded in front of it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Programs that the tests start are not all built for the sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

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
