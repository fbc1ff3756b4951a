import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {breaker, gate} from './breaker.mjs';
import {clients} from './clients.mjs';
import {blockSize, eventCount, line} from './numbers.mjs';
import {serveWith} from './sidecar.mjs';

const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));

// Of what is in memory only, the newest is kept: the agent is never far ahead of its client. A store has all: a client
// that was away comes back when the agent has all but ended.
const stores = {
  memory: {lead: 2 * blockSize, away: false},
  disk: {lead: eventCount - blockSize, away: true},
};

let hold, dir;
before(async () => {
  hold = await gate();
  process.env.INTEROP_GATE = hold.url;
  dir = await mkdtemp(join(tmpdir(), 'state-'));
  for (const [name, store] of Object.entries(stores)) {
    store.sidecar = await serveWith(name === 'disk' ? ['--state-dir', dir] : [], process.execPath, agent);
  }
});
after(async () => {
  for (const {sidecar} of Object.values(stores)) assert.equal(await sidecar?.stop(), 0);
  hold.stop();
  await rm(dir, {recursive: true});
});

// EventIDs is a fetch for clients that do not show event ids. A client reads ahead of what it tells, so that the id of
// the last event is that of the one that was taken last.
class EventIDs {
  #came = [];
  last = undefined;

  fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response;
    this.#came = [];
    let rest = '', id;
    const decoder = new TextDecoder();
    const reader = new TransformStream({
      transform: (chunk, out) => {
        const lines = (rest + decoder.decode(chunk, {stream: true})).split('\n');
        rest = lines.pop();
        for (const l of lines) {
          if (l.startsWith('id: ')) id = l.slice(4);
          if (l.startsWith('data:')) { this.#came.push(id); id = 'none'; }
        }
        out.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(reader), {status: response.status, headers: response.headers});
  };

  took() {
    assert.ok(this.#came.length > 0, 'an event was told that never came');
    this.last = this.#came.shift();
  }
}

// follow sends a message and reads until the task has ended, however often the connection breaks. Each line has to come
// once and in order; a snapshot tells them from the first on.
async function follow(client, ids, {away, breaks}) {
  let task, state, count = 0, resumed = 0;
  const lines = (text) => {
    for (const l of text.split('\n').slice(0, -1)) {
      assert.equal(`${l}\n`, line(count), `in place of line ${count}`);
      count++;
    }
  };
  const read = async (events) => {
    let first = true;
    for await (const e of events) {
      ids?.took();
      if (e.task) {
        assert.ok(first && !(ids && resumed), `a task came after ${count} lines`);
        const had = count;
        task = e.task.id;
        count = 0;
        lines(e.text);
        assert.ok(count >= had, `a snapshot of ${count} lines came to a client that had ${had}`);
      } else if (e.artifactId === 'log') {
        lines(e.text);
      }
      state = e.state ?? state;
      first = false;
      if (!away || resumed === breaks) hold.saw(count);
    }
  };
  for (let events = client.stream('go'); ; events = client.subscribe(task, ids && {'Last-Event-ID': ids.last})) {
    try {
      await read(events);
      return {state, count, resumed};
    } catch (err) {
      if (err instanceof assert.AssertionError || !task || resumed === 2 * breaks) throw err;
      resumed++;
      if (away) await hold.shut();
    }
  }
}

async function broken(store, connect, ids) {
  const {lead, away, sidecar} = stores[store];
  const breaks = away && !ids ? 1 : 6; // there is little to tell after a snapshot
  hold.reset(lead);
  const proxy = await breaker(sidecar.url, breaks);
  try {
    const got = await follow(await connect(proxy.url, ids?.fetch), ids, {away, breaks});
    assert.deepEqual(got, {state: 'completed', count: eventCount, resumed: breaks});
    assert.equal(proxy.cuts, breaks);
  } finally {
    proxy.stop();
  }
}

for (const [name, connect] of Object.entries(clients)) {
  for (const store of Object.keys(stores)) {
    describe(`${name}, ${store}, broken off in the middle of ${eventCount} events`, () => {
      test('comes back by subscribing', {timeout: 120_000}, () => broken(store, connect));
      // 0.2.5 lets nobody set a header.
      test('goes on by Last-Event-ID', {timeout: 120_000, skip: name.startsWith('0.2')}, () => broken(store, connect, new EventIDs()));
    });
  }
}
