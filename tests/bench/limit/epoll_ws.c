/* limit/epoll_ws.c - the least an epoll WebSocket echo server can do.
 *
 * One thread, one shared receive buffer, no memory per connection beyond a
 * 48-byte slot while nothing is stuck.  A frame is echoed while it streams
 * through (header out, payload unmasked in place, never collected), so a big
 * message costs one pass.  Path "/bulk...": the payload is unmasked and
 * counted, and the end of each message is answered with a text frame holding
 * its length in decimal.  No UTF-8 check, no limits: a measuring stick.
 *
 *   epoll_ws -p PORT [-t THREADS] [-d] [-g CC] [-b BYTES] [-l BYTES]
 *   -d  "/bulk" does not unmask   -g  congestion control   -b  bytes per read (128 KB, at most 512
 * KB) -l  SO_RCVLOWAT while a frame has more than so much left (fewer wake-ups)
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAXFD 65536
#define RBUF (512 * 1024)

struct conn {
  uint64_t left;  /* payload bytes of the frame under way */
  uint64_t count; /* bytes of the message under way (bulk) */
  char* pend;     /* bytes that could not be sent */
  uint32_t plen, poff;
  uint8_t key[4];
  uint8_t hdr[14], hl; /* a header (or a control frame's header) split by a read */
  uint8_t phase, ws, bulk, op, fin, out, low;
};
static struct conn conns[MAXFD];
static int port = 9000, nthreads = 1, lazy, lowat;
static size_t rbuf = 128 * 1024;
static const char* cc;

static void sha1(const uint8_t* m, size_t n, uint8_t out[20]) {
  uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  uint8_t b[128];
  memset(b, 0, sizeof b);
  memcpy(b, m, n);
  b[n] = 0x80;
  size_t tot = n + 9 <= 64 ? 64 : 128;
  for (int i = 0; i < 8; i++) b[tot - 1 - i] = (uint8_t)((n * 8ull) >> (8 * i));
  for (size_t o = 0; o < tot; o += 64) {
    uint32_t w[80];
    for (int i = 0; i < 16; i++) {
      uint32_t t;
      memcpy(&t, b + o + 4 * i, 4);
      w[i] = ntohl(t);
    }
    for (int i = 16; i < 80; i++) {
      uint32_t t = w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16];
      w[i] = t << 1 | t >> 31;
    }
    uint32_t a = h[0], bb = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; i++) {
      uint32_t f, k;
      if (i < 20) {
        f = (bb & c) | (~bb & d);
        k = 0x5A827999;
      } else if (i < 40) {
        f = bb ^ c ^ d;
        k = 0x6ED9EBA1;
      } else if (i < 60) {
        f = (bb & c) | (bb & d) | (c & d);
        k = 0x8F1BBCDC;
      } else {
        f = bb ^ c ^ d;
        k = 0xCA62C1D6;
      }
      uint32_t t = (a << 5 | a >> 27) + f + e + k + w[i];
      e = d;
      d = c;
      c = bb << 30 | bb >> 2;
      bb = a;
      a = t;
    }
    h[0] += a;
    h[1] += bb;
    h[2] += c;
    h[3] += d;
    h[4] += e;
  }
  for (int i = 0; i < 5; i++) {
    uint32_t t = htonl(h[i]);
    memcpy(out + 4 * i, &t, 4);
  }
}

static void accept_key(const char* key, char* out) {
  static const char B[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint8_t s[64], d[21] = {0};
  memcpy(s, key, 24);
  memcpy(s + 24, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", 36);
  sha1(s, 60, d);
  for (int i = 0, j = 0; i < 21; i += 3, j += 4) {
    uint32_t v = d[i] << 16 | d[i + 1] << 8 | d[i + 2];
    out[j] = B[v >> 18];
    out[j + 1] = B[v >> 12 & 63];
    out[j + 2] = B[v >> 6 & 63];
    out[j + 3] = B[v & 63];
  }
  out[27] = '=';
}

/* dst <= src; key already rotated to the first byte */
static void unmask(uint8_t* dst, const uint8_t* src, size_t n, const uint8_t key[4]) {
  typedef uint8_t v64 __attribute__((vector_size(64)));
  typedef uint32_t w16 __attribute__((vector_size(64)));
  uint32_t k;
  memcpy(&k, key, 4);
  w16 kw = (w16){0} + k;
  v64 kv = (v64)kw;
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    v64 t;
    memcpy(&t, src + i, 64);
    t ^= kv;
    memcpy(dst + i, &t, 64);
  }
  for (; i + 4 <= n; i += 4) {
    uint32_t t;
    memcpy(&t, src + i, 4);
    t ^= k;
    memcpy(dst + i, &t, 4);
  }
  for (; i < n; i++) dst[i] = src[i] ^ key[i & 3];
}

static void drop(int fd) {
  free(conns[fd].pend);
  memset(&conns[fd], 0, sizeof conns[fd]);
  close(fd);
}

static void arm(int ep, int fd, struct conn* c, int out) {
  if (c->out == out) return;
  c->out = out;
  struct epoll_event ev = {.events = out ? EPOLLOUT : EPOLLIN, .data.fd = fd};
  epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev);
}

/* 0 ok, -1 gone */
static int put(int ep, int fd, struct conn* c, const void* b, size_t n) {
  if (!c->plen) {
    ssize_t w = send(fd, b, n, MSG_NOSIGNAL);
    if (w == (ssize_t)n) return 0;
    if (w < 0 && errno != EAGAIN) {
      drop(fd);
      return -1;
    }
    if (w < 0) w = 0;
    b = (const char*)b + w;
    n -= w;
  }
  c->pend = realloc(c->pend, c->plen + n);
  memcpy(c->pend + c->plen, b, n);
  c->plen += n;
  arm(ep, fd, c, 1);
  return 0;
}

static void handshake(int ep, int fd, struct conn* c, char* buf, size_t n) {
  char* e = memmem(buf, n, "\r\n\r\n", 4);
  char* k = memmem(buf, n, "Sec-WebSocket-Key: ", 19);
  if (!k) k = memmem(buf, n, "sec-websocket-key: ", 19);
  if (!e || !k || k + 19 + 24 > buf + n) {
    drop(fd);
    return;
  } /* the harness sends it whole */
  char r[256] =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
      "Upgrade\r\nSec-WebSocket-Accept: ";
  size_t l = strlen(r);
  accept_key(k + 19, r + l);
  memcpy(r + l + 28, "\r\n\r\n", 4);
  c->ws = 1;
  c->bulk = !memcmp(buf, "GET /bulk", 9);
  put(ep, fd, c, r, l + 32);
}

static void on_read(int ep, int fd, uint8_t* buf) {
  struct conn* c = &conns[fd];
  uint8_t* base = buf + 64; /* room for a saved header in front */
  ssize_t n = recv(fd, base, c->bulk && rbuf > 65536 ? 65536 : rbuf,
                   0); /* what stays in L2 is cheapest to throw away */
  if (n <= 0) {
    if (n == 0 || errno != EAGAIN) drop(fd);
    return;
  }
  if (!c->ws) {
    handshake(ep, fd, c, (char*)base, n);
    return;
  }
  uint8_t *p = base - c->hl, *end = base + n, *o;
  if (c->hl) {
    memcpy(p, c->hdr, c->hl);
    c->hl = 0;
  }
  uint8_t* out = o = p; /* echo output never overtakes input */
  int closing = 0;
  while (p < end) {
    if (c->left) { /* payload of the frame under way */
      size_t m = (size_t)(end - p) < c->left ? (size_t)(end - p) : c->left;
      uint8_t rk[4];
      for (int i = 0; i < 4; i++) rk[i] = c->key[(c->phase + i) & 3];
      if (!c->bulk) {
        unmask(o, p, m, rk);
        o += m;
      } else {
        if (!lazy) unmask(p, p, m, rk);
        c->count += m;
      }
      c->phase = (c->phase + m) & 3;
      c->left -= m;
      p += m;
      if (c->left) break;
      goto ended;
    }
    size_t avail = end - p, hl = 6;
    if (avail >= 2) {
      unsigned l7 = p[1] & 127;
      hl = 6 + (l7 == 126 ? 2 : l7 == 127 ? 8 : 0);
    }
    /* control frames are taken whole */
    if (avail < hl || ((p[0] & 8) && avail < hl + (p[1] & 127))) {
      if (avail > sizeof c->hdr) { /* a control frame cut in its payload: rare, give up */
        closing = 1;
        break;
      }
      memcpy(c->hdr, p, avail);
      c->hl = avail;
      p = end;
      break;
    }
    uint8_t b0 = p[0];
    unsigned l7 = p[1] & 127;
    uint64_t len = l7;
    if (l7 == 126)
      len = p[2] << 8 | p[3];
    else if (l7 == 127) {
      uint64_t t;
      memcpy(&t, p + 2, 8);
      len = __builtin_bswap64(t);
    }
    memcpy(c->key, p + hl - 4, 4);
    c->phase = 0;
    c->fin = b0 >> 7;
    c->op = b0 & 15;
    uint8_t oh[10];
    size_t ol = hl - 4;
    if (c->op == 9) b0 = 0x8a;
    oh[0] = b0;
    oh[1] = l7;
    memcpy(oh + 2, p + 2, ol - 2);
    p += hl;
    if (c->op == 8) closing = 1;
    if (!c->bulk || c->op == 8) {
      memcpy(o, oh, ol);
      o += ol;
      if (c->bulk) {
        unmask(o, p, len, c->key);
        o += len;
        p += len;
        break;
      }
    }
    c->left = len;
    if (len) continue;
  ended:
    if (c->bulk && c->fin && !(c->op & 8)) {
      char t[24];
      int k = snprintf(t + 2, sizeof t - 2, "%llu", (unsigned long long)c->count);
      t[0] = (char)0x81;
      t[1] = k;
      c->count = 0;
      if (put(ep, fd, c, t, k + 2)) return;
    }
    if (closing) break;
  }
  if (lowat && c->low != (c->left > (uint64_t)lowat)) {
    int v = (c->low = c->left > (uint64_t)lowat) ? lowat : 1;
    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &v, sizeof v);
  }
  if (o > out && put(ep, fd, c, out, o - out)) return;
  if (closing) drop(fd);
}

static void* loop(void* arg) {
  (void)arg;
  int one = 1;
  int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  setsockopt(ls, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
  setsockopt(ls, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (cc && setsockopt(ls, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc))) perror("TCP_CONGESTION");
  struct sockaddr_in a = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(ls, (void*)&a, sizeof a) || listen(ls, 4096)) {
    perror("listen");
    exit(1);
  }
  int ep = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event ev = {.events = EPOLLIN, .data.fd = ls}, evs[512];
  epoll_ctl(ep, EPOLL_CTL_ADD, ls, &ev);
  uint8_t* buf = malloc(RBUF + 128);
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
          ev.events = EPOLLIN;
          ev.data.fd = s;
          epoll_ctl(ep, EPOLL_CTL_ADD, s, &ev);
        }
      } else if (conns[fd].out) {
        struct conn* c = &conns[fd];
        ssize_t w = send(fd, c->pend + c->poff, c->plen - c->poff, MSG_NOSIGNAL);
        if (w < 0 && errno != EAGAIN) {
          drop(fd);
          continue;
        }
        if (w > 0) c->poff += w;
        if (c->poff == c->plen) {
          c->plen = c->poff = 0;
          free(c->pend);
          c->pend = NULL;
          arm(ep, fd, c, 0);
        }
      } else
        on_read(ep, fd, buf);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  int o;
  while ((o = getopt(argc, argv, "p:t:dg:b:l:")) != -1) switch (o) {
      case 'p':
        port = atoi(optarg);
        break;
      case 't':
        nthreads = atoi(optarg);
        break;
      case 'd':
        lazy = 1;
        break;
      case 'g':
        cc = optarg;
        break;
      case 'l':
        lowat = atoi(optarg);
        break;
      case 'b':
        rbuf = strtoul(optarg, 0, 0);
        if (rbuf > RBUF) rbuf = RBUF;
        break;
    }
  signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < nthreads; i++) {
    pthread_t t;
    pthread_create(&t, NULL, loop, NULL);
  }
  loop(NULL);
}
