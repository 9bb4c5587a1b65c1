import type { ControlEncoding } from '../../../../signing/index.js';
import { controlKey } from '../../sign/code/node.js';
import { paragraphs } from '../../sign/code/plan.js';
import { duties, inside, introduction } from './introduction.js';

const digests: Readonly<Record<ControlEncoding, readonly [given: string, encoding: string]>> = {
  'hex-lower': ['control.toLowerCase()', 'hex'],
  'hex-upper': ['control.toLowerCase()', 'hex'],
  base64: ['control', 'base64'],
};

/** A JavaScript handler on the server of Node.js. */
export function nodeHandler(encoding: ControlEncoding, run: string): string {
  const [given, form] = digests[encoding];
  return paragraphs([
    introduction('//', 'Node.js 18 or later', run),
    `import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';`,
    controlKey,
    `// Status and both ids of a callback; undefined when it is not signed by this key.
function verifyCallback(query, key) {
  const fields = new URLSearchParams(query);
  const [status, orderId, clientOrderId, control] = ['status', 'orderid', 'client_orderid', 'control'].map((name) => {
    const values = fields.getAll(name);
    // A field that is missing or sent twice proves nothing.
    return values.length === 1 ? values[0] : '';
  });
  if ([status, orderId, clientOrderId, control].includes('')) return undefined;
  const expected = Buffer.from(createHash('sha1').update(status + orderId + clientOrderId + key).digest('${form}'));
  const given = Buffer.from(${given});
  const isEqual = given.length === expected.length && timingSafeEqual(given, expected);
  return isEqual ? { status, orderId, clientOrderId } : undefined;
}`,
    `async function handle({ status, orderId, clientOrderId }) {
${inside('  ', duties('//'))}
  console.log(\`verified: \${status}, order \${orderId} (\${clientOrderId})\`);
}`,
    `async function readBody(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) {
    text += piece;
    if (text.length > 65_536) return '';
  }
  return text;
}`,
    `const server = createServer(async (request, response) => {
  try {
    const { search } = new URL(request.url, 'http://localhost');
    const callback = verifyCallback(request.method === 'POST' ? await readBody(request) : search, key);
    if (callback !== undefined) await handle(callback);
    response.writeHead(callback === undefined ? 403 : 200).end(callback === undefined ? 'refused\\n' : 'OK\\n');
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1');`,
  ]);
}
