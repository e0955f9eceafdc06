// The floor of a single-row select: the client library alone, blocking, a thread per connection.
//
//   mysql_select SOCKET USER PASSWORD DATABASE IN_FLIGHT QUERIES
//
// Prints queries per second, and microseconds of CPU per query of this process.
#include <mysql.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static char** options;

static void die(const char* what) {
  fprintf(stderr, "mysql_select: %s\n", what);
  exit(1);
}

static double cpu_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void* ask(void* count) {
  static const char kSql[] = "SELECT id, name, score FROM bench WHERE id = ?";
  long queries = *(long*)count;
  int key, id;
  double score;
  char name[64];
  unsigned long length;
  MYSQL_BIND place, columns[3];
  MYSQL* mysql = mysql_init(NULL);
  mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  if (!mysql_real_connect(mysql, NULL, options[2], options[3], options[4], 0, options[1], 0)) {
    die(mysql_error(mysql));
  }
  MYSQL_STMT* statement = mysql_stmt_init(mysql);
  if (mysql_stmt_prepare(statement, kSql, sizeof kSql - 1)) die(mysql_stmt_error(statement));
  memset(&place, 0, sizeof place);
  memset(columns, 0, sizeof columns);
  place.buffer_type = MYSQL_TYPE_LONG;
  place.buffer = &key;
  columns[0].buffer_type = MYSQL_TYPE_LONG;
  columns[0].buffer = &id;
  columns[1].buffer_type = MYSQL_TYPE_STRING;
  columns[1].buffer = name;
  columns[1].buffer_length = sizeof name;
  columns[1].length = &length;
  columns[2].buffer_type = MYSQL_TYPE_DOUBLE;
  columns[2].buffer = &score;
  if (mysql_stmt_bind_param(statement, &place) || mysql_stmt_bind_result(statement, columns)) {
    die(mysql_stmt_error(statement));
  }
  for (long i = 0; i < queries; ++i) {
    key = 1 + (int)(i % 1000);
    if (mysql_stmt_execute(statement)) die(mysql_stmt_error(statement));
    if (mysql_stmt_fetch(statement) || id != key) die("not the row that was asked for");
    if (mysql_stmt_fetch(statement) != MYSQL_NO_DATA) die("more than one row");
    mysql_stmt_free_result(statement);
  }
  mysql_stmt_close(statement);
  mysql_close(mysql);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 7) die("SOCKET USER PASSWORD DATABASE IN_FLIGHT QUERIES");
  options = argv;
  int in_flight = atoi(argv[5]);
  long each = atol(argv[6]) / in_flight;
  pthread_t* threads = calloc((size_t)in_flight, sizeof *threads);
  mysql_library_init(0, NULL, NULL);
  double began = seconds();
  double worked = cpu_seconds();
  for (int i = 0; i < in_flight; ++i) pthread_create(&threads[i], NULL, &ask, &each);
  for (int i = 0; i < in_flight; ++i) pthread_join(threads[i], NULL);
  double queries = (double)(each * in_flight);
  printf("%.0f %.2f\n", queries / (seconds() - began), (cpu_seconds() - worked) / queries * 1e6);
  free(threads);
  return 0;
}
