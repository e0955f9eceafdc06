// undici against http_probe, or where only some checks are wanted, against another server.
//
// usage: node undici_client.mjs URL FOLDER_WITH_NODE_MODULES [CHECK...]; ends with 0 when all is
// well.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [url, folder, ...wanted] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), 'node_modules', 'x.js'));
const { Client, Pool, fetch, request } = require('undici');
assert.match(require('undici/package.json').version, /^6\./);

function pattern(size) {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; ++i) bytes[i] = 97 + (i % 23);
  return bytes;
}

const checks = {
  async keepsOneConnection() {
    const client = new Client(url);
    const peers = new Set();
    for (let i = 0; i < 20; ++i) {
      const { statusCode, body } = await client.request({ path: '/peer', method: 'GET' });
      assert.equal(statusCode, 200);
      peers.add(await body.text());
    }
    assert.equal(peers.size, 1);
    await client.close();
  },

  async pipelines() {
    const client = new Client(url, { pipelining: 10 });
    const answers = await Promise.all(Array.from({ length: 100 }, async (_, i) => {
      const { body } = await client.request({ path: `/head?n=${i}`, method: 'GET' });
      return (await body.text()).split('\n')[0];
    }));
    answers.forEach((line, i) => assert.equal(line, `GET /head?n=${i} 1.1`));
    await client.close();
  },

  async echoes() {
    const bytes = pattern(1_000_003);
    const { statusCode, body } = await request(`${url}/echo`, { method: 'POST', body: bytes });
    assert.equal(statusCode, 200);
    assert.ok(bytes.equals(Buffer.from(await body.arrayBuffer())));
  },

  async streamsUp() {
    const hash = createHash('sha256');
    let total = 0;
    async function* pieces() {
      for (let i = 0; i < 64; ++i) {
        const piece = pattern(10_000 + i);
        total += piece.length;
        hash.update(piece);
        yield piece;
        if (i % 16 === 0) await sleep(5);
      }
    }
    const { body } = await request(`${url}/upload?sha`, { method: 'PUT', body: pieces() });
    const said = (await body.text()).trim().split(' ');
    assert.equal(said[0], String(total));
    assert.equal(said[2], hash.digest('hex'));
  },

  async streamsDown() {
    const expected = pattern(5_000_000);
    for (const path of ['/download/5000000', '/download/5000000?length']) {
      const answer = await fetch(url + path);
      assert.ok(expected.equals(Buffer.from(await answer.arrayBuffer())), path);
    }
    const answer = await fetch(`${url}/ticks/10`);
    const times = [];
    let rest = '';
    for await (const piece of answer.body) {
      rest += Buffer.from(piece).toString();
      while (times.length < rest.split('\n\n').length - 1) times.push(performance.now());
    }
    assert.equal(times.length, 10);
    assert.ok(times[9] - times[0] > 100, 'it came in one piece');
  },

  async waitsForMany() {
    const pool = new Pool(url, { connections: 50 });
    const begun = performance.now();
    await Promise.all(Array.from({ length: 50 }, async () => {
      const { body } = await pool.request({ path: '/sleep/300', method: 'GET' });
      assert.equal(await body.text(), 'slept\n');
    }));
    assert.ok(performance.now() - begun < 10_000);
    await pool.close();
  },

  async knowsStatuses() {
    const redirected = await fetch(`${url}/redirect`);
    assert.equal(await redirected.text(), 'hello\n');
    const head = await fetch(`${url}/hello`, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), '6');
    assert.equal((await fetch(`${url}/nothing`)).status, 404);
    const other = await fetch(`${url}/hello`, { method: 'DELETE' });
    assert.equal(other.status, 405);
    assert.ok(other.headers.get('allow').includes('GET'));
  },

  async mayGoAway() {
    for (let i = 0; i < 5; ++i) {
      const { body } = await request(`${url}/download/100000000`);
      for await (const piece of body) if (piece.length > 0) break;
    }
    await assert.rejects(fetch(`${url}/sleep/60000`, { signal: AbortSignal.timeout(100) }));
    assert.equal(await (await fetch(`${url}/hello`)).text(), 'hello\n');
  },
};

for (const [name, check] of Object.entries(checks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await check();
  console.log('ok', name);
}
process.exit(0);  // what is still in a global pool need not keep us
