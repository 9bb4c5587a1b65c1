// The same request by what Node has of its own.
import { writeSync } from 'node:fs';
import { request } from 'node:http';
import { headers, requestOf } from './request.mjs';

const { origin, path, body } = requestOf(process.argv);
const sending = request(`${origin}${path}`, {
  method: 'POST',
  agent: false,
  headers: { ...headers, 'content-length': Buffer.byteLength(body) },
});
sending.on('response', (reply) => {
  let text = '';
  reply.setEncoding('utf8');
  reply.on('data', (piece) => {
    text += piece;
  });
  reply.on('end', () => {
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
    writeSync(1, text);
  });
});
sending.end(body);
