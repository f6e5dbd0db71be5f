// Each kind of record, created, changed and removed by each way: the same entries, but for who did it and by which way. The
// console has no other way to a record than the operations of the API.
import t, { type Test } from 'tap'
import type { AuditEntry } from '../../../../src/audit/entry.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { createAdministrator, startAdmin } from '../../../support/admin.ts'
import { entriesIn } from '../../../support/audited.ts'
import { createCli } from '../../../support/cli/run-cli.ts'

const EVERYTHING = 'redmint:read redmint:write'
const STEPS = ['created', 'changed', 'removed'] as const
type Step = (typeof STEPS)[number]

/** A record: what the API is sent for it, what the command is given, and what stands in a file to import. */
interface Row {
  /** The path of the list, and the member with the id. */
  readonly path: string
  readonly id: string
  readonly created: Readonly<Record<string, unknown>>
  readonly changed: Readonly<Record<string, unknown>>
  readonly flags: Readonly<Record<'created' | 'changed', readonly string[]>>
  /** Whether a file can have it, and change it. */
  readonly imports?: readonly Step[]
}

const CALLBACK = 'https://shop.example/callback'
const IDP = 'https://idp.example.com'

const ROWS: Readonly<Record<string, Row>> = {
  client: {
    path: '/clients',
    id: 'client_id',
    created: { client_id: 'shop', client_name: 'A', redirect_uris: [CALLBACK] },
    changed: { client_name: 'B', allowed_scopes: ['api.read'] },
    flags: {
      created: ['--name', 'A', '--redirect-uri', CALLBACK],
      changed: ['--name', 'B', '--scope', 'api.read'],
    },
    imports: ['created', 'changed'],
  },
  user: {
    path: '/users',
    id: 'username',
    created: { username: 'bob', sub: 'sub-of-bob', claims: { name: 'A' } },
    changed: { claims: { name: 'B' }, second_factor: 'required' },
    flags: {
      created: ['--sub', 'sub-of-bob', '--name', 'A'],
      changed: ['--name', 'B', '--second-factor', 'required'],
    },
    imports: ['created'],
  },
  issuer: {
    path: '/issuers',
    id: 'issuer',
    created: { issuer: IDP, conditions: ['tenant=acme'] },
    changed: { conditions: ['tenant=other'] },
    flags: { created: ['--condition', 'tenant=acme'], changed: ['--condition', 'tenant=other'] },
  },
  resource: {
    path: '/resources',
    id: 'resource',
    created: { resource: 'https://api.example.com/', scopes: ['a', 'b'] },
    changed: { resource_name: 'An API' },
    flags: { created: ['--scope', 'a b'], changed: ['--name', 'An API'] },
  },
  provider: {
    path: '/providers',
    id: 'provider',
    created: { provider: 'acme', issuer: IDP, client_id: 'redmint' },
    changed: { name: 'Acme' },
    flags: { created: ['--issuer', IDP, '--client-id', 'redmint'], changed: ['--name', 'Acme'] },
  },
}

/** What an entry says besides who did it, when, and by which request. */
const said = ({ event, targets, changes, details }: AuditEntry) => ({ event, targets, changes, details })

/** Returns what the entries since the last call say; a look is no change. */
function entriesOn(storage: Storage) {
  let known = 0
  return async () => {
    const entries = (await entriesIn(storage)).filter(({ event }) => event !== 'user_viewed')
    const news = entries.slice(known)
    known = entries.length
    return news.map(said)
  }
}

/** A way to do the steps; undefined: it has none for this one. */
type Way = (t: Test) => Promise<{
  readonly storage: Storage
  take(noun: string, row: Row, step: Step): Promise<unknown> | undefined
}>

const byApi: Way = async (t) => {
  const { storage, call, tokenFor } = await startAdmin(t, { audit: 'on' })
  await createAdministrator(storage, 'root', EVERYTHING)
  const token = await tokenFor('root', EVERYTHING)
  const take = async (_: string, { path, id, created, changed }: Row, step: Step) => {
    const one = `${path}/${encodeURIComponent(String(created[id]))}`
    const { headers } = step === 'created' ? { headers: {} } : await call('GET', one, { token })
    const asked = { token, headers: { ...('etag' in headers && { 'if-match': String(headers.etag) }) } }
    const patch = { ...asked.headers, 'content-type': 'application/merge-patch+json' }
    const answer =
      step === 'created'
        ? await call('POST', path, { token, body: created })
        : step === 'changed'
          ? await call('PATCH', one, { token, headers: patch, body: changed })
          : await call('DELETE', one, asked)
    t.ok(answer.status < 300, `${step} ${one} by the API: ${answer.text}`)
  }
  return { storage, take }
}

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', AUDIT: 'on' }

const byCommand: Way = async (t) => {
  const { storage, redmint } = createCli({ environment: ENVIRONMENT })
  const take = async (noun: string, { id, created, flags }: Row, step: Step) => {
    const verb = { created: 'add', changed: 'update', removed: 'remove' }[step]
    const more = step === 'removed' ? ['--yes'] : flags[step]
    t.match(await redmint([noun, verb, String(created[id]), ...more]), { code: 0 }, `${noun} ${verb}`)
  }
  return { storage, take }
}

const byImport: Way = async (t) => {
  const { storage, redmint } = createCli({ environment: ENVIRONMENT })
  const take = (noun: string, { id, created, changed, imports = [] }: Row, step: Step) => {
    if (step === 'removed' || !imports.includes(step)) return undefined
    const record = step === 'created' ? created : { [id]: created[id], ...changed }
    const update = step === 'changed' ? ['--update'] : []
    const importing = redmint([noun, 'import', '-', ...update], JSON.stringify([record]))
    return importing.then((answer) => t.match(answer, { code: 0 }, `${noun} import`))
  }
  return { storage, take }
}

t.test('each way to a record has the same entries', async (t) => {
  const api = await byApi(t)
  const of_api = entriesOn(api.storage)
  await of_api()
  const others = await Promise.all(
    Object.entries({ command: byCommand, import: byImport }).map(async ([name, way]) => {
      const { storage, take } = await way(t)
      return { name, take, entries: entriesOn(storage) }
    }),
  )
  for (const [noun, row] of Object.entries(ROWS)) {
    for (const step of STEPS) {
      await api.take(noun, row, step)
      const expected = await of_api()
      t.ok(expected.length > 0, `${noun} ${step} has an entry`)
      for (const { name, take, entries } of others) {
        const taking = take(noun, row, step)
        if (taking === undefined) continue
        await taking
        t.strictSame(await entries(), expected, `${noun} ${step} by ${name}`)
      }
    }
  }
})
