import { TextWithCode } from '../sandbox/dashboard/layout.js';
import type { LoggedEvent } from '../sandbox/log.js';
import type { Certificate } from './certificate.js';
import type { Judgement, Verdict } from './judge.js';

/** The result as one page without scripts and without anything to load, for a browser or for paper. */
export function certificatePage(certificate: Certificate): string {
  const { judged, paycli, at, driver, seconds, seed, digest, verdict, worse } = certificate;
  const isGood = worse.length === 0;
  const count = (word: Verdict) => judged.filter((each) => each.verdict === word).length;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>{`Integration certificate: ${verdict}`}</title>
        <style>{style}</style>
      </head>
      <body>
        <header>
          <h1>Integration certificate</h1>
          <p class={`verdict ${isGood ? 'passed' : 'failed'}`}>{verdict}</p>
        </header>
        <main>
          <dl>
            <dt>Passed</dt>
            <dd>{String(count('passed'))}</dd>
            <dt>Failed</dt>
            <dd>{String(count('failed'))}</dd>
            <dt>Not judged</dt>
            <dd>{String(count('not judged'))}</dd>
            {count('not run') === 0 ? (
              ''
            ) : (
              <>
                <dt>Not run</dt>
                <dd>{String(count('not run'))}</dd>
              </>
            )}
            <dt>Date</dt>
            <dd>{new Date(at).toISOString()}</dd>
            <dt>Driver</dt>
            <dd>
              <code>{driver.join(' ')}</code>
            </dd>
            <dt>Tested with</dt>
            <dd>{`paycli ${paycli}, ${seconds.toFixed(0)} s, seed ${seed}`}</dd>
            <dt>Digest</dt>
            <dd>
              <code>{digest}</code>
            </dd>
          </dl>
          <p>
            Each scenario ran against its own test gateway, whose ledger decides how many times money moved and whether
            the integration reported it correctly. This page contains no card number, security code or key.
          </p>
          {judged.map((each) => (
            <ScenarioReport judgement={each} />
          ))}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>\n${String(page)}\n`;
}

function ScenarioReport({ judgement }: { readonly judgement: Judgement }) {
  const { scenario, verdict, reasons, movements, runs, polls, ms, events } = judgement;
  return (
    <section class={classOf(verdict)}>
      <h2>
        <span class="mark">{verdict}</span> {scenario.name}
      </h2>
      <p>
        <TextWithCode text={`Scenario: ${scenario.title}.`} />
      </p>
      {reasons.length === 0 ? (
        ''
      ) : (
        <ul>
          {reasons.map((reason) => (
            <li>{reason}</li>
          ))}
        </ul>
      )}
      <p>
        <TextWithCode text={`Correct: ${scenario.should}. Otherwise: ${scenario.why}.`} />
      </p>
      {verdict === 'not run' ? (
        ''
      ) : (
        <>
          <p>
            {`Reported: ${runs.map(({ outcome }) => outcome ?? 'nothing').join(', then ')}; status queries: ${polls}; ${(ms / 1000).toFixed(1)} s. In the ledger: `}
            {movements.length === 0
              ? 'nothing'
              : movements
                  .map(({ kind, amount = '', currency = '', status }) => `${kind} ${amount} ${currency} ${status}`)
                  .join('; ')}
            .
          </p>
          <details>
            <summary>{`Exchange: ${events.length} ${events.length === 1 ? 'event' : 'events'}`}</summary>
            <ol>
              {events.map((event) => (
                <Exchange event={event} />
              ))}
            </ol>
          </details>
          <Errors lines={judgement.errors} />
        </>
      )}
    </section>
  );
}

/** What the driver printed on standard error, where it did not pass. */
function Errors({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return '';
  return (
    <details>
      <summary>Standard error of the driver</summary>
      <code class="fields">{lines.join('\n')}</code>
    </details>
  );
}

function Exchange({ event: { title, machineAt, fields, detail } }: { readonly event: LoggedEvent }) {
  const reply = detail['reply'];
  return (
    <li>
      <time>{new Date(machineAt).toISOString().slice(11, 23)}</time> {title}
      {fields.length === 0 ? (
        ''
      ) : (
        <code class="fields">{fields.map(([name, value]) => `${name}=${value}`).join(' ')}</code>
      )}
      {reply === undefined ? '' : <code class="fields">{`reply: ${reply}`}</code>}
    </li>
  );
}

function classOf(verdict: Verdict): string {
  return verdict === 'not judged' || verdict === 'not run' ? 'unjudged' : verdict;
}

const style = `
:root { color-scheme: light dark; --text: #1a1d21; --back: #ffffff; --soft: #f3f4f6; --line: #c9cdd3;
  --good: #14632f; --bad: #9b1c1c;
  --open: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --back: #15181c; --soft: #1f242a; --line: #454c55;
  --good: #7ddf9c;
  --bad: #ff9d97; --open: #f5c36b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; color: var(--text); background: var(--back);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 0 0 .3rem; }
.verdict { font-size: 1.3rem; font-weight: 700; margin: .3rem 0 1rem; }
.passed .mark, .verdict.passed { color: var(--good); } .failed .mark, .verdict.failed { color: var(--bad); }
.unjudged .mark { color: var(--open); }
.mark { text-transform: uppercase; font-size: .8rem; letter-spacing: .05em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { font-weight: 600; }
  dd { margin: 0; }
section { border: 1px solid var(--line); border-radius: .4rem; padding: .7rem 1rem; margin: .8rem 0;
  break-inside: avoid; }
section p { margin: .3rem 0; } ul { margin: .3rem 0; } .failed li { font-weight: 600; }
  .failed ol li { font-weight: 400; }
summary { cursor: pointer; } summary:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
ol { padding-left: 1.5rem; font-size: .85rem; } .fields { display: block; white-space: pre-wrap;
  background: var(--soft); padding: .2rem .4rem; }
@media print { :root { --text: #000; --back: #fff; --soft: #fff; --line: #999; --good: #14632f; --bad: #9b1c1c;
  --open: #7a4b00; }
  body { max-width: none; } section.passed details { display: none; } }
`;
