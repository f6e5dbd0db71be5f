import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Target } from '../target.ts'

const TEXT = 'who?'
const log = { info() {}, warn() {}, error() {} }
// The clock stands still, so that the keys stay fresh without being read again.
const sealer = new Sealer({
  store: new MemoryStorage().sealing_keys,
  settings: {},
  log,
  now: () => 1_800_000_000_000,
})
await sealer.start()
sealer.close()
const sealed = sealer.seal('browser', TEXT)
const [kid = '', data = ''] = sealed.split('.')
/** The same bytes for a lenient decoder: the last character has bits that belong to no byte. */
const twin = data.slice(0, -1) + String.fromCharCode(data.charCodeAt(data.length - 1) + 1)
const PARTS = { $k: kid, $d: data, $e: twin }

/** Texts around a sealed value, of which `$k` and `$d` are the parts: only the value itself is opened, for its purpose. */
export const sealedValue: Target = {
  name: 'sealed',
  words: ['$k', '$d', '$e', '.', '$k.$d', '=', 'A', '\n', '%2e', 'A'.repeat(54)],
  inputs: fc
    .array(fc.oneof(fc.constantFrom('$k', '$d', '$e', '.', '=', 'A'), fc.string({ maxLength: 2 })), {
      maxLength: 6,
    })
    .map((parts) => parts.join('')),
  check(input) {
    const text = input.replace(/\$[kde]/g, (name) => PARTS[name as keyof typeof PARTS])
    assert.equal(sealer.open('browser', text), text === sealed ? TEXT : undefined)
    assert.equal(sealer.open('pending', text), undefined)
  },
}
