// A proxy that breaks connections in the middle of answers, and the gate that holds the agent back meanwhile.
import {once} from 'node:events';
import {createServer as createHTTP} from 'node:http';
import {connect, createServer} from 'node:net';

// So much a connection that is to break carries before: a few hundred events.
const bytesPerLife = 200_000;

// breaker passes connections on to the server at url and breaks `left` of those that have carried enough: with an end
// that nobody announced, or with a reset that also takes what had not been read. Each breaks in another place.
export async function breaker(url, left) {
  const open = new Set();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1');
    let room = bytesPerLife + cuts * 377;
    for (const s of [client, upstream]) {
      open.add(s);
      s.on('error', () => {});
      s.on('close', () => { open.delete(s); client.destroy(); upstream.destroy(); });
    }
    client.pipe(upstream);
    upstream.on('data', (data) => {
      if (data.length < room || left === 0) {
        room -= data.length;
        if (!client.write(data)) { upstream.pause(); client.once('drain', () => upstream.resume()); }
        return;
      }
      left--;
      cuts++;
      upstream.destroy();
      if (left % 2) client.resetAndDestroy();
      else client.end(data.subarray(0, Math.max(room, 0)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    get cuts() { return cuts; },
    stop() { server.close(); for (const s of open) s.destroy(); },
  };
}

// gate holds an agent back that is `lead` or more events ahead of what its client saw.
export async function gate() {
  let seen = 0, lead = 0, waiting = [], shut;
  const server = createHTTP((request, response) => {
    waiting.push({written: Number(request.url.slice(1)), response});
    open();
  });
  const open = () => {
    waiting = waiting.filter(({written, response}) => {
      if (written >= seen + lead) return true;
      response.end();
      return false;
    });
    if (waiting.length > 0) shut?.();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    saw(n) { if (n > seen) { seen = n; open(); } },
    reset(n) { seen = 0; lead = n; },
    // shut resolves when an agent waits.
    shut: () => new Promise((resolve) => { shut = resolve; open(); }),
    stop() { server.closeAllConnections(); server.close(); },
  };
}
