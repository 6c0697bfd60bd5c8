#pragma once
#include <stddef.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>

/// Bytes that were allocated and not given back.
static inline size_t allocated_bytes(void) { return mstats().bytes_used; }
#else
#include <malloc.h>

/// Bytes that were allocated and not given back.
static inline size_t allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#endif
