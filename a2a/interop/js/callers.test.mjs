import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {clients} from './clients.mjs';
import {serveWith} from './sidecar.mjs';

const tokens = {alice: 'alice-0123456789abcdef', bob: 'bob-0123456789abcdef'};

// as is a fetch with somebody's token.
const as = (token) => (url, init) => {
  const headers = new Headers(init?.headers);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  return fetch(url, {...init, headers});
};

let dir, sidecar;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tokens-'));
  const file = join(dir, 'tokens');
  await writeFile(file, Object.entries(tokens).map(([name, token]) => `${name}:${token}\n`).join(''), {mode: 0o600});
  sidecar = await serveWith(['--token-file', file], 'sh', '-c', 'echo started; exec sleep 60');
});
after(async () => {
  assert.equal(await sidecar?.stop(), 0);
  await rm(dir, {recursive: true});
});

const drain = async (events) => { for await (const _ of events) break; };
const operations = {
  get: (client, id) => client.get(id),
  cancel: (client, id) => client.cancel(id),
  subscribe: (client, id) => drain(client.subscribe(id)),
  continue: (client, id) => client.send('go on', {taskId: id}),
};

// What a client was told, without the ids in it: those of the task and of its requests.
const told = async (promise) => {
  const err = await promise.then(() => undefined, (e) => e);
  assert.ok(err, 'it was let');
  return `${err.name}: ${err.message}`.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
};

for (const [name, connect] of Object.entries(clients)) {
  // 0.2.5 lets nobody set a header, so that it has no token.
  const canName = !name.startsWith('0.2');
  describe(`${name}, two callers`, () => {
    test("the other's task is as if it were not there", {timeout: 120_000, skip: !canName}, async () => {
      const alice = await connect(sidecar.url, as(tokens.alice)), bob = await connect(sidecar.url, as(tokens.bob));
      const {id} = await alice.start('go');
      for (const [operation, run] of Object.entries(operations)) {
        const of = {hers: await told(run(bob, id)), nobodys: await told(run(bob, '00000000-0000-4000-8000-000000000000'))};
        assert.equal(of.hers, of.nobodys, operation);
      }
      await drain(alice.subscribe(id));
      assert.equal((await alice.get(id)).id, id);
      assert.equal((await alice.cancel(id)).state, 'canceled');
    });

    test('nobody without a token', {timeout: 120_000}, async () => {
      for (const token of [undefined, 'eve-0123456789abcdef']) {
        const eve = await connect(sidecar.url, as(token));
        await assert.rejects(eve.send('hello'));
        await assert.rejects(drain(eve.stream('hello')));
        for (const run of Object.values(operations)) await assert.rejects(run(eve, 'x'), (err) => !/not ?found/i.test(err.message));
      }
    });
  });
}
