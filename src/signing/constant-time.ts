import { timingSafeEqual } from 'node:crypto';

/** Compares two texts in a time that depends on their lengths only. */
export function equalInConstantTime(one: string, other: string): boolean {
  const left = Buffer.from(one, 'utf8');
  const right = Buffer.from(other, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
