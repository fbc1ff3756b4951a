// The official clients behind one small face, so that one set of tests judges all of them:
//   push.set, .get, .list, .remove; send(text or data, {taskId}) → task, start(text) → task at once, stream(text) → events, get, cancel, subscribe(id, headers) → events.
// A task is {id, state, text, asked}, where asked is the message of its status, {text, data}; an event is {task?, state?, text?, artifactId?}.
import {randomUUID} from 'node:crypto';
import {A2AClient as Client02} from 'sdk-0.2/client';
import * as sdk03 from 'sdk-0.3/client';
import * as sdk1 from 'sdk-1/client';

const stripState = (s) => String(s).toLowerCase().replace('task_state_', '').replaceAll('_', '-');

// 0.2 and 0.3 share their shapes.
const textOf = (parts = []) => parts.filter((p) => p.kind === 'text').map((p) => p.text).join('');
const answerOf = (task) => (task.artifacts ?? []).map((a) => textOf(a.parts)).join('');
const asked03 = (m) => m && {text: textOf(m.parts), data: m.parts.filter((p) => p.kind === 'data').map((p) => p.data)};
const task03 = (t) => ({id: t.id, state: stripState(t.status.state), text: answerOf(t), asked: asked03(t.status.message)});
const event03 = (e) => {
  switch (e.kind) {
    case 'task': return {task: task03(e), state: stripState(e.status.state), text: answerOf(e)};
    case 'status-update': return {state: stripState(e.status.state), note: textOf(e.status.message?.parts), final: e.final};
    case 'artifact-update': return {text: textOf(e.artifact.parts), artifactId: e.artifact.artifactId};
  }
  throw new Error(`an event of kind ${e.kind}`);
};
const message03 = (text, taskId) => ({message: {kind: 'message', messageId: randomUUID(), role: 'user', parts: [typeof text === 'string' ? {kind: 'text', text} : {kind: 'data', data: text}], ...(taskId && {taskId})}});

async function* map(events, f) { for await (const e of events) yield f(e); }

function face03(client, unwrap) {
  return {
    send: async (text, {taskId} = {}) => task03(unwrap(await client.sendMessage(message03(text, taskId)))),
    start: async (text) => task03(unwrap(await client.sendMessage({...message03(text), configuration: {blocking: false, acceptedOutputModes: []}}))),
    stream: (text) => map(client.sendMessageStream(message03(text)), event03),
    get: async (id) => task03(unwrap(await client.getTask({id}))),
    cancel: async (id) => task03(unwrap(await client.cancelTask({id}))),
    subscribe: (id, headers) => map(client.resubscribeTask({id}, {serviceParameters: headers}), event03),
    push: pushFace03(client, unwrap),
  };
}

// Push configs are {id, url, token, secret}; 0.2 can only set and get, and names none.
function pushFace03(client, unwrap) {
  const config = (c) => ({id: c.pushNotificationConfig.id, url: c.pushNotificationConfig.url, token: c.pushNotificationConfig.token,
    secret: c.pushNotificationConfig.authentication?.credentials});
  const ref = (task, id) => ({id: task, pushNotificationConfigId: id});
  return {
    set: async (taskId, {id, url, token, secret}) => config(unwrap(await client.setTaskPushNotificationConfig(
      {taskId, pushNotificationConfig: {id, url, token, authentication: {schemes: ['Bearer'], credentials: secret}}}))),
    get: async (task, id) => config(unwrap(await client.getTaskPushNotificationConfig(ref(task, id)))),
    ...(client.listTaskPushNotificationConfig && {
      list: async (task) => unwrap(await client.listTaskPushNotificationConfig({id: task})).map(config),
      remove: async (task, id) => client.deleteTaskPushNotificationConfig(ref(task, id)),
    }),
  };
}

// 1.x shapes: oneofs and numeric enums.
const states = ['unspecified', 'submitted', 'working', 'completed', 'failed', 'canceled', 'input-required', 'rejected', 'auth-required'];
const state1 = (s) => (typeof s === 'number' ? states[s] : stripState(s));
const text1 = (parts = []) => parts.filter((p) => p.content?.$case === 'text').map((p) => p.content.value).join('');
const answer1 = (task) => (task.artifacts ?? []).map((a) => text1(a.parts)).join('');
const asked1 = (m) => m && {text: text1(m.parts), data: m.parts.filter((p) => p.content?.$case === 'data').map((p) => p.content.value)};
const task1 = (t) => ({id: t.id, state: state1(t.status.state), text: answer1(t), asked: asked1(t.status.message)});
const event1 = ({payload: {$case, value}}) => {
  switch ($case) {
    case 'task': return {task: task1(value), state: state1(value.status.state), text: answer1(value)};
    case 'statusUpdate': return {state: state1(value.status.state), note: text1(value.status.message?.parts)};
    case 'artifactUpdate': return {text: text1(value.artifact.parts), artifactId: value.artifact.artifactId};
  }
  throw new Error(`an event of case ${$case}`);
};
const message1 = (text, taskId = '') => ({
  tenant: '', metadata: undefined, configuration: undefined,
  message: {
    messageId: randomUUID(), contextId: '', taskId, role: 1, metadata: undefined, extensions: [], referenceTaskIds: [],
    parts: [{content: {$case: typeof text === 'string' ? 'text' : 'data', value: text}, metadata: undefined, filename: '', mediaType: ''}],
  },
});
const returnImmediately = {acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true};

function face1(client) {
  return {
    send: async (text, {taskId} = {}) => task1(await client.sendMessage(message1(text, taskId))),
    start: async (text) => task1(await client.sendMessage({...message1(text), configuration: returnImmediately})),
    stream: (text) => map(client.sendMessageStream(message1(text)), event1),
    get: async (id) => task1(await client.getTask({tenant: '', id})),
    cancel: async (id) => task1(await client.cancelTask({tenant: '', id, metadata: undefined})),
    subscribe: (id, headers) => map(client.resubscribeTask({tenant: '', id}, {serviceParameters: headers}), event1),
    push: pushFace1(client),
  };
}

function pushFace1(client) {
  const config = (c) => ({id: c.id, url: c.url, token: c.token, secret: c.authentication?.credentials});
  return {
    set: async (taskId, {id, url, token, secret}) => config(await client.createTaskPushNotificationConfig(
      {tenant: '', taskId, id, url, token, authentication: {scheme: 'Bearer', credentials: secret}})),
    get: async (taskId, id) => config(await client.getTaskPushNotificationConfig({tenant: '', taskId, id})),
    list: async (taskId) => (await client.listTaskPushNotificationConfig({tenant: '', taskId, pageSize: 0, pageToken: ''})).configs.map(config),
    remove: async (taskId, id) => client.deleteTaskPushNotificationConfig({tenant: '', taskId, id}),
  };
}

const factory = (sdk, transport, fetchImpl) => new sdk.ClientFactory(sdk.ClientFactoryOptions.createFrom(sdk.ClientFactoryOptions.default, {
  preferredTransports: [transport],
  transports: [new sdk.JsonRpcTransportFactory({fetchImpl}), new sdk.RestTransportFactory({fetchImpl})],
}));
const rpcResult = (response) => {
  if (response.error) throw Object.assign(new Error(response.error.message), {code: response.error.code});
  return response.result;
};

// Each takes the address and, but for 0.2, a fetch of the test's own.
export const clients = {
  '0.2.5 JSON-RPC': async (url) => face03(new Client02(url), rpcResult),
  '0.3.14 JSON-RPC': async (url, fetch) => face03(await factory(sdk03, 'JSONRPC', fetch).createFromUrl(url), (r) => r),
  '0.3.14 REST': async (url, fetch) => face03(await factory(sdk03, 'HTTP+JSON', fetch).createFromUrl(url), (r) => r),
  '1.3.0 JSON-RPC': async (url, fetch) => face1(await factory(sdk1, 'JSONRPC', fetch).createFromUrl(url)),
  '1.3.0 REST': async (url, fetch) => face1(await factory(sdk1, 'HTTP+JSON', fetch).createFromUrl(url)),
};
