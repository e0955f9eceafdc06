// Names for clang's -Wthread-safety; GCC sees nothing.
//
// Thread: -
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#if defined(__clang__)
#define SSX_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define SSX_THREAD_ANNOTATION(x)
#endif

#define SSX_CAPABILITY(name) SSX_THREAD_ANNOTATION(capability(name))
#define SSX_SCOPED_CAPABILITY SSX_THREAD_ANNOTATION(scoped_lockable)
#define SSX_GUARDED_BY(x) SSX_THREAD_ANNOTATION(guarded_by(x))
#define SSX_PT_GUARDED_BY(x) SSX_THREAD_ANNOTATION(pt_guarded_by(x))
#define SSX_REQUIRES(...) SSX_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define SSX_EXCLUDES(...) SSX_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define SSX_ACQUIRE(...) SSX_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define SSX_RELEASE(...) SSX_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define SSX_ASSERT_CAPABILITY(x) SSX_THREAD_ANNOTATION(assert_capability(x))
#define SSX_RETURN_CAPABILITY(x) SSX_THREAD_ANNOTATION(lock_returned(x))
#define SSX_NO_THREAD_SAFETY_ANALYSIS SSX_THREAD_ANNOTATION(no_thread_safety_analysis)
