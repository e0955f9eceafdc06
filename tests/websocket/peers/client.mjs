// Node's `ws` as a client of the servers of README.md.
//
// usage: node client.mjs URL FOLDER_WITH_WS [CHECK...]; ends with 0 when all is well.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [url, folder, ...wanted] = process.argv.slice(2);
const WebSocket = createRequire(import.meta.url)(join(folder, 'ws'));

const numbers = Array.from({ length: 30_000 }, (_, i) => i * i).join(' ');
const texts = ['', 'x', 'Gr\u00fc\u00dfe \u2603 \u{1d11e}', 'y'.repeat(125), 'y'.repeat(126),
  'y'.repeat(65535), 'z'.repeat(65536)];
const bytes = [Buffer.alloc(0), Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  Buffer.from(numbers)];
const codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 4000, 4999];

async function open(path, { protocols = [], ...options } = {}) {
  const socket = new WebSocket(url.replace('http:', 'ws:') + path, protocols,
    { perMessageDeflate: false, ...options });
  socket.heard = [];
  socket.on('message', (data, isBinary) => {
    socket.heard.push(isBinary ? data : data.toString());
    socket.emit('heard');
  });
  await once(socket, 'open');
  return socket;
}

async function next(socket) {
  while (socket.heard.length === 0) await once(socket, 'heard');
  return socket.heard.shift();
}

async function expectEcho(socket, ...messages) {
  for (const message of messages) {
    socket.send(message);
    assert.deepEqual(await next(socket), message);
  }
}

async function close(socket, ...how) {
  socket.close(...how);
  const [code, reason] = await once(socket, 'close');
  return `${code} ${reason}`;
}

const lastClose = async () => (await fetch(`${url}/closed`)).text();

const checks = {
  async echoes() {
    const socket = await open('/echo');
    await expectEcho(socket, ...texts, ...bytes);
    await close(socket);
  },

  async keepsTheOrder() {
    const socket = await open('/echo');
    for (let i = 0; i < 500; ++i) socket.send(`message ${i}`);
    for (let i = 0; i < 500; ++i) assert.equal(await next(socket), `message ${i}`);
    await close(socket);
  },

  async sendsFragments() {
    const socket = await open('/echo');
    socket.send('one ', { fin: false });
    socket.ping('between');
    socket.send('', { fin: false });
    socket.send('two');
    assert.equal(await next(socket), 'one two');
    await close(socket);
  },

  async receivesFragments() {
    const socket = await open('/fragments');
    await expectEcho(socket, 'short', 'Gr\u00fc\u00dfe '.repeat(20), bytes[1]);
    await close(socket);
  },

  async pings() {
    const socket = await open('/echo');
    for (const payload of ['', 'abc', 'x'.repeat(125)]) {
      socket.ping(payload);
      assert.equal((await once(socket, 'pong')).toString(), payload);
    }
    await close(socket);
  },

  async isPinged() {
    const socket = await open('/ping');
    await expectEcho(socket, 'first', 'second');
    await close(socket);
  },

  async closes() {
    const ways = [[1000, ''], ...codes.map((code) => [code, `reason ${code}`])];
    for (const [code, reason] of ways) {
      const said = await close(await open('/echo'), code, reason);
      assert.match(said, new RegExp(`^${code} `)); // not all say the reason, too
      assert.equal(await lastClose(), `${code} ${reason}`);
    }
    assert.equal(await close(await open('/echo')), '1005 ');
    assert.equal(await lastClose(), '1005 ');
  },

  async isClosed() {
    for (const code of codes) {
      const socket = await open(`/close/${code}`);
      const [heard, reason] = await once(socket, 'close');
      assert.equal(`${heard} ${reason}`, `${code} as asked`);
      assert.equal(await lastClose(), `${code} as asked`);
    }
  },

  async deflates() {
    const offer = { threshold: 0, serverNoContextTakeover: true, clientNoContextTakeover: true };
    const socket = await open('/deflate', { perMessageDeflate: offer });
    assert.match(socket.extensions, /^permessage-deflate/);
    await expectEcho(socket, ...texts, ...bytes, numbers, numbers);
    socket.send(numbers, { fin: false });
    socket.send(numbers);
    assert.equal(await next(socket), numbers + numbers);
    await close(socket);
  },

  async takesOver() {
    const socket = await open('/takeover', { perMessageDeflate: { threshold: 0 } });
    assert.match(socket.extensions, /^permessage-deflate/);
    await expectEcho(socket, ...texts, ...bytes, numbers, numbers, numbers);
    await close(socket);
  },

  async agreesOnASubprotocol() {
    let socket = await open('/subprotocol', { protocols: ['x', 'chat.v1'] });
    assert.equal(socket.protocol, 'chat.v1');
    socket.send('which?');
    assert.equal(await next(socket), 'chat.v1');
    await close(socket);
    socket = await open('/subprotocol');
    assert.equal(socket.protocol, '');
    await close(socket);
  },

  async isRefusedElsewhere() {
    const refused = open('/echo', { origin: 'http://elsewhere.example' });
    await assert.rejects(refused, /403/);
    const socket = await open('/echo', { origin: url });
    await expectEcho(socket, 'from here');
    await close(socket);
  },
};

for (const [name, check] of Object.entries(checks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await check();
  console.log('ok', name);
}
