// Who is to act, by the last step of a client, and the sentence that says so in each language.
import t from 'tap'
import { PROVEN_STEPS, UNPROVEN_STEPS } from '../../../../src/core/connection-steps.ts'
import { LANGUAGES } from '../../../../src/explain/texts.ts'
import { ACTING, type SideToAct, type TrailStep } from '../../../../src/explain/trail-step.ts'
import { stepSentence } from '../../../../src/explain/trail-words.ts'
import { verdictOf } from '../../../../src/explain/verdict.ts'

const AT = '2026-11-30T10:02:11.000Z'
const NOTHING = { more: 0, unheard: [], refusals: [] }

type Row = readonly [last: Omit<TrailStep, 'at' | 'sentence'>, to_act: SideToAct, says: RegExp]

const ROWS: readonly Row[] = [
  [{ step: 'document' }, 'client', /known since 2026-11-30T10:02:11Z, and has begun no sign-in/],
  [{ step: 'registered' }, 'client', /has begun no sign-in/],
  [{ step: 'invited' }, 'client', /has begun no sign-in/],
  [{ step: 'asked' }, 'person', /opened at 2026-11-30T10:02:11Z, and nobody finished it/],
  [{ step: 'authorized' }, 'client', /did not fetch its token/],
  [{ step: 'token', format: 'opaque' }, 'client', /took a token at 2026-11-30T10:02:11Z, and no API asked/],
  [
    { step: 'token', format: 'jwt', resource: 'https://mcp.example.com/mcp' },
    'unseen',
    /cannot be seen from here: look for a request after this time in the log of https:\/\/mcp.example.com\/mcp/,
  ],
  [{ step: 'api', by: 'gateway', endpoint: 'introspect' }, 'api', /^gateway asked about the token/],
  [{ step: 'api', endpoint: 'userinfo' }, 'nobody', /nobody is to act/],
  [
    { step: 'api_refused', endpoint: 'introspect', by: 'gateway', reason: 'token_scope' },
    'client',
    /The token was refused/,
  ],
  [
    { step: 'api_refused', endpoint: 'introspect', by: 'gateway', reason: 'token_invalid', fault: 'expired' },
    'client',
    /\(expired\)/,
  ],
  [
    { step: 'api_refused', endpoint: 'introspect', by: 'gateway', reason: 'resource_unknown' },
    'operator',
    /The token was refused/,
  ],
  [
    { step: 'api_refused', endpoint: 'introspect', by: 'gateway', reason: 'token_of_other_audience' },
    'client',
    /The token was refused/,
  ],
  [
    {
      step: 'api_refused',
      endpoint: 'introspect',
      by: 'gateway',
      reason: 'token_of_other_audience',
      fault: 'can_introspect is false',
    },
    'operator',
    /can_introspect/,
  ],
  [
    { step: 'refused', endpoint: 'token', reason: 'code_unknown', request: 'R' },
    'client',
    /redmint explain R/,
  ],
  [
    { step: 'refused', endpoint: 'interaction', reason: 'password_wrong', request: 'R' },
    'person',
    /refused here/,
  ],
  [
    { step: 'refused', endpoint: 'authorize', reason: 'access_by_group', request: 'R' },
    'operator',
    /refused here/,
  ],
  [
    { step: 'refused', endpoint: 'interaction', reason: 'directory_away', request: 'R' },
    'third_party',
    /refused/,
  ],
  [
    { step: 'refused', endpoint: 'token', reason: 'device_code_pending', request: 'R' },
    'person',
    /device waits/,
  ],
]

for (const [last, to_act, says] of ROWS)
  t.test(`${last.step} ${last.reason ?? last.format ?? ''}: ${to_act} is to act`, async (t) => {
    const step = { ...last, at: AT, sentence: '' }
    const found = verdictOf([step], NOTHING, 'en')
    t.equal(found.to_act, to_act)
    t.match(found.sentence, says)
    for (const language of LANGUAGES) {
      const { sentence } = verdictOf([step], { ...NOTHING, more: 2 }, language)
      t.match(sentence, /\. 2 (more|weitere) .*\.$/s)
      t.notMatch(sentence, /undefined|NaN/)
      t.notMatch(stepSentence(step, language), /undefined|NaN/)
    }
  })

t.test('without a step, or with one that is nobody’s by itself, the client did not come here', async (t) => {
  for (const language of LANGUAGES) t.equal(verdictOf([], NOTHING, language).to_act, 'client')
  const discovery = { step: 'discovery', at: AT, sentence: '', tied_by: 'network' } as const
  t.match(verdictOf([discovery], NOTHING, 'en').sentence, /Nothing of this client is kept/)
})

t.test('the rows have every step, and everybody who may be to act', async (t) => {
  const steps = ROWS.map(([{ step }]) => step)
  t.strictSame(
    [...UNPROVEN_STEPS, ...PROVEN_STEPS].filter((step) => !steps.includes(step)),
    ['discovery'],
  )
  t.strictSame(
    ACTING.filter((one) => !ROWS.some(([, to_act]) => to_act === one)),
    [],
  )
})
