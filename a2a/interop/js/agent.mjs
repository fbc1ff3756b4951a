// An agent that says ten thousand things over the channel, each an event of its own: INTEROP_GATE is asked after each
// block, so that it is never far ahead of its client.
import {connect} from 'node:net';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {blockSize, eventCount, line} from './numbers.mjs';

const batchSize = 20; // so many are written before their answers are read

const conn = connect(process.env.SIDECAR_SOCKET);
await once(conn, 'connect');
const answers = createInterface({input: conn})[Symbol.asyncIterator]();
let calls = 0;
const call = (method, params) => conn.write(`${JSON.stringify({jsonrpc: '2.0', id: ++calls, method, params})}\n`);

call('initialize', {token: process.env.SIDECAR_CHANNEL_TOKEN, protocolVersion: '1'});
for (let i = 0; i < eventCount; i++) {
  call('task/artifact', {artifactId: 'log', append: i > 0, lastChunk: i === eventCount - 1, parts: [{text: line(i)}]});
  if ((i + 1) % batchSize !== 0) continue;
  for (; calls > 0; calls--) {
    const {value, done} = await answers.next();
    if (done || JSON.parse(value).error) throw new Error(`answered ${value}`);
  }
  if ((i + 1) % blockSize === 0) await (await fetch(`${process.env.INTEROP_GATE}/${i + 1}`)).text();
}
conn.end();
