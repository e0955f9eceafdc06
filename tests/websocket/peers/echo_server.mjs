// Node's `ws` as the server that README.md describes.
//
// usage: node echo_server.mjs FOLDER_WITH_WS [PORT]
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, port] = process.argv.slice(2);
const { WebSocketServer } = createRequire(import.meta.url)(join(folder, 'ws'));

let lastClose = '';

function inPieces(socket, data, binary) {
  for (let at = 0; at < data.length || at === 0; at += 10) {
    socket.send(data.subarray(at, at + 10), { binary, fin: at + 10 >= data.length });
  }
}

const echo = (socket) => socket.on('message', (data, binary) => socket.send(data, { binary }));

const handlers = {
  echo,
  deflate: echo,
  takeover: echo,
  fragments: (socket) => socket.on('message', (data, binary) => inPieces(socket, data, binary)),
  ping(socket) {
    socket.on('message', (data) => socket.ping(data));
    socket.on('pong', (data) => socket.send(data.toString()));
  },
  subprotocol: (socket) => socket.on('message', () => socket.send(socket.protocol)),
  close: (socket, path) => socket.close(Number(path.split('/')[2]), 'as asked'),
};

const http = createServer((request, response) => response.end(lastClose));
const server = new WebSocketServer({
  server: http,
  perMessageDeflate: { threshold: 0 },
  verifyClient: ({ origin, req }, done) =>
    done(!origin || origin === `http://${req.headers.host}`, 403),
  handleProtocols: (offered) => ['chat.v2', 'chat.v1'].find((one) => offered.has(one)) ?? false,
});
server.on('connection', (socket, { url }) => {
  socket.on('close', (code, reason) => { lastClose = `${code} ${reason}`; });
  handlers[url.split('/')[1]](socket, url);
});
http.listen(Number(port ?? 0), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${http.address().port}`));
