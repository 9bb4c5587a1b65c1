import { isPaycliError } from '../../errors/index.js';
import { freshNow } from '../../payments/exchange.js';
import type { Paint, Runtime } from '../../runtime/ports.js';
import { requestSigning, type Stages, type Unsigned } from '../../signing/index.js';
import { composeForOrder, type OrderIds } from '../asking.js';
import { presentValues } from '../present/request.js';
import { presentStages } from '../present/stages.js';
import type { Session } from '../session.js';
import { numbersIn } from './scan.js';

export interface StatusQuestion {
  readonly document: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Numbers that are there only because values are joined with nothing between them. */
  readonly joined: readonly string[];
}

const hidden = '•••';

/** A question about the order as it would be signed now, with every stage but the result; nothing is sent. */
export async function statusQuestion(order: OrderIds, session: Session, runtime: Runtime, paint: Paint): Promise<StatusQuestion> {
  const unsigned = composeForOrder('STATUS', { ...order }, session);
  try {
    const credentials = await session.credentials(unsigned.protection);
    const { stages } = requestSigning.sign(unsigned, credentials, session.assume, freshNow(runtime));
    return shownQuestion(unsigned, withoutResult(stages), paint);
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return { document: { url: unsigned.url, problem: error.message }, text: `  cannot be signed: ${error.message}\n`, joined: [] };
  }
}

function shownQuestion(unsigned: Unsigned, stages: Stages, paint: Paint): StatusQuestion {
  const { url, pairs, endpointId } = unsigned;
  const fields = pairs.map(([wire, value]) => ({ field: wire, wire, value, origin: wire === 'login' ? 'the profile' : 'this order' }));
  const values = [{ field: 'endpointId', wire: '(path)', value: endpointId, origin: 'the profile' }, ...fields];
  const bytes = stages.scheme === 'none' ? 0 : Buffer.byteLength(stages.scheme === 'control' ? stages.string : stages.baseString);
  return {
    document: { url, fields: pairs, signature: stages },
    text: `POST ${url}\n${presentValues(values, unsigned, paint)}${presentStages(stages, bytes, true, paint)}`,
    joined: joinedIn(stages),
  };
}

function joinedIn(stages: Stages): readonly string[] {
  if (stages.scheme !== 'control') return [];
  const own = new Set(stages.slots.flatMap(({ value }) => numbersIn(value)));
  return numbersIn(stages.string).filter((number) => !own.has(number));
}

/** Whoever has the result may ask this question in the merchant's name. */
function withoutResult(stages: Stages): Stages {
  if (stages.scheme === 'none') return stages;
  return stages.scheme === 'control' ? { ...stages, digest: hidden } : { ...stages, signature: hidden, header: hidden };
}
