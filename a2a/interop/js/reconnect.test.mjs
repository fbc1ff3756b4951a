import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {breaker, gate} from './breaker.mjs';
import {clients} from './clients.mjs';
import {blockSize, eventCount, line} from './numbers.mjs';
import {serve} from './sidecar.mjs';

const breaks = 6;
const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));

let hold, sidecar;
before(async () => {
  hold = await gate(2 * blockSize);
  process.env.INTEROP_GATE = hold.url;
  sidecar = await serve(process.execPath, agent);
});
after(async () => {
  assert.equal(await sidecar?.stop(), 0);
  hold.stop();
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
async function follow(client, ids) {
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
      hold.saw(count);
    }
  };
  for (let events = client.stream('go'); ; events = client.subscribe(task, ids && {'Last-Event-ID': ids.last})) {
    try {
      await read(events);
      return {state, count, resumed};
    } catch (err) {
      if (err instanceof assert.AssertionError || !task || resumed === 2 * breaks) throw err;
      resumed++;
    }
  }
}

// The agent runs once more for each test: nothing may be left of the one before.
async function broken(connect, ids) {
  hold.reset();
  const proxy = await breaker(sidecar.url, breaks);
  try {
    const got = await follow(await connect(proxy.url, ids?.fetch), ids);
    assert.deepEqual(got, {state: 'completed', count: eventCount, resumed: breaks});
    assert.equal(proxy.cuts, breaks);
  } finally {
    proxy.stop();
  }
}

for (const [name, connect] of Object.entries(clients)) {
  describe(`${name}, broken off in the middle of ${eventCount} events`, () => {
    test('comes back by subscribing', {timeout: 120_000}, () => broken(connect));
    // 0.2.5 lets nobody set a header.
    test('goes on by Last-Event-ID', {timeout: 120_000, skip: name.startsWith('0.2')}, () => broken(connect, new EventIDs()));
  });
}
