// With which proof of a key a bound token can be exchanged.
import t from 'tap'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import type { KeyConfirmation } from '../../../../src/core/confirmation.ts'
import { checkKey } from '../../../../src/grants/exchange-subject.ts'
import { ACTING_CLIENTS } from '../../../support/exchange.ts'

const parsed = parseClient('orders', formatClient(ACTING_CLIENTS.orders))
if (!parsed.ok) throw new Error('malformed')
const client = parsed.record

const NAMES = ['jkt', 'x5t#S256'] as const
const confirmation = (jkt: string, x5t: string): KeyConfirmation | undefined =>
  jkt === '' && x5t === '' ? undefined : { ...(jkt && { jkt }), ...(x5t && { 'x5t#S256': x5t }) }

const VALUES = ['', 'own', 'other']
const ALL = VALUES.flatMap((jkt) => VALUES.map((x5t) => confirmation(jkt, x5t)))

t.test('T13: a bound token needs all that it is bound to, or exchange_bound and another key', async (t) => {
  for (const bound of ALL)
    for (const proven of ALL)
      for (const may_lack_key of [false, true]) {
        const has_all = NAMES.every((name) => bound?.[name] === undefined || bound[name] === proven?.[name])
        const passes = has_all || (may_lack_key && proven !== undefined)
        const what = `${JSON.stringify(bound)} with ${JSON.stringify(proven)}, ${may_lack_key}`
        const check = () => checkKey(client, bound, may_lack_key, proven)
        if (passes) t.doesNotThrow(check, what)
        else t.throws(check, { code: 'invalid_request', reason: 'exchange_other_key' }, what)
      }
})
