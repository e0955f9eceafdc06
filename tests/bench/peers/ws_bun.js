// ws_app.cc on Bun: bun ws_bun.js PORT
const FILE_MAX = 2 ** 30;
const TOPIC = "all";

const length = (message) => (typeof message === "string" ? Buffer.byteLength(message) : message.length);

const count = (socket, message) => socket.send(String(length(message)));

const handlers = {
  "/echo": (socket, message) => socket.send(message),
  "/sink": count,
  "/whole": count,
  "/broadcast": (_socket, message) => server.publish(TOPIC, message),
};

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  fetch(request, server) {
    const { pathname } = new URL(request.url);
    if (pathname in handlers && server.upgrade(request, { data: pathname })) return undefined;
    return new Response("", { status: 404 });
  },
  websocket: {
    maxPayloadLength: FILE_MAX,
    backpressureLimit: 64 << 20,
    idleTimeout: 120,
    open: (socket) => {
      if (socket.data === "/broadcast") socket.subscribe(TOPIC);
    },
    message: (socket, message) => handlers[socket.data](socket, message),
  },
});
