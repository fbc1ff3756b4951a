// The reference servers, each tool of them: listed and called through A2A, in the sandbox.
import assert from 'node:assert/strict';
import {mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import test from 'node:test';
import {call, serve, until} from './sidecar.mjs';

const modules = realpathSync(fileURLToPath(new URL('node_modules', import.meta.url)));
const program = (name) => join(modules, '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
const node = dirname(dirname(realpathSync(process.execPath)));

const box = realpathSync(mkdtempSync(join(process.env.SIDECAR_INTEROP_DIR ?? tmpdir(), 'mcp-')));
process.on('exit', () => rmSync(box, {recursive: true, force: true}));
writeFileSync(join(box, 'a.txt'), 'hello a\n');
writeFileSync(join(box, 'dot.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
const read = [`${modules}/**`, `${dirname(modules)}/package.json`, `${node}/**`, `${box}/**`];

const config = join(box, 'mcp.json');
writeFileSync(config, JSON.stringify({mcpServers: {
  everything: {command: process.execPath, args: [program('everything')], requires: {fs: {read}}},
  filesystem: {command: process.execPath, args: [program('filesystem'), box], requires: {fs: {read, write: [`${box}/**`]}}},
  memory: {command: process.execPath, args: [program('memory')], env: {MEMORY_FILE_PATH: join(box, 'memory.jsonl')}, requires: {fs: {read, write: [`${box}/**`]}}},
}}));

const at = (name) => join(box, name);
const ada = {name: 'Ada', entityType: 'person', observations: ['writes programs']};
const bob = {name: 'Bob', entityType: 'person', observations: []};
const knows = {from: 'Ada', to: 'Bob', relationType: 'knows'};

// What each tool is called with, and what its answer must show; in this order, as some need what others wrote.
const calls = {
  'everything.echo': [{message: 'hi'}, /Echo: hi/],
  'everything.get_annotated_message': [{messageType: 'success', includeImage: true}, /Operation completed/, 'image/png'],
  'everything.get_env': [{}, /PATH/],
  'everything.get_resource_links': [{count: 2}, /resource/, 'url'],
  'everything.get_resource_reference': [{resourceType: 'Blob', resourceId: 1}, /resource/i, 'resource'],
  'everything.get_structured_content': [{location: 'Chicago'}, /"conditions"/],
  'everything.get_sum': [{a: 2, b: 3}, /is 5/],
  'everything.get_tiny_image': [{}, /./, 'image/png'],
  'everything.gzip_file_as_resource': [{name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource'}, /./, 'application/gzip'],
  'everything.toggle_simulated_logging': [{}, /./],
  'everything.toggle_subscriber_updates': [{}, /./],
  'everything.trigger_long_running_operation': [{duration: 0.2, steps: 2}, /completed/],
  'everything.simulate_research_query': [{topic: 'x'}, /./, '', 'any'],
  'everything.trigger_elicitation_request': [{}, /Check Box|provided|accept/i],
  'everything.trigger_elicitation_request_async': [{}, /./, '', 'any'],
  'everything.trigger_sampling_request': [{prompt: 'say pong', maxTokens: 10}, /PONG/],
  'everything.trigger_sampling_request_async': [{prompt: 'say pong'}, /./, '', 'any'],
  'everything.trigger_url_elicitation': [{}, /./, '', 'any'],
  'everything.get_roots_list': [{}, /./, '', 'any'],
  'filesystem.read_file': [{path: at('a.txt')}, /hello a/],
  'filesystem.read_text_file': [{path: at('a.txt')}, /hello a/],
  'filesystem.read_media_file': [{path: at('dot.png')}, /./, 'image/png'],
  'filesystem.read_multiple_files': [{paths: [at('a.txt')]}, /hello a/],
  'filesystem.write_file': [{path: at('b.txt'), content: 'hello b\n'}, /Success/],
  'filesystem.edit_file': [{path: at('b.txt'), edits: [{oldText: 'hello b', newText: 'hello c'}]}, /hello c/],
  'filesystem.create_directory': [{path: at('d')}, /Success/],
  'filesystem.list_directory': [{path: box}, /a\.txt/],
  'filesystem.list_directory_with_sizes': [{path: box}, /a\.txt/],
  'filesystem.directory_tree': [{path: box}, /a\.txt/],
  'filesystem.move_file': [{source: at('b.txt'), destination: at('d/b.txt')}, /Success/],
  'filesystem.search_files': [{path: box, pattern: '**/b.txt'}, /b\.txt/],
  'filesystem.get_file_info': [{path: at('a.txt')}, /size/],
  'filesystem.list_allowed_directories': [{}, /mcp-/],
  'memory.create_entities': [{entities: [ada, bob]}, /Ada/],
  'memory.create_relations': [{relations: [knows]}, /knows/],
  'memory.add_observations': [{observations: [{entityName: 'Ada', contents: ['likes tea']}]}, /tea/],
  'memory.read_graph': [{}, /Ada/],
  'memory.search_nodes': [{query: 'Ada'}, /Ada/],
  'memory.open_nodes': [{names: ['Bob']}, /Bob/],
  'memory.delete_observations': [{deletions: [{entityName: 'Ada', observations: ['likes tea']}]}, /deleted/i],
  'memory.delete_relations': [{relations: [knows]}, /deleted/i],
  'memory.delete_entities': [{entityNames: ['Ada', 'Bob']}, /deleted/i],
};

// fits makes a value that a form takes.
function fits(schema) {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const one = (schema.oneOf ?? schema.anyOf)?.[0];
  if (one) return one.const ?? fits(one);
  switch (schema.type) {
    case 'boolean': return true;
    case 'integer': case 'number': return schema.minimum ?? 1;
    case 'array': return [fits(schema.items ?? {type: 'string'})];
    case 'object': return Object.fromEntries((schema.required ?? []).map((name) => [name, fits(schema.properties[name])]));
  }
  if (schema.format === 'email') return 'a@example.com';
  if (schema.format === 'uri') return 'https://example.com/';
  if (schema.format === 'date') return '2026-01-02';
  if (schema.format === 'date-time') return '2026-01-02T03:04:05Z';
  return 'x'.repeat(Math.max(schema.minLength ?? 1, 1));
}

function answer(message) {
  const asked = message.parts.map((p) => p.data).find((d) => d?.elicitation);
  if (asked) return [{data: fits(asked.elicitation.requestedSchema)}];
  return [{text: message.parts.some((p) => p.data?.sampling) ? 'PONG' : 'decline'}];
}

const kinds = (task) => JSON.stringify(task.artifacts.filter((a) => a.artifactId.startsWith('content-')));

async function every(url, list) {
  const names = list.map((row) => row.name).sort();
  const unknown = names.filter((name) => !calls[name]);
  assert.deepEqual(unknown, [], 'tools without a call in the table');
  for (const [name, [args, want, part, any]] of Object.entries(calls)) {
    if (!names.includes(name)) continue;
    const {envelope, task} = await call(url, name, args, answer);
    if (any) {
      assert.match(envelope.metadata.outcome, /./);
      continue;
    }
    assert.match(envelope.metadata.outcome, /^(final|artifact|redacted)$/, `${name}: ${JSON.stringify(envelope)}`);
    assert.match(JSON.stringify(envelope.data), want, name);
    if (part) assert.ok(kinds(task).includes(part), `${name}: no ${part} in ${kinds(task)}`);
  }
  return names;
}

test('every tool of the reference servers, bridged and in the sandbox', async (t) => {
  const s = await serve(['--mode', 'oneshot', '--mcp-config', config, '--workspace', box], ['cat']);
  t.after(s.stop);
  const list = await until('list of three servers', async () => {
    const rows = await (await fetch(`${s.url}/a2a/tools/effective`)).json();
    return ['everything', 'filesystem', 'memory'].every((ns) => rows.some((r) => r.namespace === ns)) && rows;
  });
  assert.ok(list.every((row) => row.provenance === `connector:${row.namespace}`), JSON.stringify(list[0]));
  const names = await every(s.url, list);
  t.diagnostic(`${names.length} tools were called`);
  assert.ok(names.length >= 13 + 13 + 9, `only ${names.length} tools`);
  assert.deepEqual(await (await fetch(`${s.url}/a2a/tools`)).json(), [], "GET /a2a/tools is the image's");
  assert.ok(readdirSync(box).includes('d'));
});

test('a reference server as the agent: its list is the manifest', async (t) => {
  const s = await serve(['--mode', 'mcp', '--name', 'everything'], [process.execPath, program('everything')]);
  t.after(s.stop);
  const list = await (await fetch(`${s.url}/a2a/tools`)).json();
  assert.ok(list.length >= 13, `${list.length} tools`);
  const sum = list.find((row) => row.name.endsWith('.get_sum'));
  const {envelope} = await call(s.url, sum.name, {a: 20, b: 22}, answer);
  assert.match(JSON.stringify(envelope.data), /42/);
  const r = await fetch(s.url, {method: 'POST', headers: {'content-type': 'application/json', 'a2a-version': '1.0'}, body: JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {message: {messageId: 'm', role: 'ROLE_USER', parts: [{text: 'hi'}]}}})});
  assert.match(JSON.stringify(await r.json()), /mcp|message/i);
});
