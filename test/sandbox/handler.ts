import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Of the query, or of the body of a POST; in the order they came. */
  readonly fields: readonly (readonly [string, string])[];
}

export interface Handler {
  readonly url: string;
  readonly calls: Call[];
  /** Answers in order; 200 once they are used up. */
  readonly answers: ((response: ServerResponse) => void)[];
}

/** A merchant's server on this machine, until the test is over. */
export async function openHandler(path = '/hook'): Promise<Handler> {
  const calls: Call[] = [];
  const answers: Handler['answers'] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://handler');
      const fields = [...(request.method === 'POST' ? new URLSearchParams(body) : url.searchParams)];
      calls.push({
        method: request.method ?? '',
        path: url.pathname + (request.method === 'POST' ? url.search : ''),
        fields,
      });
      const answer = answers.shift();
      if (answer === undefined) response.end('OK');
      else answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}${path}`, calls, answers };
}

export function answering(
  status: number,
  text = '',
  headers: Readonly<Record<string, string>> = {},
): (response: ServerResponse) => void {
  return (response) => void response.writeHead(status, headers).end(text);
}

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) if (Buffer.isBuffer(piece)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
