import { exits, fail, ifInterrupted } from '../../../errors/index.js';
import { approverNameOf, selfReason, signApproval } from '../../../payments/second-person.js';
import type { Runtime } from '../../../runtime/ports.js';
import { printable } from '../../../wire/redact.js';
import { confirmationLines } from '../../core/live/confirm.js';
import type { CommonOptions } from '../../core/options.js';
import { mayPrompt } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/table.js';
import { readDocument, writeApproval } from '../keys/approval-file.js';
import { approverKey, approversOf } from '../keys/approvers.js';
import { type ApprovalRequest, approvableRequest, requestIn, requestRows } from './approval-request.js';
import { approvalSchema } from './second-person.js';

export interface ApproveFlags {
  /** The request file, or a copy of it. */
  readonly approve?: string;
  readonly keyFile?: string;
  readonly approvalFile?: string;
  readonly digest?: string;
}

const command = 'resolve';

/** A second person signs a request made on another account. Reads no journal and sends nothing. */
export async function runApprove(
  name: string,
  options: CommonOptions & ApproveFlags,
  runtime: Runtime,
): Promise<number> {
  const { keyFile, approvalFile } = options;
  if (keyFile === undefined) throw fail('approveNeedsKeyFile', { command });
  if (approvalFile === undefined) throw fail('approveNeedsApprovalFile', { command });
  const report = new Reporter(options, undefined, runtime);
  const request = readRequest(name, runtime);
  const wanted = approvableRequest(request);
  const approvers = await approversOf(runtime);
  const key = approverKey(keyFile, runtime);
  const by = approverNameOf(key, approvers);
  if (by === undefined) throw fail('requestKeyOfNoApprover');
  const { user, host } = runtime.processes;
  const sameUserReason = selfReason(wanted, { by, user }, approvers);
  if (sameUserReason !== undefined) throw fail('requestApprovedByAsker', { own: sameUserReason });
  const typed = await typedDigest(request, options, report, runtime);
  if (wanted.digest.slice(0, 8) !== typed.toLowerCase()) throw fail('requestDigestDiffers');
  const at = runtime.clock.now();
  const facts = signApproval(wanted, { by, user, host }, key, at);
  writeApproval(approvalFile, { schema: approvalSchema, ...facts }, command, runtime);
  const until = at + wanted.approvalMs;
  await report.show({
    document: {
      schema: 'paycli.resolve-approval/1',
      ...{ request, digest: wanted.digest, by, at: new Date(at).toISOString(), until: new Date(until).toISOString() },
    },
    text: () =>
      `${report.paint.good('✓')} approved by ${oneLine(by)}; valid until ${report.moment(until)}\n${report.paint.dim('next:')} ${oneLine(request.askedBy)} applies ${oneLine(approvalFile)} with \`paycli resolve … --approval-file FILE\`\n`,
  });
  return exits.ok;
}

function readRequest(name: string, runtime: Runtime): ApprovalRequest {
  const request = requestIn(
    readDocument(name, runtime, (cause) => fail('requestUnreadable', { file: name, command }, { cause })),
  );
  if (request === undefined) throw fail('requestChanged', { file: name, command });
  return request;
}

/**
 * The digest as typed by the approver, after the request was shown: on a terminal, or for a script on standard error.
 */
async function typedDigest(
  request: ApprovalRequest,
  options: CommonOptions & ApproveFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<string> {
  const title = `${request.class === 'live' ? 'LIVE: ' : ''}${request.askedBy} requests your approval`;
  const lines = confirmationLines({ title: printable(title), rows: requestRows(request) });
  if (options.digest !== undefined) {
    report.notes(lines);
    return options.digest;
  }
  if (!mayPrompt(options, runtime)) throw fail('requestDigestNotTyped');
  // Shown even with --quiet: an approver must see what they sign.
  report.err(`${lines.join('\n')}\n`);
  const prompter = await runtime.prompter(options.color);
  const message = 'To approve, type the first 8 characters of the digest';
  return prompter.ask({ name: 'digest', message }).catch(ifInterrupted('nothing was signed'));
}
