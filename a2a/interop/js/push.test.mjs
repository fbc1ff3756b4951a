import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {after, before, test} from 'node:test';
import {clients} from './clients.mjs';
import {serve} from './sidecar.mjs';

let slow, hook;
const pushed = []; // {path, token, secret, body}
before(async () => {
  process.env.SIDECAR_PUSH_ALLOW_PRIVATE = 'true';
  slow = await serve('sh', '-c', 'read l; exec sleep 60');
  hook = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => { body += chunk; }).on('end', () => {
      pushed.push({path: request.url, token: request.headers['x-a2a-notification-token'], secret: request.headers.authorization, body});
      response.end();
      hook.emit('pushed');
    });
  });
  await once(hook.listen(0, '127.0.0.1'), 'listening');
});
after(async () => {
  assert.equal(await slow?.stop(), 0);
  hook?.close();
});

for (const [name, connect] of Object.entries(clients)) {
  test(`push: ${name}`, {timeout: 120_000}, async () => {
    const client = await connect(slow.url);
    const task = await client.start('go');
    const path = `/${encodeURIComponent(name)}`;
    const mine = {id: client.push.list ? 'mine' : task.id, url: `http://127.0.0.1:${hook.address().port}${path}`, token: 'token', secret: 'secret'};
    assert.deepEqual(await client.push.set(task.id, mine), mine);
    assert.deepEqual(await client.push.get(task.id, client.push.list && 'mine'), mine);
    if (client.push.list) {
      const other = {...mine, id: 'other', url: 'https://example.com/other'};
      assert.deepEqual(await client.push.set(task.id, other), other);
      assert.deepEqual(await client.push.list(task.id), [mine, other]);
      await client.push.remove(task.id, 'other');
      await assert.rejects(client.push.get(task.id, 'other'));
      assert.deepEqual(await client.push.list(task.id), [mine]);
    }
    await assert.rejects(client.push.get('no-such-task', 'mine'));
    await client.cancel(task.id);
    const told = () => pushed.filter((p) => p.path === path);
    while (!/canceled"/i.test(told().at(-1)?.body ?? '')) await once(hook, 'pushed');
    for (const p of told()) assert.deepEqual([p.token, p.secret], ['token', 'Bearer secret']);
  });
}
