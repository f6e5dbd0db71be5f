// A record of factors that cannot be read must not look like one of somebody with a password alone.
import t from 'tap'
import { FACTORS, formatFactors, NO_FACTORS } from '../../../../src/factors/factors-record.ts'

const TOTP = { secret: 'sealed', created_at: 1, last_step: 2, failures: 0 }

t.test('what is written is read', async (t) => {
  const factors = { ...NO_FACTORS, generation: 3, totp: TOTP }
  t.same(FACTORS.parse(formatFactors(factors), 'alice'), { ok: true, record: factors })
})

t.test('a malformed factor makes the record malformed, and is never left out', async (t) => {
  for (const field of ['totp', 'recovery', 'passkey:a']) {
    for (const text of ['', 'x', 'null', 'false', '0', '[]', '"text"']) {
      const parsed = FACTORS.parse({ generation: '1', [field]: text }, 'alice')
      t.match(parsed, { ok: false, problems: [{ field }] }, `${field} ${text}`)
    }
  }
  t.match(FACTORS.parse({ totp: JSON.stringify({ secret: 'sealed' }) }, 'alice'), { ok: false })
})
