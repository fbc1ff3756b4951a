// Starts the binary named by SIDECAR_BIN and speaks A2A to it.
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';

export const bin = process.env.SIDECAR_BIN;
if (!bin) throw new Error('set SIDECAR_BIN to the sidecar binary (.ci/interop does)');

// serve starts a sidecar and returns its url. What it logs above info is in warnings.
export async function serve(flags, command, env = {}) {
  const args = ['run', '--port', '0', '--log-format', 'json', ...flags, '--', ...command];
  const child = spawn(bin, args, {stdio: ['ignore', 'ignore', 'pipe'], env: {...process.env, ...env}});
  const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const log = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({input: child.stderr}).on('line', (line) => {
      log.push(line);
      let entry = {};
      try { entry = JSON.parse(line); } catch { /* not a log line */ }
      if (entry.msg === 'serving') resolve(entry.url);
    });
    exited.then((code) => reject(new Error(`the sidecar ended with ${code}:\n${log.join('\n')}`)));
  });
  return {url, log, stop: async () => { child.kill('SIGTERM'); return exited; }};
}

// until asks again and again until the answer is truthy, for at most a minute.
export async function until(what, ask) {
  const end = Date.now() + 60_000;
  for (;;) {
    const got = await ask();
    if (got) return got;
    if (Date.now() > end) throw new Error(`no ${what} within a minute`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const json = {'content-type': 'application/json', 'a2a-version': '1.0'};

async function rpc(url, method, params) {
  const r = await fetch(url, {method: 'POST', headers: json, body: JSON.stringify({jsonrpc: '2.0', id: 1, method, params})});
  const {result, error} = await r.json();
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

// call calls a tool; answer gives the message parts for what the task asks meanwhile.
export async function call(url, name, args, answer) {
  const r = await fetch(`${url}/a2a/tools/${name}`, {method: 'POST', headers: json, body: JSON.stringify(args)});
  const id = (r.headers.get('location') ?? '').split('/').pop();
  if (r.status !== 202) return {envelope: await r.json(), task: await rpc(url, 'GetTask', {id})};
  const task = await until(`end of ${name}`, async () => {
    const task = await rpc(url, 'GetTask', {id});
    if (task.status.state === 'TASK_STATE_INPUT_REQUIRED') {
      await rpc(url, 'SendMessage', {message: {messageId: crypto.randomUUID(), taskId: id, role: 'ROLE_USER', parts: answer(task.status.message)}});
      return;
    }
    return /COMPLETED|FAILED|REJECTED|CANCELED/.test(task.status.state) && task;
  });
  return {task, envelope: task.artifacts.find((a) => a.artifactId === 'result').parts[0].data};
}
