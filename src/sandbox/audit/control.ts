import { requestSigning } from '../../signing/index.js';
import { keysOf, receivedOf } from '../checks/signature.js';
import { attempts } from './control-mistakes.js';
import { type Detector, nothing, sighting } from './seen.js';

/** A control that does not fit: tries the mistakes people make until one of them explains it. */
export const control: Detector = ({ refusal, request, checked }, store) => {
  if (refusal.reason !== 'control' || checked === undefined || checked.protection.scheme !== 'control') return nothing;
  const { route, terms } = checked;
  const verdict = requestSigning.verify(receivedOf(request, checked), keysOf(checked), terms.assume);
  if (!verdict.ok && verdict.reason === 'control-missing') return sighting('control-missing', `${route.id} without control`);
  const sent = checked.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  for (const { text, written, mistakes } of attempts(checked, store))
    if (written(text).includes(sent)) return mistakes.map(({ rule, detail }) => ({ rule, detail: `${route.id}: ${detail}` }));
  return sighting('control-wrong', `${route.id}: no known mistake explains it`);
};
