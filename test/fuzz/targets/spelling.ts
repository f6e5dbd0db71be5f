import fc from 'fast-check'
import type { Target } from '../target.ts'

/** Inputs of texts around a JWS, of which `$h`, `$b` and `$s` are the parts. */
export const SPELLINGS: Pick<Target, 'inputs' | 'words'> = {
  words: ['$h', '$b', '$s', '.', '..', '=', '==', '$h.$b.$s', '\n', '-', '_', '+', '/', '%2e', '\u200b'],
  inputs: fc
    .array(
      fc.oneof(fc.constantFrom('$h', '$b', '$s', '.', '=', 'A', '-', '+'), fc.string({ maxLength: 2 })),
      { maxLength: 9 },
    )
    .map((parts) => parts.join('')),
}

/** Returns the text of an input with the parts of a JWS. */
export function spelled(input: string, jws: string): string {
  const [$h = '', $b = '', $s = ''] = jws.split('.')
  return input.replace(/\$[hbs]/g, (name) => ({ $h, $b, $s })[name] ?? '')
}
