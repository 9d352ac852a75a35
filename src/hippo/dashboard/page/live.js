// The stream of changes: read as it comes, since it needs a header, and asked for again whenever it ends.

import { TokenNeeded, send } from "./frame.js";

const AGAIN_MS = 2000;
let reading = null;

async function read(onNumber, signal) {
  const response = await send("api/changes", { signal });
  if (response.status === 401) throw new TokenNeeded();
  if (!response.ok) throw new Error(response.statusText);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (text + part.value).split("\n");
    text = lines.pop();
    lines.filter((line) => line.startsWith("data:")).forEach((line) => onNumber(Number(line.slice(5))));
  }
}

// begin anew, as whoever is signed in now
export async function follow({ onNumber, onLost, onToken }) {
  reading?.abort();
  const mine = reading = new AbortController();
  while (!mine.signal.aborted) {
    try { await read(onNumber, mine.signal); } catch (error) {
      if (mine.signal.aborted) return;
      if (error instanceof TokenNeeded) { onToken(); return; }
    }
    if (!mine.signal.aborted) onLost();
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}
