// What hello_app.cc and json_app.cc do, and files, on Bun: bun http_bun.js PORT ROOT
const [port, root] = process.argv.slice(2);
let answers = 0;

/** What the two middlewares of json_app.cc add. */
const fields = () => ({
  "Content-Type": "application/json",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "X-Request-Number": String(++answers),
});

function showUser(request) {
  const id = Number(request.params.id);
  if (!Number.isInteger(id)) return new Response("", { status: 404, headers: fields() });
  const user = { active: true, id, name: `user ${id}`, roles: ["reader", "writer"] };
  return new Response(JSON.stringify(user), { headers: fields() });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  idleTimeout: 75,
  routes: { "/": new Response("Hello world!"), "/users/:id": showUser },
  fetch: (request) => new Response(Bun.file(root + new URL(request.url).pathname)),
});
