// Fills the page with what the server says about itself in its answers.
"use strict";

const byId = (id) => document.getElementById(id);
const shown = ["server", "date", "content-type", "content-length", "last-modified", "etag"];

function milliseconds(value) {
  return value < 10 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`;
}

async function ask() {
  const begin = performance.now();
  const answer = await fetch(location.pathname, {cache: "no-store"});
  await answer.arrayBuffer();
  return {answer, took: performance.now() - begin};
}

function row(name, value) {
  const term = document.createElement("dt");
  const text = document.createElement("dd");
  term.textContent = name;
  text.textContent = value;
  return [term, text];
}

async function showFacts() {
  const {answer, took} = await ask();
  const entry = performance.getEntriesByType("navigation")[0];
  const protocol = (entry && entry.nextHopProtocol) || "http/1.1";
  const rows = [...row("status", `${answer.status} ${answer.statusText}, ${protocol}`)];
  for (const name of shown) {
    if (answer.headers.has(name)) rows.push(...row(name, answer.headers.get(name)));
  }
  rows.push(...row("answered in", milliseconds(took)));
  byId("facts").replaceChildren(...rows);
}

function showTimes(times, seconds) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  byId("rate").textContent = Math.round(times.length / seconds).toLocaleString("en");
  byId("median").textContent = milliseconds(at(0.5));
  byId("p99").textContent = milliseconds(at(0.99));

  const count = 40;
  const low = times[0];
  const width = Math.max(at(0.99) - low, 0.01) / count;
  const bins = new Array(count).fill(0);
  for (const time of times) bins[Math.min(count - 1, Math.floor((time - low) / width))] += 1;
  const highest = Math.max(...bins);
  byId("bars").replaceChildren(...bins.map((value) => {
    const bar = document.createElement("span");
    bar.style.height = `${(100 * value) / highest}%`;
    return bar;
  }));
  byId("low").textContent = milliseconds(low);
  byId("high").textContent = `${milliseconds(at(0.99))} and more`;
}

async function askMany(total, lanes) {
  const times = [];
  let left = total;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      times.push((await ask()).took);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({length: lanes}, lane));
  showTimes(times, (performance.now() - begin) / 1000);
}

function showDown() {
  byId("pill").classList.add("down");
  byId("state").textContent = "the server no longer answers";
}

byId("ask").addEventListener("click", async () => {
  byId("ask").disabled = true;
  await askMany(500, 6).catch(showDown);
  byId("ask").disabled = false;
});
byId("shell").textContent =
    byId("shell").textContent.replaceAll("http://127.0.0.1:4507", location.origin);
showFacts().catch(showDown);
