// The same request as `paycli sale` and `paycli status`, and nothing else: bundled with the parts of undici it needs.
import { writeSync } from 'node:fs';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';
import { headers, requestOf } from './request.mjs';

Client.prototype.request = request;

const { origin, path, body } = requestOf(process.argv);
const client = new Client(origin);
client.request({ path, method: 'POST', headers, body }).then(async ({ statusCode, body: reply }) => {
  const text = await reply.text();
  if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
  writeSync(1, text);
  await client.destroy();
});
