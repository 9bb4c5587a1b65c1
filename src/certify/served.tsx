import { createServer, type IncomingMessage, type Server } from 'node:http';
import { fail, isPaycliError } from '../errors/index.js';
import { TextWithCode } from '../sandbox/dashboard/layout.js';
import { decodeForm } from '../wire/form.js';
import type { GatewayPorts } from './gateway.js';
import { type Judgement, notRun } from './judge.js';
import { type OutcomeWord, outcomeWords, type Scenario } from './scenario.js';
import { openScenario, type ScenarioRuntime, type ScenarioSession, type ToldTimes } from './scenario-session.js';
import { scenarios } from './scenarios/index.js';

/** A page that starts scenarios one after the other, for clients that no command can drive. */
export interface ServedScenarios {
  readonly url: string;
  readonly judged: readonly Judgement[];
  close(): Promise<void>;
}

interface Current {
  readonly scenario: Scenario;
  readonly session: ScenarioSession;
}

export interface ServeSettings extends ToldTimes {
  /** PAYCLI_CALLBACK_URL; undefined where there is no handler. */
  readonly handler: string | undefined;
  /** Of the page; 0 for any free one. */
  readonly pagePort: number;
}

/**
 * Serves the page at a port of this machine, and the gateway of the chosen scenario at that of `ports`. Throws
 * PORT_TAKEN.
 */
export async function serveScenarios(
  chosen: readonly Scenario[],
  settings: ServeSettings,
  ports: GatewayPorts,
  runtime: ScenarioRuntime,
): Promise<ServedScenarios> {
  const results = new Map<Scenario, Judgement>();
  const token = runtime.random.letters(32);
  let current: Current | undefined;
  let problem: string | undefined;
  const leave = async () => {
    const left = current;
    current = undefined;
    await left?.session.close();
  };
  const act = async (form: ReadonlyMap<string, string>) => {
    const scenario = chosen.find(({ name }) => name === form.get('start'));
    const said = outcomeWords.find((word) => word === form.get('said'));
    if (scenario !== undefined) {
      await leave();
      const number = scenarios.indexOf(scenario);
      current = { scenario, session: await openScenario(scenario, number, settings, ports, runtime) };
      void current.session.begin().catch(() => undefined);
    } else if (said !== undefined && current !== undefined) {
      results.set(current.scenario, await judgeSaid(current, said));
      await leave();
    }
  };
  // One button at a time.
  let queue: Promise<unknown> = Promise.resolve();
  const server = createServer((incoming, response) => {
    // Between two presses a person takes about as long as a connection is kept: the second could meet its end.
    response.setHeader('connection', 'close');
    void readForm(incoming).then((form) => {
      if (!isOwn(incoming, server) || (incoming.method === 'POST' && form.get('token') !== token))
        return response.writeHead(403).end();
      if (incoming.method !== 'POST') {
        const shown = { chosen, results, current, problem, token, settings };
        const page = <Page {...shown} />;
        return response.writeHead(200, pageHeaders).end(`<!doctype html>${String(page)}`);
      }
      queue = queue
        .then(() => {
          problem = undefined;
          return act(form);
        })
        .catch((error: unknown) => {
          problem = problemText(error);
        });
      return queue.then(() => response.writeHead(303, { location: '/' }).end());
    });
  });
  await listenOn(server, settings.pagePort);
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    get judged() {
      return chosen.map((scenario) => results.get(scenario) ?? notRun(scenario, 'it was not started, or not judged'));
    },
    async close() {
      await queue;
      await leave();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function problemText(error: unknown): string {
  if (isPaycliError(error)) return `${error.message}; ${error.next}`;
  return `the scenario could not be set up: ${String(error)}`;
}

/** Only the last word is asked for. */
function judgeSaid({ session }: Current, outcome: OutcomeWord): Promise<Judgement> {
  const answer = { outcome, from: 'last line', problem: undefined, orderId: undefined } as const;
  return session.judge([{ ...answer, exit: 0, ms: 0, ended: 'by itself', errors: [] }]);
}

const pageHeaders = {
  'content-type': 'text/html;charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
};

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(fail('PORT_TAKEN', { port }, { cause })));
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Not a page of another site, and not by another name for this machine. */
function isOwn({ headers }: IncomingMessage, server: Server): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  return headers.host === `127.0.0.1:${portOf(server)}` && (site === 'none' || site === 'same-origin');
}

const maxFormBytes = 4096;

function readForm(incoming: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  return new Promise((resolve) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      text = (text + piece).slice(0, maxFormBytes);
    });
    incoming.once('close', () => resolve(new Map(decodeForm(text))));
    incoming.once('end', () => resolve(new Map(decodeForm(text))));
  });
}

interface PageProps {
  readonly chosen: readonly Scenario[];
  readonly results: ReadonlyMap<Scenario, Judgement>;
  readonly current: Current | undefined;
  /** Why the last button did nothing. */
  readonly problem: string | undefined;
  readonly token: string;
  readonly settings: ServeSettings;
}

function Page({ chosen, results, current, problem, token, settings }: PageProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Scenarios of paycli certify</title>
        <style>{style}</style>
      </head>
      <body>
        <main>
          <h1>Scenarios</h1>
          {problem === undefined ? (
            ''
          ) : (
            <p role="alert" class="failed">
              {problem}
            </p>
          )}
          {current === undefined ? (
            <p>Start a scenario, pay its order with your client, then enter here the outcome your client reported.</p>
          ) : (
            <CurrentScenario current={current} token={token} settings={settings} />
          )}
          <ul>
            {chosen.map((scenario) => (
              <li>
                <form method="post">
                  <input type="hidden" name="token" value={token} />
                  <button type="submit" name="start" value={scenario.name}>
                    {`Start ${scenario.name}`}
                  </button>{' '}
                  <TextWithCode text={scenario.title} />
                  <Result judgement={results.get(scenario)} />
                </form>
              </li>
            ))}
          </ul>
        </main>
      </body>
    </html>
  );
}

function Result({ judgement }: { readonly judgement: Judgement | undefined }) {
  if (judgement === undefined) return '';
  const { verdict, reasons, scenario } = judgement;
  const words = verdict === 'passed' ? 'passed' : `${verdict}: ${reasons.join('; ')}. Correct: ${scenario.should}`;
  return (
    <strong class={verdict === 'passed' ? 'passed' : 'failed'}>
      <TextWithCode text={words} />
    </strong>
  );
}

function CurrentScenario({
  current,
  token,
  settings,
}: Pick<PageProps, 'token' | 'settings'> & { readonly current: Current }) {
  const { scenario, session } = current;
  const own = settings.handler === undefined ? {} : { PAYCLI_CALLBACK_URL: settings.handler };
  return (
    <section aria-label="Running scenario">
      <h2>{scenario.name}</h2>
      <p>
        <TextWithCode text={`Scenario: ${scenario.title}. ${stepsOf(scenario)}`} />
      </p>
      <pre tabindex={0}>
        {Object.entries({ ...session.env, ...own })
          .map(([name, value]) => `${name}=${value}`)
          .join('\n')}
      </pre>
      {session.orders.map((order) => (
        <pre tabindex={0}>{JSON.stringify(order, null, 2)}</pre>
      ))}
      <form method="post">
        <input type="hidden" name="token" value={token} />
        <label for="said">Your client reported</label>{' '}
        <select id="said" name="said">
          {outcomeWords.map((word) => (
            <option>{word}</option>
          ))}
        </select>{' '}
        <button type="submit">Judge</button>
      </form>
    </section>
  );
}

/** What a person has to do that a command would do. */
function stepsOf({ runs }: Scenario): string {
  switch (runs?.kind) {
    case 'at-once':
      return 'Give this order to your client twice at the same time.';
    case 'twice':
      return 'Give your client the first order, then the second.';
    case 'killed':
    case 'killed-anywhere':
      return 'Kill your client while it waits, then give it the same order again.';
    default:
      return 'Give this order to your client.';
  }
}

const style = `
:root { color-scheme: light dark; color: light-dark(#1a1d21, #e6e8eb); background: light-dark(#ffffff, #15181c); }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
section { border: 2px solid; border-radius: .4rem; padding: .5rem 1rem; } pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
ul { list-style: none; padding: 0; } li { margin: .4rem 0; } strong { display: block; }
.passed { color: light-dark(#14632f, #7ddf9c); } .failed { color: light-dark(#9b1c1c, #ff9d97); }
`;
