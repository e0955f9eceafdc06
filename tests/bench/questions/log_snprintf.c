/* The printf way, in C, where the product's rule against printf does not reach. */
#include "tests/bench/questions/log_snprintf.h"

#include <stdio.h>

int format_request_by_snprintf(char* to, size_t room, const char* method, const char* path,
                               int status, int micros) {
  return snprintf(to, room, "%s %s answered %d in %d us", method, path, status, micros);
}

int format_number_by_snprintf(char* to, size_t room, double value) {
  return snprintf(to, room, "%.12g", value);
}

int format_numbers_by_snprintf(char* to, size_t room, double a, double b, double c) {
  return snprintf(to, room, "load %.12g %.12g %.12g", a, b, c);
}
