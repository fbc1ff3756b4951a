// One visit of the official client: client.mjs REVISION URL|stdio prints what it saw as one line of JSON.
// At stdio it starts `sidecar mcp`, so it has to be a process of the sidecar's.
import {Client, StreamableHTTPClientTransport} from '@modelcontextprotocol/client';
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio';

const [revision, where] = process.argv.slice(2);

// coreCalls are calls of the locked tools, each on what the one before it has left.
export const coreCalls = [
  ['glob', {pattern: '*.txt'}],
  ['grep', {pattern: 't.o', output_mode: 'content'}],
  ['edit', {file_path: 'a.txt', old_string: 'two', new_string: '2'}],
  ['bash', {command: 'cat a.txt; echo done >&2'}],
  ['core.edit', {file_path: 'a.txt', old_string: '2', new_string: 'two'}],
];

// visit lists and calls at one revision.
export async function visit(revision, where, env = process.env) {
  const modern = revision >= '2026-07-28';
  const options = {capabilities: {}, versionNegotiation: modern ? {mode: {pin: revision}} : undefined};
  if (!modern) options.supportedProtocolVersions = [revision];
  const client = new Client({name: 'judge', version: '1'}, options);
  const changed = [];
  const transport = where === 'stdio'
    ? new StdioClientTransport({command: env.MCP_INTEROP_BIN, args: ['mcp'], env, stderr: 'inherit'})
    : new StreamableHTTPClientTransport(new URL(where));
  await client.connect(transport);
  const seen = {revision: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion, server: client.getServerVersion()?.name};
  seen.tools = (await client.listTools()).tools;
  seen.echo = await client.callTool({name: 'acme.echo', arguments: {value: 'hi'}});
  seen.read = [];
  for (const name of ['read', 'core.read']) seen.read.push(await client.callTool({name, arguments: {file_path: 'a.txt'}}));
  seen.core = {};
  for (const [name, args] of coreCalls) seen.core[name] = await client.callTool({name, arguments: args});
  seen.todo = await client.callTool({name: 'todo', arguments: {todos: [{content: 'build it', status: 'in_progress'}]}});
  seen.wrong = await client.callTool({name: 'acme.echo', arguments: {value: 5}});
  seen.unknown = await client.callTool({name: 'acme.none', arguments: {}}).then((r) => r, (err) => ({refused: String(err.message)}));
  const progress = [];
  seen.slow = await client.callTool({name: 'acme.slow', arguments: {}}, {onprogress: (p) => progress.push(p)});
  seen.found = await client.callTool({name: 'core.tool_search', arguments: {query: 'weather'}});
  await client.callTool({name: 'core.tool_search', arguments: {load: ['acme.weather']}});
  seen.after = (await client.listTools()).tools.map((t) => t.name);
  seen.progress = progress.length;
  seen.changed = changed.length;
  await client.close();
  return seen;
}

if (process.argv[1].endsWith('client.mjs')) {
  process.stdin.resume();
  console.log(JSON.stringify(await visit(revision, where)));
  process.exit(0);
}
