// An agent's call of a tool waits for the yes of its client, in the task of the turn.
import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {clients} from './clients.mjs';
import {serveWith} from './sidecar.mjs';

const key = 'urn:a2a-sidecar:approval:v1';
let dir, sidecar;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'approval-'));
  const tools = join(dir, 'tools.json');
  await writeFile(tools, JSON.stringify([{
    name: 'acme.say', description: 'says it',
    inputSchema: {type: 'object', properties: {text: {type: 'string'}}, required: ['text']},
    'x-sidecar': {bridge: {exec: {command: ['/bin/echo', 'said:', '{text}'], output: 'text'}}},
  }]));
  sidecar = await serveWith(['--manifest', tools], 'sh', '-c', `read -r text; "$SIDECAR" call acme.say "{\\"text\\":\\"$text\\"}" 2>&1`);
});
after(async () => {
  assert.equal(await sidecar?.stop(), 0);
  await rm(dir, {recursive: true});
});

for (const [name, connect] of Object.entries(clients)) {
  describe(name, () => {
    const ask = async () => {
      const client = await connect(sidecar.url);
      const task = await client.send('hello');
      assert.equal(task.state, 'auth-required');
      assert.match(task.asked.text, /acme\.say[^]*{"text":"hello"}/);
      const asked = task.asked.data.map((d) => d[key]).find(Boolean);
      return {client, task, asked, answer: (option) => ({[key]: {id: asked.id, digest: asked.digest, option, reason: 'not today'}})};
    };

    test('yes, by name', async () => {
      const {client, task} = await ask();
      const ended = await client.send('once', {taskId: task.id});
      assert.deepEqual([ended.state, ended.text.trim()], ['completed', 'said: hello']);
    });

    test('yes, once, by a part', async () => {
      const {client, task, answer} = await ask();
      const ended = await client.send(answer('once'), {taskId: task.id});
      assert.deepEqual([ended.state, ended.text.trim()], ['completed', 'said: hello']);
      await assert.rejects(async () => client.send(answer('once'), {taskId: task.id}), 'replayed');
    });

    test('no', async () => {
      const {client, task, answer} = await ask();
      const ended = await client.send(answer('reject'), {taskId: task.id});
      assert.match(ended.text + (ended.asked?.text ?? ''), /not today/);
    });
  });
}
