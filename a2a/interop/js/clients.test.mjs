import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {clients} from './clients.mjs';
import {serve, shellAgent} from './sidecar.mjs';

let echo, slow, asking;
before(async () => {
  echo = await serve('cat');
  slow = await serve('sh', '-c', 'echo started; exec sleep 60');
  asking = await serve(shellAgent);
});
after(async () => {
  for (const s of [echo, slow, asking]) assert.equal(await s?.stop(), 0);
});

for (const [name, connect] of Object.entries(clients)) {
  describe(name, () => {
    test('send, get, and what cannot be done', async () => {
      const client = await connect(echo.url);
      const sent = await client.send('héllo\nworld');
      assert.deepEqual([sent.state, sent.text], ['completed', 'héllo\nworld']);
      const got = await client.get(sent.id);
      assert.deepEqual(got, sent);
      await assert.rejects(client.cancel(sent.id));
      await assert.rejects(client.get('no-such-task'));
    });

    test('stream', async () => {
      const client = await connect(echo.url);
      const seen = [];
      for await (const e of client.stream('streamed')) seen.push(e);
      assert.ok(seen[0].task, 'the task comes first');
      assert.equal(seen.map((e) => e.text ?? '').join(''), 'streamed');
      assert.equal(seen.at(-1).state, 'completed');
    });

    test('subscribe and cancel', {timeout: 120_000}, async () => {
      const client = await connect(slow.url);
      const task = await client.start('go');
      let text = '', last, canceled;
      for await (const e of client.subscribe(task.id)) {
        text += e.text ?? '';
        last = e.state ?? last;
        if (text.includes('started')) canceled ??= client.cancel(task.id);
      }
      assert.equal(last, 'canceled');
      assert.equal((await canceled).state, 'canceled');
      if (name.startsWith('1')) assert.equal((await client.cancel(task.id)).state, 'canceled', 'canceling twice');
      else await assert.rejects(client.cancel(task.id), 'a canceled task is not cancelable (0.3.0 §8.2)');
    });

    test('a question', async () => {
      const client = await connect(asking.url);
      const seen = [];
      for await (const e of client.stream('cats')) seen.push(e);
      const working = seen.find((e) => e.state === 'working' && e.note);
      const chunks = seen.filter((e) => e.artifactId === 'draft').map((e) => e.text);
      const asked = seen.at(-1);
      assert.ok(working);
      assert.deepEqual(chunks, ['Title: cats\n', 'Body: three lines\n']);
      assert.equal(asked.state, 'input-required');
      assert.match(asked.note, /Publish the draft\?/);
      const ended = await client.send('yes', {taskId: seen[0].task.id});
      assert.equal(ended.state, 'completed');
      assert.match(ended.text, /Title: cats\nBody: three lines\n/);
    });
  });
}
