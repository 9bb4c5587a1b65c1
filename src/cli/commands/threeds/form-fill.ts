import { exits, fail } from '../../../errors/index.js';
import type { Runtime, Transport } from '../../../runtime/ports.js';
import { statusOf, type TestCard, testCards } from '../../../spec/index.js';
import { defineCommand, type FlagsFor, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { testCardNamed } from '../../fields/card.js';
import { cardFlags, outputFlags } from '../../flags.js';
import { defaultPages, findListening, openLocalSandbox } from '../../sandbox-session.js';
import { HostedPageClient, isLocalPage, type WebPage } from './hosted-page-client.js';
import { errorsIn, formIn, frameIn, messageIn, noticeIn, textIn } from './html-extract.js';

interface FillOptions extends CommonOptions {
  readonly cancel?: boolean;
  readonly return?: boolean;
}

/** A command in the group of the operations that open forms. */
export const formFill = defineCommand({
  summary: 'Fill in a hosted page of the sandbox without a browser',
  args: { url: { text: 'the redirect-url of the form' } },
  flags: {
    testCard: cardFlags.testCard,
    cancel: on('press the cancel button instead'),
    noReturn: on('do not follow the redirect back to the merchant'),
    ...outputFlags,
  } satisfies FlagsFor<FillOptions>,
  effect: 'money',
  note: 'Works only with a sandbox.',
  result: ['form'],
  run: ({ args: { url }, flags, runtime }) => runFormFill(url, flags as FillOptions, runtime),
});

/** Fills in a hosted page of the sandbox as a customer would. */
async function runFormFill(url: string, options: FillOptions, runtime: Runtime): Promise<number> {
  if (!isLocalPage(url))
    throw fail('USAGE', { why: 'use the address of a page of a sandbox on this machine', command: 'form fill' });
  if (options.cancel === true && options.testCard !== undefined)
    throw fail('USAGE', { why: '--cancel and --test-card cannot be combined', command: 'form fill' });
  const card = testCardNamed(options.testCard ?? testCards[0]?.name ?? '');
  const report = new Reporter(options, undefined, runtime);
  const { transport, close } = await openPages(url, runtime);
  try {
    const last = await followPages(
      new HostedPageClient(transport),
      url,
      { card, isCancelled: options.cancel === true },
      runtime,
    );
    return await showResult(last, options, report, new HostedPageClient(transport));
  } finally {
    await close();
  }
}

/** Opens pages over HTTP, or inside this process when the address is that of a sandbox that does not listen. */
async function openPages(
  url: string,
  runtime: Runtime,
): Promise<{ readonly transport: Transport; close(): Promise<void> }> {
  const { origin } = new URL(url);
  if (origin !== defaultPages || (await findListening(runtime)) !== undefined) {
    const transport = await runtime.transport({});
    return { transport, close: () => transport.close() };
  }
  const [{ createSandbox }, { inProcessTransport }, { assumeDefaults }] = await Promise.all([
    import('../../../sandbox/index.js'),
    import('../../sandbox-session.js'),
    import('../../../spec/index.js'),
  ]);
  const sandbox = await openLocalSandbox(runtime);
  return {
    transport: inProcessTransport(
      createSandbox(sandbox, { assume: assumeDefaults, pagesBase: defaultPages, client: 'paycli' }),
    ),
    close: async () => sandbox.close(),
  };
}

interface Customer {
  readonly card: TestCard;
  readonly isCancelled: boolean;
}

const maxSteps = 120;
const pauseMs = 250;

/** Submits page after page until one returns to the merchant or has no form. */
async function followPages(
  client: HostedPageClient,
  url: string,
  customer: Customer,
  runtime: Runtime,
): Promise<WebPage> {
  let page = await client.open(url);
  for (let step = 0; step < maxSteps; step += 1) {
    if (page.status !== 200) throw fail('READ_FAILED', { why: refusalOf(page) });
    const next = await submitPage(client, page, customer, runtime);
    if (next === undefined) return page;
    page = next;
  }
  throw fail('PENDING', { why: 'the page is still waiting for the outcome', how: `open ${url} later`, url });
}

function refusalOf({ html }: WebPage): string {
  const errors = errorsIn(html);
  return errors.length > 0 ? errors.join('; ') : messageIn(html);
}

/** Submits a page as a customer would; undefined after the last page. */
async function submitPage(
  client: HostedPageClient,
  page: WebPage,
  customer: Customer,
  runtime: Runtime,
): Promise<WebPage | undefined> {
  if (page.isWaiting) {
    const frame = frameIn(page.html);
    if (frame !== undefined) await client.open(new URL(frame, page.url).href);
    else await runtime.clock.sleep(pauseMs);
    return client.open(page.url);
  }
  const form = formIn(page.html, page.url);
  if (form?.hidden['csrf'] === undefined) return undefined;
  const oneTime = textIn(page.html, 'code');
  const to = form.action === '' ? page.url : form.action;
  if (customer.isCancelled) return client.open(to, { ...form.hidden, action: 'cancel' });
  const typed =
    oneTime === undefined ? typedInto(form.controls, customer.card, runtime) : { code: oneTime, action: 'submit' };
  return client.open(to, { ...form.hidden, ...typed });
}

function typedInto(
  controls: readonly string[],
  { number, cvv }: TestCard,
  runtime: Runtime,
): Readonly<Record<string, string>> {
  const expiry = `12/${new Date(runtime.clock.now()).getUTCFullYear() + 4}`;
  const all = { to: 'card', number, holder: 'TEST CARD', expiry, code: cvv };
  return { ...Object.fromEntries(Object.entries(all).filter(([name]) => controls.includes(name))), action: 'pay' };
}

/** Follows the redirect to the merchant's address if it is on this machine, and shows the outcome. */
async function showResult(
  page: WebPage,
  options: FillOptions,
  report: Reporter,
  client: HostedPageClient,
): Promise<number> {
  const form = formIn(page.html, page.url);
  const fields = form?.hidden ?? {};
  const status = fields['status'];
  const to = form?.action;
  const isSent = to !== undefined && options.return !== false && isLocalPage(to);
  if (isSent) await deliver(client, to, fields, report);
  const head = status === undefined ? '' : `${status}: order ${fields['orderid'] ?? ''}. `;
  await report.show({
    isExact: true,
    document: {
      schema: 'paycli.form/1',
      page: page.url,
      status: status ?? null,
      returned: isSent,
      to: to ?? null,
      fields,
    },
    text: () => `${head}${noticeIn(page.html) ?? messageIn(page.html)}\n`,
  });
  if (to !== undefined && !isSent)
    report.notes([`did not follow the redirect to ${new URL(to).origin}: it is not on this machine`]);
  return status === undefined || options.cancel === true || statusOf(status)?.success === true
    ? exits.ok
    : exits.declined;
}

async function deliver(
  client: HostedPageClient,
  to: string,
  fields: Readonly<Record<string, string>>,
  report: Reporter,
): Promise<void> {
  try {
    const { status } = await client.open(to, fields);
    report.notes([`redirected to ${to}, which answered ${status}`]);
  } catch {
    report.warn([`no answer from ${to}, the payer's return address`]);
  }
}
