// Libraries that were compiled without clang's memory sanitizer (libyaml, zlib, HDF5; KLU in a test): it takes what they have
// written for unset. Here the code that calls them vouches for it, and nowhere else. Nothing of this is in other builds.
#ifndef PH_BASE_FOREIGN_H
#define PH_BASE_FOREIGN_H

#include <stddef.h>

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#define PH_MEMORY_SANITIZER
#endif
#endif

#ifdef PH_MEMORY_SANITIZER
#include <sanitizer/msan_interface.h>

// Between these what a library hands to the C library (strlen, write, ...) is not looked at.
#define foreign_enter() __msan_scoped_disable_interceptor_checks()
#define foreign_leave() __msan_scoped_enable_interceptor_checks()
#define foreign_wrote(place, bytes) __msan_unpoison((place), (bytes))
// A function that a library calls: what it is called with was set.
#define FOREIGN_CALLER __attribute__((no_sanitize("memory")))

__attribute__((no_sanitize("memory"))) static inline void foreign_wrote_text(const void *text)
{
    size_t length = 0;
    while (text && ((const volatile char *)text)[length]) length++;
    if (text) __msan_unpoison((void *)text, length + 1);
}
#else
#define foreign_enter() ((void)0)
#define foreign_leave() ((void)0)
#define foreign_wrote(place, bytes) ((void)(place))
#define foreign_wrote_text(text) ((void)(text))
#define FOREIGN_CALLER
#endif

#endif
