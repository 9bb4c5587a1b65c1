// The same request as `paycli sale` and `paycli status`, and nothing else: bundled with undici.
import { writeSync } from 'node:fs';
import { Client } from 'undici';
import { headers, requestOf } from './request.mjs';

const { origin, path, body } = requestOf(process.argv);
const client = new Client(origin);
client.request({ path, method: 'POST', headers, body }).then(async ({ statusCode, body: reply }) => {
  const text = await reply.text();
  if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
  writeSync(1, text);
  await client.destroy();
});
