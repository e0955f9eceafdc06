// What a side was compiled with, as one line: part of a plugin's description, and of what a host
// compares it with where the plugin asks for that (SSXRVER_PLUGIN_SAME_TOOLCHAIN).
//
// Thread: a literal
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#if defined(__clang__)
#define SSXRVER_TOOLCHAIN_COMPILER "clang " __clang_version__
#else
#define SSXRVER_TOOLCHAIN_COMPILER "gcc " __VERSION__
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SSXRVER_TOOLCHAIN_SANITIZER ", address sanitizer"
#elif __has_feature(thread_sanitizer)
#define SSXRVER_TOOLCHAIN_SANITIZER ", thread sanitizer"
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SSXRVER_TOOLCHAIN_SANITIZER ", address sanitizer"
#elif defined(__SANITIZE_THREAD__)
#define SSXRVER_TOOLCHAIN_SANITIZER ", thread sanitizer"
#endif
#ifndef SSXRVER_TOOLCHAIN_SANITIZER
#define SSXRVER_TOOLCHAIN_SANITIZER ""
#endif

/// "gcc 12.2.0, C++20, address sanitizer"
#define SSXRVER_TOOLCHAIN SSXRVER_TOOLCHAIN_COMPILER ", C++20" SSXRVER_TOOLCHAIN_SANITIZER
