/* limit/epoll_http.c - the least an epoll HTTP/1.1 server can do on this kernel.
 *
 * Finds the end of each (pipelined) request, looks at the path only when a
 * document root was given, and writes preformatted bytes.  No timers, no
 * logging, no header parsing.  It is a measuring stick, not a server: it is
 * the ceiling against which real servers are put.
 *
 *   epoll_http -p PORT [-r ROOT] [-t THREADS] [-m MEMMAX] [-b BODY] [-P]
 *
 *   -r ROOT    serve files under ROOT: "/x" -> ROOT/x (cached fd); any other
 *              path gets the 12-byte hello
 *   -m MEMMAX  files up to MEMMAX bytes are held in memory (0 = sendfile always)
 *   -t N       N threads, each with its own SO_REUSEPORT listener and epoll
 *   -P         with -t: pin thread i to cpu i
 *   -k BYTES   at most so much of a file per event (0 = as much as fits)
 *   -g NAME    congestion control of the accepted sockets (cubic, reno, bbr)
 *   -w BYTES   SO_SNDBUF   -l BYTES  TCP_NOTSENT_LOWAT
 *   -d         TCP_DEFER_ACCEPT: who is accepted is read at once, and the
 *              poller hears only of those that stay
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAXFD 65536
#define RBUF (256 * 1024)
#define MAXBATCH 64

struct entry { /* one response */
  char path[128];
  size_t plen;
  char* head;
  size_t hlen; /* header, or header+body when fd < 0 */
  int fd;
  off_t size;
};
struct conn {            /* 32 bytes per connection, indexed by fd */
  const struct entry* e; /* response under way */
  uint32_t close_after : 1, checked : 1, out : 1, open : 1, polled : 1;
  uint32_t left; /* whole responses still to write after this one */
  off_t off;     /* offset in the response under way */
  uint32_t part; /* bytes of an unfinished request kept aside */
  char* save;
};

static struct conn conns[MAXFD];
static struct entry hello;
static struct entry cache[64];
static int ncache;
static const char* root;
static size_t memmax = 2048;
static int port = 8080, nthreads = 1, pin, sndbuf, lowat, defer;
static off_t chunk;
static const char* cc;
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;

static size_t mkhead(char* b, size_t cap, off_t len, const char* type) {
  char date[64];
  time_t t = time(NULL);
  struct tm tm;
  gmtime_r(&t, &tm);
  strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
  return snprintf(b, cap,
                  "HTTP/1.1 200 OK\r\nServer: limit/1.0\r\nDate: %s\r\n"
                  "Content-Type: %s\r\nContent-Length: %lld\r\n\r\n",
                  date, type, (long long)len);
}

static const struct entry* lookup(const char* p, size_t n) {
  for (int i = 0; i < ncache; i++)
    if (cache[i].plen == n && !memcmp(cache[i].path, p, n))
      return cache[i].head ? &cache[i] : &hello;
  if (n >= sizeof cache[0].path || n < 2) return &hello;
  const struct entry* r = &hello;
  pthread_mutex_lock(&mu);
  if (ncache < 64) {
    char full[512], h[512];
    struct stat st;
    snprintf(full, sizeof full, "%s%.*s", root, (int)n, p);
    int fd = memmem(p, n, "..", 2) ? -1 : open(full, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
      struct entry* e = &cache[ncache];
      memcpy(e->path, p, n);
      e->plen = n;
      size_t hl = mkhead(h, sizeof h, st.st_size, "application/octet-stream");
      if ((size_t)st.st_size <= memmax) {
        e->head = malloc(hl + st.st_size);
        memcpy(e->head, h, hl);
        if (read(fd, e->head + hl, st.st_size) != st.st_size) abort();
        e->hlen = hl + st.st_size;
        e->fd = -1;
        close(fd);
      } else {
        e->head = malloc(hl);
        memcpy(e->head, h, hl);
        e->hlen = hl;
        e->fd = fd;
        e->size = st.st_size;
      }
      __atomic_store_n(&ncache, ncache + 1, __ATOMIC_RELEASE);
      r = e;
    } else { /* remember that it is not a file */
      if (fd >= 0) close(fd);
      memcpy(cache[ncache].path, p, n);
      cache[ncache].plen = n;
      __atomic_store_n(&ncache, ncache + 1, __ATOMIC_RELEASE);
    }
  }
  pthread_mutex_unlock(&mu);
  return r;
}

static void drop(int fd) {
  struct conn* c = &conns[fd];
  free(c->save);
  memset(c, 0, sizeof *c);
  close(fd);
}

/* write what is under way; 1 done, 0 would block, -1 gone */
static int flush_out(int fd, struct conn* c) {
  const struct entry* e = c->e;
  while (e) {
    if (c->off < (off_t)e->hlen) {
      ssize_t n = send(fd, e->head + c->off, e->hlen - c->off,
                       MSG_NOSIGNAL | (e->fd >= 0 || c->left ? MSG_MORE : 0));
      if (n < 0) return errno == EAGAIN ? 0 : -1;
      c->off += n;
      if (c->off < (off_t)e->hlen) return 0;
    }
    if (e->fd >= 0) {
      off_t o = c->off - e->hlen;
      off_t stop = chunk && o + chunk < e->size ? o + chunk : e->size;
      while (o < stop) {
        ssize_t n = sendfile(fd, e->fd, &o, stop - o);
        if (n < 0) {
          c->off = o + e->hlen;
          return errno == EAGAIN ? 0 : -1;
        }
        if (n == 0) return -1;
      }
      if (o < e->size) {
        c->off = o + e->hlen;
        return 0;
      }
    }
    c->off = 0;
    if (c->left)
      c->left--;
    else
      e = c->e = NULL;
  }
  return 1;
}

static void want_out(int ep, int fd, struct conn* c, int on) {
  if (c->out == (unsigned)on) return;
  c->out = on;
  struct epoll_event ev = {.events = on ? EPOLLOUT : EPOLLIN, .data.fd = fd};
  epoll_ctl(ep, c->polled ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &ev);
  c->polled = 1;
}

static void respond(int ep, int fd, struct conn* c, const struct entry* e, unsigned n) {
  if (n > 1 && e->fd < 0 && e->hlen * n <= 32768) { /* a pipelined batch, one write */
    char b[32768];
    size_t l = 0;
    for (unsigned i = 0; i < n; i++) {
      memcpy(b + l, e->head, e->hlen);
      l += e->hlen;
    }
    ssize_t w = send(fd, b, l, MSG_NOSIGNAL);
    if (w == (ssize_t)l) {
      if (c->close_after) drop(fd);
      return;
    }
    if (w < 0 && errno != EAGAIN) {
      drop(fd);
      return;
    }
    if (w < 0) w = 0;
    c->e = e;
    c->left = n - 1 - w / e->hlen;
    c->off = w % e->hlen;
  } else {
    c->e = e;
    c->left = n - 1;
    c->off = 0;
  }
  int r = flush_out(fd, c);
  if (r < 0)
    drop(fd);
  else if (r == 0)
    want_out(ep, fd, c, 1);
  else if (c->close_after)
    drop(fd);
}

static void on_read(int ep, int fd, char* buf) {
  struct conn* c = &conns[fd];
  size_t have = 0;
  if (c->part) {
    memcpy(buf, c->save, c->part);
    have = c->part;
    c->part = 0;
  }
  ssize_t n = recv(fd, buf + have, RBUF - have, 0);
  if (n <= 0) {
    if (n == 0 || errno != EAGAIN)
      drop(fd);
    else
      c->part = have;
    return;
  }
  have += n;
  if (!c->checked) {
    c->checked = 1;
    if (memmem(buf, have, "HTTP/1.0", 8) || memmem(buf, have, "ion: close", 10)) c->close_after = 1;
  }
  char *p = buf, *end = buf + have, *q;
  unsigned batch = 0;
  const struct entry* cur = NULL;
  /* the common case, one whole request, costs one 4-byte compare */
  while (p < end) {
    if (!batch && end - p >= 4 && end - p < 2048 && !memcmp(end - 4, "\r\n\r\n", 4) &&
        !memmem(p, end - p - 4, "\r\n\r\n", 4))
      q = end - 4;
    else
      q = memmem(p, end - p, "\r\n\r\n", 4);
    if (!q) break;
    const struct entry* e = &hello;
    if (root) {
      char *s = p + 4, *t = memchr(s, ' ', q - s);
      if (t) e = lookup(s, t - s);
    }
    if (cur && (e != cur || e->fd >= 0)) break; /* mixed batch: limit keeps to one kind */
    cur = e;
    batch++;
    p = q + 4;
  }
  if (p < end) {
    if ((size_t)(end - p) > 16384) {
      drop(fd);
      return;
    }
    if (!c->save) c->save = malloc(16384);
    memcpy(c->save, p, end - p);
    c->part = end - p;
  }
  if (batch) respond(ep, fd, c, cur, batch);
}

static void* loop(void* arg) {
  int id = (int)(long)arg, one = 1;
  if (pin) {
    cpu_set_t s;
    CPU_ZERO(&s);
    CPU_SET(id, &s);
    sched_setaffinity(0, sizeof s, &s);
  }
  int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  setsockopt(ls, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
  setsockopt(ls, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* inherited by accepted sockets */
  if (cc && setsockopt(ls, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc))) perror("TCP_CONGESTION");
  if (sndbuf) setsockopt(ls, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof sndbuf);
  if (lowat) setsockopt(ls, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof lowat);
  if (defer) setsockopt(ls, IPPROTO_TCP, TCP_DEFER_ACCEPT, &one, sizeof one);
  struct sockaddr_in a = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(ls, (void*)&a, sizeof a) || listen(ls, 4096)) {
    perror("listen");
    exit(1);
  }
  int ep = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event ev = {.events = EPOLLIN, .data.fd = ls}, evs[512];
  epoll_ctl(ep, EPOLL_CTL_ADD, ls, &ev);
  char* buf = malloc(RBUF);
  for (;;) {
    int k = epoll_wait(ep, evs, 512, -1);
    for (int i = 0; i < k; i++) {
      int fd = evs[i].data.fd;
      if (fd == ls) {
        for (int j = 0; j < 64; j++) {
          int s = accept4(ls, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
          if (s < 0) break;
          if (s >= MAXFD) {
            close(s);
            continue;
          }
          memset(&conns[s], 0, sizeof conns[s]);
          conns[s].open = 1;
          if (defer) on_read(ep, s, buf);
          if (!conns[s].open || conns[s].polled) continue;
          ev.events = EPOLLIN;
          ev.data.fd = s;
          epoll_ctl(ep, EPOLL_CTL_ADD, s, &ev);
          conns[s].polled = 1;
        }
      } else if (evs[i].events & EPOLLOUT) {
        int r = flush_out(fd, &conns[fd]);
        if (r < 0 || (r == 1 && conns[fd].close_after))
          drop(fd);
        else if (r == 1)
          want_out(ep, fd, &conns[fd], 0);
      } else
        on_read(ep, fd, buf);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  int o;
  const char* body = "Hello world!";
  while ((o = getopt(argc, argv, "p:r:t:m:b:Pk:g:w:l:d")) != -1) switch (o) {
      case 'p':
        port = atoi(optarg);
        break;
      case 'r':
        root = optarg;
        break;
      case 't':
        nthreads = atoi(optarg);
        break;
      case 'm':
        memmax = strtoul(optarg, 0, 0);
        break;
      case 'b':
        body = optarg;
        break;
      case 'P':
        pin = 1;
        break;
      case 'k':
        chunk = strtoll(optarg, 0, 0);
        break;
      case 'g':
        cc = optarg;
        break;
      case 'w':
        sndbuf = atoi(optarg);
        break;
      case 'l':
        lowat = atoi(optarg);
        break;
      case 'd':
        defer = 1;
        break;
      default:
        break;
    }
  signal(SIGPIPE, SIG_IGN);
  char h[512];
  size_t n = mkhead(h, sizeof h, strlen(body), "text/plain");
  hello.head = malloc(n + strlen(body));
  memcpy(hello.head, h, n);
  memcpy(hello.head + n, body, strlen(body));
  hello.hlen = n + strlen(body);
  hello.fd = -1;
  for (int i = 1; i < nthreads; i++) {
    pthread_t t;
    pthread_create(&t, NULL, loop, (void*)(long)i);
  }
  loop((void*)0L);
}
