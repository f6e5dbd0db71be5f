// A hole of another project: an address was split and checked before it was normalised, so that a look-alike of `@`
// became one afterwards (GHSA-7rqj-j65f-68wh). redmint brings a name into its form before it
// splits or checks it, and what it normalises keeps what was checked.
import fc from 'fast-check'
import t from 'tap'
import { preparePassword } from '../../../../src/users/password-text.ts'
import { isUsername } from '../../../../src/users/user-record.ts'
import { ALICE, AWAY, openDesk, PASSWORD } from '../../../support/interaction/desk.ts'

const LAST = 0x10ffff

/** Other texts that some comparison takes for `alice`, and people who look closely do not. */
const LOOKALIKES = ['al\u0131ce', 'alic\u0065\u0301', '\u0430lice', 'al\u04CFce', 'a\u03B9ice', '\u0251lice']

t.test('no look-alike of a username signs its user in', async (t) => {
  const { attempt } = await openDesk({ sign_in_failures: 1000 })
  t.match((await attempt(ALICE)).result, { outcome: 'ok' })
  for (const username of LOOKALIKES) {
    t.match((await attempt({ username, password: PASSWORD })).result, { outcome: 'failed' }, username)
  }
})

t.test('spaces around a username, of any kind, do not give more guesses', async (t) => {
  const { attempt } = await openDesk({ sign_in_failures: 3 })
  const spellings = ['alice', ' alice', 'alice\u00a0', '\u2003alice', '\ufeffalice\u2028']
  const outcomes = []
  for (const username of spellings)
    outcomes.push((await attempt({ username, password: 'wrong' }, AWAY)).result.outcome)
  t.same(outcomes, ['failed', 'failed', 'failed', 'throttled', 'throttled'])
})

t.test('a username has no character that ends or separates a key, in any normal form', async (t) => {
  const wrong = []
  for (let code = 1; code <= LAST; code++) {
    const character = String.fromCodePoint(code)
    if (!isUsername(character)) continue
    // A tool in between that normalises stored names makes no separator of them either.
    const forms = [
      character,
      ...(['NFC', 'NFD', 'NFKC', 'NFKD'] as const).map((form) => character.normalize(form)),
    ]
    if (forms.some((form) => /[\s:{}]/.test(form))) wrong.push(code.toString(16))
  }
  t.same(wrong, [])
})

t.test('what is checked of a password holds after it was normalised', async (t) => {
  const holds = (password: string) => {
    const prepared = preparePassword(password)
    if (prepared === undefined) return true
    const isPlain = prepared.isWellFormed() && !/\p{Cc}/u.test(prepared) && !/(?! )\p{Zs}/u.test(prepared)
    return isPlain && preparePassword(prepared) === prepared && Buffer.byteLength(prepared) <= 1024
  }
  const wrong = []
  for (let code = 0; code <= LAST; code++)
    if (!holds(`a${String.fromCodePoint(code)}`)) wrong.push(code.toString(16))
  t.same(wrong, [], 'after each character')
  const details = await fc.check(fc.property(fc.string({ unit: 'binary', maxLength: 700 }), holds), {
    numRuns: 3000,
    seed: 1,
  })
  t.notOk(details.failed, `seed ${details.seed}: ${JSON.stringify(details.counterexample)}`)
  t.equal(preparePassword('e\u0301'), preparePassword('\u00e9'), 'equivalent spellings are one password')
  t.not(preparePassword('ａ'), preparePassword('a'), 'others are not')
})
