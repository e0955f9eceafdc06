// The script of chat.html: speaks the protocol of docs/guide/websocket.md with a route
// `websocket:chat` at /chat/{room}.
"use strict";

const byId = (id) => document.getElementById(id);
const kShownMax = 1000;
const kWaitFirst = 500;
const kWaitMost = 15000;
const kSteady = 10000;  // a connection that has stood so long has not failed
const kTries = 6;       // without a welcome, in a row
const kNameMax = 32;    // bytes, as the server counts them
const kTextMax = 4096;

let room = "";
let wanted = "";  // the name that was asked for
let own = "";     // the name that the server gave
let socket = null;
let failures = 0;
let unwelcome = 0;  // attempts since the latest welcome
let timer = 0;
let steady = 0;     // the timer of kSteady
let sent = null;    // what the server has not taken yet: {raw, text}
let lastId = 0;
let members = new Map();  // name -> id of the event that told of it

function hueOf(name) {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) % 3600;
  return hash / 10;
}

function make(kind, text, className = "") {
  const element = document.createElement(kind);
  element.textContent = text;
  element.className = className;
  return element;
}

// ---- what the server takes

function sizeWrong(text, most) {
  const size = new TextEncoder().encode(text).length;
  return size > most ? `This has ${size} bytes; ${most} are allowed.` : "";
}

function nameWrong(text) {
  if (!text) return "Nothing is here.";
  if (/[\u0000-\u001f\u007f]/.test(text)) return "Control characters are not allowed.";
  if (/\p{Surrogate}/u.test(text)) return "Half a character is not allowed.";
  if (text.startsWith(" ") || text.endsWith(" ")) return "No blank may be at an end.";
  return sizeWrong(text, kNameMax);
}

// A room is a segment of a path, where these mean something else, percent-encoded or not.
function roomWrong(text) {
  if (text === "." || text === "..") return "A room cannot be called so.";
  if (/[/\\]/.test(text)) return "No / and no \\ may be in it.";
  return nameWrong(text);
}

// ---- what is seen

/// Beside the field; "" = nothing is wrong.
function showWrong(field, text) {
  byId(`${field}-wrong`).textContent = text;
  if (field !== "entry") byId(field).setAttribute("aria-invalid", text !== "");
}

function showWrongNames(inRoom, inName) {
  showWrong("room", inRoom);
  showWrong("name", inName);
  const first = inRoom ? "room" : inName ? "name" : "";
  if (first) byId(first).focus();
  return first === "";
}

function showState(state, text) {
  byId("state").dataset.state = state;
  byId("state").textContent = text;
  byId("send").disabled = state !== "open" || sent !== null;
}

function showMembers() {
  byId("members").replaceChildren(...[...members.keys()].map((name) => {
    const item = make("li", name === own ? `${name} (you)` : name);
    item.style.setProperty("--hue", hueOf(name));
    return item;
  }));
  byId("here").textContent = `Here: ${members.size}`;
}

// In the order of the ids: workers of the server may overtake each other.
function add(item, id) {
  const log = byId("log");
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  item.dataset.id = id;
  let before = null;
  for (let last = log.lastElementChild; last && Number(last.dataset.id) > id;
       last = last.previousElementSibling) {
    before = last;
  }
  log.insertBefore(item, before);
  while (log.childElementCount > kShownMax) log.firstElementChild.remove();
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

function addNotice(text, id = lastId, className = "notice") {
  add(make("li", text, className), id);
}

function addMessage({id, name, text}) {
  if (byId("log").querySelector(`.said[data-id="${id}"]`)) return;  // of the history, and live
  const item = make("li", "", name === own ? "said own" : "said");
  const who = make("div", "", "who");
  const author = make("b", name);
  author.style.setProperty("--hue", hueOf(name));
  const when = new Date(id);
  const time = make("time", when.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"}));
  time.dateTime = when.toISOString();
  time.title = when.toLocaleString();
  who.append(author, time);
  item.append(who, make("p", text));
  add(item, id);
}

// ---- what is heard

// The field keeps what is said until it is known what becomes of it.
function answered(isTaken) {
  const field = byId("text");
  if (isTaken && field.value.startsWith(sent.raw)) {
    field.value = field.value.slice(sent.raw.length).trimStart();
  }
  sent = null;
  byId("send").disabled = byId("state").dataset.state !== "open";
}

const hear = {
  welcome(event) {
    unwelcome = 0;
    steady = setTimeout(() => { failures = 0; }, kSteady);
    own = event.name;
    members = new Map(event.members.map((name) => [name, event.id]));
    event.history.forEach(addMessage);
    showMembers();
    showState("open", `connected as ${own}`);
    byId("text").focus();
  },
  join(event) {
    members.set(event.name, event.id);
    showMembers();
    addNotice(`${event.name} has come`, event.id);
  },
  leave(event) {
    // Who came back under the name may have been heard of first.
    if (event.id > members.get(event.name)) members.delete(event.name);
    showMembers();
    addNotice(`${event.name} has left`, event.id);
  },
  message(event) {
    addMessage(event);
    if (sent && event.name === own && event.text === sent.text) answered(true);
  },
  error(event) {
    answered(false);
    showWrong("text", `Not sent: ${event.text}`);
    addNotice(`Not sent: ${event.text}`, lastId, "notice wrong");
  },
};

// ---- the connection

// What the server has said of it, or else a number that says little more than that it is gone.
function reasonOf({code, reason}) {
  if (code === 1013 && reason.startsWith("no room")) return `no room: it is full (${code})`;
  return `${reason || (code === 1006 ? "no connection" : "closed")} (${code})`;
}

function closed(event) {
  socket = null;
  sent = null;
  clearTimeout(steady);
  unwelcome += 1;
  if (unwelcome >= kTries) return backToForm(`${room}: ${reasonOf(event)}`);
  connectLater(reasonOf(event));
}

function backToForm(why) {
  failures = unwelcome = 0;
  byId("enter").hidden = false;
  for (const id of ["chat", "state", "elsewhere"]) byId(id).hidden = true;
  byId("title").textContent = document.title = "Chat";
  showState("closed", "");
  showWrong("entry", why);
}

// Full jitter: those who were cut off together do not come back together.
function connectLater(why) {
  const most = Math.min(kWaitMost, kWaitFirst * 2 ** failures);
  const wait = Math.random() * most;
  failures += 1;
  const next = wait < 1000 ? "reconnecting" : `reconnecting in ${Math.round(wait / 1000)} s`;
  showState("closed", `${why}, ${next}`);
  clearTimeout(timer);
  timer = setTimeout(connect, wait);
}

function connect() {
  clearTimeout(timer);
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  showState("connecting", "connecting");
  const url = new URL(`/chat/${encodeURIComponent(room)}`, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.search = new URLSearchParams({name: wanted});
  socket = new WebSocket(url);
  socket.onmessage = (message) => {
    const event = JSON.parse(message.data);
    if (event.id) lastId = Math.max(lastId, event.id);
    if (Object.hasOwn(hear, event.type)) hear[event.type](event);
  };
  socket.onclose = closed;
}

function enter() {
  byId("enter").hidden = true;
  for (const id of ["chat", "state", "elsewhere"]) byId(id).hidden = false;
  byId("title").textContent = room;
  document.title = `${room} - Chat`;
  connect();
}

byId("say").addEventListener("submit", (event) => {
  event.preventDefault();
  const raw = byId("text").value;
  const text = raw.trim();
  if (!text || sent || byId("state").dataset.state !== "open") return;
  const wrong = sizeWrong(text, kTextMax);
  showWrong("text", wrong);
  if (wrong || !socket || socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({text}));
  sent = {raw, text};
  byId("send").disabled = true;
});

byId("text").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId("say").requestSubmit();
});

byId("entry").addEventListener("submit", (event) => {
  event.preventDefault();
  const room = byId("room").value.trim();
  const name = byId("name").value.trim();
  if (!showWrongNames(roomWrong(room), nameWrong(name))) return;
  sessionStorage.setItem("name", name);
  location.search = new URLSearchParams({room, name});
});

const isInRoom = () => !byId("chat").hidden;

window.addEventListener("online", () => isInRoom() && connect());

// A page that is left may be kept for its visitor to come back to: meanwhile he is not here.
window.addEventListener("pagehide", () => {
  clearTimeout(timer);
  clearTimeout(steady);
  if (!socket) return;
  socket.onclose = null;
  socket.close();
  sent = null;
});
window.addEventListener("pageshow", (event) => event.persisted && isInRoom() && connect());

const asked = new URLSearchParams(location.search);
room = asked.get("room") || "";
wanted = asked.get("name") || sessionStorage.getItem("name") || "";
byId("name").value = wanted;
if (room) byId("room").value = room;
const inRoom = asked.has("room") ? roomWrong(room) : "";
const inName = wanted || asked.has("name") ? nameWrong(wanted) : "";
if (showWrongNames(inRoom, inName) && room && wanted) enter();
