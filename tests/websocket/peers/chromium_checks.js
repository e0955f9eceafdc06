// What chromium_client.py runs in a page. Every check is given the URL of the server.
const texts = ['', 'x', 'Gr\u00fc\u00dfe \u2603 \u{1d11e}', 'y'.repeat(125), 'y'.repeat(126),
  'y'.repeat(65535), 'z'.repeat(65536)];
const codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 4000, 4999];
const numbers = Array.from({ length: 30_000 }, (_, i) => i * i).join(' ');

function assertEqual(got, wanted) {
  if (got !== wanted) throw new Error(`${String(got).slice(0, 80)} is not ${wanted}`);
}

function event(socket, name) {
  return new Promise((resolve) => socket.addEventListener(name, resolve, { once: true }));
}

async function open(url, path, protocols = []) {
  const socket = new WebSocket(url.replace('http:', 'ws:') + path, protocols);
  socket.binaryType = 'arraybuffer';
  const failed = event(socket, 'error').then(() => Promise.reject(new Error('refused')));
  await Promise.race([event(socket, 'open'), failed]);
  return socket;
}

async function expectEcho(socket, message) {
  const answer = event(socket, 'message');
  socket.send(message);
  const { data } = await answer;
  if (typeof message === 'string') return assertEqual(data, message);
  assertEqual(new Uint8Array(data).join(), new Uint8Array(message).join());
}

async function expectEchoes(socket) {
  for (const text of texts) await expectEcho(socket, text);
  await expectEcho(socket, new ArrayBuffer(0));
  await expectEcho(socket, Uint8Array.from({ length: 256 }, (_, i) => i).buffer);
  await expectEcho(socket, new TextEncoder().encode(numbers).buffer);
}

async function close(socket, ...how) {
  const closed = event(socket, 'close');
  socket.close(...how);
  const { code, reason, wasClean } = await closed;
  assertEqual(wasClean, true);
  return `${code} ${reason}`;
}

const lastClose = async (url) => (await fetch(`${url}/closed`, { cache: 'no-store' })).text();

const checks = {
  async echoes(url) {
    const socket = await open(url, '/echo');
    assertEqual(socket.extensions, '');
    await expectEchoes(socket);
    await close(socket);
  },

  async sendsBlobs(url) {
    const socket = await open(url, '/echo');
    const answer = event(socket, 'message');
    socket.send(new Blob(['a blob']));
    assertEqual(new TextDecoder().decode((await answer).data), 'a blob');
    await close(socket);
  },

  async keepsTheOrder(url) {
    const socket = await open(url, '/echo');
    const heard = [];
    const all = new Promise((resolve) => socket.addEventListener('message', ({ data }) => {
      if (heard.push(data) === 500) resolve();
    }));
    for (let i = 0; i < 500; ++i) socket.send(`message ${i}`);
    await all;
    heard.forEach((text, i) => assertEqual(text, `message ${i}`));
    await close(socket);
  },

  async receivesFragments(url) {
    const socket = await open(url, '/fragments');
    await expectEcho(socket, 'short');
    await expectEcho(socket, 'Gr\u00fc\u00dfe '.repeat(20));
    await expectEcho(socket, new Uint8Array(256).fill(7).buffer);
    await close(socket);
  },

  async isPinged(url) {
    const socket = await open(url, '/ping');
    await expectEcho(socket, 'first');
    await expectEcho(socket, 'second');
    await close(socket);
  },

  async closes(url) {
    for (const code of [1000, 3000, 4000, 4999]) {
      const said = await close(await open(url, '/echo'), code, `reason ${code}`);
      assertEqual(said.split(' ')[0], String(code)); // not all say the reason, too
      assertEqual(await lastClose(url), `${code} reason ${code}`);
    }
    assertEqual(await close(await open(url, '/echo')), '1005 ');
    assertEqual(await lastClose(url), '1005 ');
  },

  async isClosed(url) {
    for (const asked of codes) {
      const socket = new WebSocket(`${url.replace('http:', 'ws:')}/close/${asked}`);
      const { code, reason, wasClean } = await event(socket, 'close');
      assertEqual(`${code} ${reason} ${wasClean}`, `${asked} as asked true`);
      assertEqual(await lastClose(url), `${asked} as asked`);
    }
  },

  async deflates(url) {
    const socket = await open(url, '/deflate');
    assertEqual(socket.extensions.split(';')[0], 'permessage-deflate');
    await expectEchoes(socket);
    for (let i = 0; i < 3; ++i) await expectEcho(socket, numbers);
    await close(socket);
  },

  async takesOver(url) {
    const socket = await open(url, '/takeover');
    assertEqual(socket.extensions, 'permessage-deflate');
    await expectEchoes(socket);
    for (let i = 0; i < 3; ++i) await expectEcho(socket, numbers);
    await close(socket);
  },

  async agreesOnASubprotocol(url) {
    const socket = await open(url, '/subprotocol', ['x', 'chat.v1']);
    assertEqual(socket.protocol, 'chat.v1');
    await expectEcho(socket, 'chat.v1');
    await close(socket);
  },

  isRefused: (url) => open(url, '/echo').then(() => 'let in', () => 'refused'),
};
