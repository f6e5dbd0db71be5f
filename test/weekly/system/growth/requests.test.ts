// A request costs no more however much is stored: commands, bytes, calls in Redis.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { inBatches } from '../../../../src/core/batches.ts'
import { CONSENT, consentId } from '../../../../src/interaction/consent.ts'
import { newCookieValue, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { queueLogouts } from '../../../../src/sessions/logout-queue.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { write } from '../../../../src/storage/records.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { userRecord } from '../../../support/accounts.ts'
import { type Figures, measure } from '../../../support/budget/measure.ts'
import { OPERATIONS } from '../../../support/budget/operations.ts'
import { startCounted } from '../../../support/budget/service.ts'
import { signIn } from '../../../support/contract/family.ts'
import { session } from '../../../support/contract/session-contract.ts'
import { patient } from '../../../support/patient.ts'
import { changeClient, createClient, createUser, issueClientToken } from '../../../support/records.ts'
import { CLIENTS, REDIRECT_URI } from '../../../support/service.ts'

const FEW = 50
const MANY = 2000

interface Growth {
  what: string
  /** The operations that read or write what grows, or its neighbours. */
  operations: readonly string[]
  /** Stores the things with these numbers. */
  grow(storage: Storage, numbers: readonly number[]): Promise<unknown>
}

/** Stores one thing for each number, some at a time. */
const each =
  (store: (storage: Storage, number: number) => Promise<unknown>): Growth['grow'] =>
  (storage, numbers) =>
    inBatches(numbers, 50, (some) => Promise.all(some.map((number) => store(storage, number))))

/** Sets the values of a field of the clients that make the requests, one for each number from 1 on. */
const listed =
  (field: string, common: string, nameOf: (number: number) => string): Growth['grow'] =>
  async (storage, numbers) => {
    const values = Array.from({ length: Math.max(...numbers) }, (_, i) => nameOf(i + 1))
    const set = { [field]: [common, ...values].join(' ') }
    for (const client of ['web', 'own']) await changeClient(storage, client, { set })
  }

const TOKENS = ['client credentials', 'introspection', 'bearer', 'userinfo', 'refresh', 'revoke']
const FLOWS = ['code flow with a session', 'code flow with sign-in']
const ALICE = { username: 'alice', sub: 'sub-of-alice' }

const GROWTHS: readonly Growth[] = [
  {
    what: 'live access tokens',
    operations: TOKENS,
    grow: each((storage) => issueClientToken(storage, { client_id: 'web' })),
  },
  { what: 'families', operations: [...TOKENS, ...FLOWS], grow: each((storage) => signIn(storage)) },
  {
    what: 'clients',
    operations: ['client credentials', 'code flow with a session'],
    grow: each((storage, number) => {
      const client_id = `client-${number}`
      return createClient(storage, client_id, formatClient({ ...CLIENTS.web, client_id }))
    }),
  },
  {
    what: 'users',
    operations: FLOWS,
    grow: each(async (storage, number) =>
      createUser(storage, `user-${number}`, await userRecord(`sub-of-user-${number}`)),
    ),
  },
  {
    what: 'sessions of the user',
    operations: FLOWS,
    grow: each((storage) =>
      createSession(storage, sessionIdOf(newCookieValue()), session({ ...ALICE }), 3600),
    ),
  },
  {
    what: 'consents of the user',
    operations: FLOWS,
    grow: each(({ records }, number) => {
      const id = consentId(ALICE.sub, `client-${number}`)
      return records.put(write(CONSENT, id, { scope: 'openid', given_at: new Date().toISOString() }, 3600))
    }),
  },
  {
    what: 'queued logout notices',
    operations: FLOWS,
    grow: each((storage, number) => {
      const notice = { client_id: 'web', sub: ALICE.sub, sid: `session-${number}`, attempts: 0 }
      return queueLogouts(storage, [{ id: `notice-${number}`, ...notice }])
    }),
  },
  {
    what: 'redirect URIs of the client',
    operations: ['client credentials', ...FLOWS],
    grow: listed('redirect_uris', REDIRECT_URI, (number) => `https://app.example.com/${number}`),
  },
  {
    what: 'scopes of the client',
    // Whatever writes tokens of a grant sends them: docs/promises.md.
    operations: ['client credentials', 'pushed authorization request'],
    grow: listed('allowed_scopes', 'openid api.read', (number) => `scope.${number}`),
  },
]

/** What must not grow. */
const COUNTS = ['commands', 'bytes_sent', 'bytes_received', 'calls', 'log_lines'] as const
/** What rounding can add; what grows with the things in storage would be many times more. */
const ROUNDING = 1
const grown = (few: Figures, many: Figures) =>
  COUNTS.filter((name) => many[name] > few[name] + ROUNDING).map(
    (name) => `${name}: ${few[name]}, then ${many[name]}`,
  )
const numbers = (after: number, last: number) => Array.from({ length: last - after }, (_, i) => after + i + 1)

t.test('a request costs no more with 2,000 than with 50', async (t) => {
  const service = await startCounted(t, 'opaque')
  const storage = patient(service.storage)
  for (const { what, operations, grow } of GROWTHS) {
    await t.test(`of the ${what}`, async (t) => {
      const measured = OPERATIONS.filter(
        ({ name, format }) => format === 'opaque' && operations.includes(name),
      )
      t.equal(measured.length, operations.length)
      await grow(storage, numbers(0, FEW))
      const before = new Map<string, Figures>()
      for (const operation of measured)
        before.set(operation.name, await measure(service, operation, () => true))
      await grow(storage, numbers(FEW, MANY))
      for (const operation of measured) {
        const few = before.get(operation.name)
        if (few === undefined) continue
        const many = await measure(service, operation, (figures) => grown(few, figures).length === 0)
        t.strictSame(grown(few, many), [], operation.name)
      }
    })
  }
})
