// The two lines of log_question.cc by snprintf.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: `room` bytes
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
int format_request_by_snprintf(char* to, size_t room, const char* method, const char* path,
                               int status, int micros);
int format_number_by_snprintf(char* to, size_t room, double value);
int format_numbers_by_snprintf(char* to, size_t room, double a, double b, double c);
#ifdef __cplusplus
}
#endif
