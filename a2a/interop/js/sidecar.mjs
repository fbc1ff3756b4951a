// Starts the binary named by SIDECAR_BIN around a command and finds its address in the log.
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

export const shellAgent = fileURLToPath(new URL('../../../examples/shell-agent/agent.sh', import.meta.url));

export const serve = (...command) => serveWith([], ...command);

// serveWith takes flags of run, too.
export async function serveWith(flags, ...command) {
  const bin = process.env.SIDECAR_BIN;
  if (!bin) throw new Error('set SIDECAR_BIN to the sidecar binary (.ci/interop does)');
  const args = ['run', '--port', '0', '--mode', 'oneshot', '--log-format', 'json', ...flags, '--', ...command];
  const child = spawn(bin, args, {stdio: ['ignore', 'ignore', 'pipe'], env: {...process.env, SIDECAR: bin}});
  const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const url = await new Promise((resolve, reject) => {
    createInterface({input: child.stderr}).on('line', (line) => {
      let entry = {};
      try { entry = JSON.parse(line); } catch { /* not a log line */ }
      if (entry.msg === 'serving') resolve(entry.url);
    });
    exited.then((code) => reject(new Error(`the sidecar ended with ${code}`)));
  });
  return {url, stop: async () => { child.kill('SIGTERM'); return exited; }};
}
