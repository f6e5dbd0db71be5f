// Each kind of record, created, looked at, changed and removed by each way: the same entries, but for who did it and by
// which way.
import t, { type Test } from 'tap'
import type { AuditEntry } from '../../../../src/audit/entry.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { createAdministrator, startAdmin } from '../../../support/admin.ts'
import { entriesIn } from '../../../support/audited.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { fieldsOf } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const EVERYTHING = 'redmint:read redmint:write'
const STEPS = ['created', 'seen', 'changed', 'removed'] as const
type Step = (typeof STEPS)[number]

/** A record: what the API is sent for it, what the command is given, and what stands in a file to import. */
interface Row {
  /** The path of the list in the API and in the console, and the member with the id. */
  readonly path: string
  readonly page: string
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
    page: '/applications',
    id: 'client_id',
    created: { client_id: 'bazaar', client_name: 'A', redirect_uris: [CALLBACK] },
    changed: { client_name: 'B', access_token_ttl: 60 },
    flags: {
      created: ['--name', 'A', '--redirect-uri', CALLBACK],
      changed: ['--name', 'B', '--access-token-ttl', '60'],
    },
    imports: ['created', 'changed'],
  },
  user: {
    path: '/users',
    page: '/people',
    id: 'username',
    created: { username: 'carl', sub: 'sub-of-carl', claims: { name: 'A' } },
    changed: { claims: { name: 'B' }, second_factor: 'required' },
    flags: {
      created: ['--sub', 'sub-of-carl', '--name', 'A'],
      changed: ['--name', 'B', '--second-factor', 'required'],
    },
    imports: ['created'],
  },
  issuer: {
    path: '/issuers',
    page: '/issuers',
    id: 'issuer',
    created: { issuer: IDP, conditions: ['tenant=acme'] },
    changed: { conditions: ['tenant=other'] },
    flags: { created: ['--condition', 'tenant=acme'], changed: ['--condition', 'tenant=other'] },
  },
  resource: {
    path: '/resources',
    page: '/apis',
    id: 'resource',
    created: { resource: 'https://api.example.com/', scopes: ['a', 'b'] },
    changed: { resource_name: 'An API' },
    flags: { created: ['--scope', 'a b'], changed: ['--name', 'An API'] },
  },
  provider: {
    path: '/providers',
    page: '/providers',
    id: 'provider',
    created: { provider: 'acme', issuer: IDP, client_id: 'redmint' },
    changed: { name: 'Acme' },
    flags: { created: ['--issuer', IDP, '--client-id', 'redmint'], changed: ['--name', 'Acme'] },
  },
}

/** What an entry says besides who did it, when, and by which request; a file that declares a record marks it as its own. */
const said = ({ event, targets, changes, details }: AuditEntry) => ({
  ...{ event, targets, details },
  changes: changes?.filter(({ field }) => field !== 'managed_by'),
})

/** Returns what the entries since the last call say; `is_look`: a server notes one in the background. */
function entriesOn(storage: Storage) {
  let known = 0
  return async (is_look = false) => {
    if (is_look) await until('a look is noted', async () => (await entriesIn(storage)).length > known)
    const entries = await entriesIn(storage)
    const news = entries.slice(known)
    known = entries.length
    return news.map(said)
  }
}

/** A way to do the steps, and whether it has one. */
type Way = (t: Test) => Promise<{
  readonly storage: Storage
  take(noun: string, row: Row, step: Step): Promise<boolean>
}>

const pathOf = ({ path, id, created }: Row) => `${path}/${encodeURIComponent(String(created[id]))}`

const byApi: Way = async (t) => {
  const { storage, call, tokenFor } = await startAdmin(t, { audit: 'on' })
  await createAdministrator(storage, 'root', EVERYTHING)
  const token = await tokenFor('root', EVERYTHING)
  const take = async (_: string, row: Row, step: Step) => {
    const { path, created, changed } = row
    const one = pathOf(row)
    const read = () => call('GET', one, { token })
    const asRead = async () => ({ 'if-match': String((await read()).headers.etag) })
    const patch = { 'content-type': 'application/merge-patch+json' }
    const answer = await {
      created: () => call('POST', path, { token, body: created }),
      seen: read,
      changed: async () =>
        call('PATCH', one, { token, headers: { ...(await asRead()), ...patch }, body: changed }),
      removed: async () => call('DELETE', one, { token, headers: await asRead() }),
    }[step]()
    return t.ok(answer.status < 300, `${step} ${one} by the API: ${answer.text}`)
  }
  return { storage, take }
}

const byConsole: Way = async (t) => {
  const { storage, operator, call, tokenOf } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const textOf = (value: unknown) =>
    Array.isArray(value)
      ? value.join('\r\n')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
  const textsOf = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) =>
        // Each claim has a field of its own.
        name === 'claims'
          ? Object.entries(value as object).map(([claim, of_it]) => [`claim-${claim}`, textOf(of_it)])
          : [[name, textOf(value)]],
      ),
    )
  const take = async (noun: string, row: Row, step: Step) => {
    const { id, page, created, changed } = row
    const one = pathOf({ ...row, path: `/console${page}` })
    const submit = async (path: string, texts: Readonly<Record<string, string>>) => {
      const form = await ada.page(path)
      return asPage(await ada.submit(form, { ...fieldsOf(form), ...texts }))
    }
    if (noun === 'user' && step === 'created') {
      // Who is added gets a link at once, and no sub of the operator's.
      await call('POST', '/users', { token: await tokenOf('redmint:write'), body: created })
      return false
    }
    // What an application is comes first.
    const form = noun === 'client' ? '/new?for=web' : '/new'
    const shown = await {
      created: () => submit(`/console${page}${form}`, textsOf(created)),
      seen: () => ada.page(one),
      changed: async () => asPage(await ada.submit(await submit(`${one}/edit`, textsOf(changed)), {})),
      removed: () => submit(`${one}/remove`, { typed: String(created[id]) }),
    }[step]()
    return t.equal(shown.status, 200, `${step} ${one}: ${shown.title}`)
  }
  return { storage, take }
}

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', AUDIT: 'on' }

/** A way that runs a command; without arguments it has none for a step. */
const byCommands =
  (
    argsFor: (
      noun: string,
      row: Row,
      step: Step,
    ) => readonly [args: readonly string[], file?: object] | undefined,
  ): Way =>
  async (t) => {
    const { storage, redmint } = createCli({ environment: ENVIRONMENT })
    const take = async (noun: string, row: Row, step: Step) => {
      const [args, file] = argsFor(noun, row, step) ?? []
      if (args === undefined) return false
      return t.match(await redmint(args, JSON.stringify(file)), { code: 0 }, args.join(' '))
    }
    return { storage, take }
  }

const byCommand = byCommands((noun, { id, created, flags }, step) => {
  const verb = { created: 'add', seen: 'show', changed: 'update', removed: 'remove' }[step]
  const more = step === 'removed' ? ['--yes'] : step === 'seen' ? [] : flags[step]
  return [[noun, verb, String(created[id]), ...more]]
})

const byApply = byCommands((noun, { created, changed }, step) => {
  if (step === 'seen') return undefined
  const records = { created: [created], changed: [{ ...created, ...changed }], removed: [] }[step]
  return [['apply', '-', '--prune', '--yes'], { label: 'team', [`${noun}s`]: records }]
})

const byImport = byCommands((noun, { id, created, changed, imports = [] }, step) => {
  if (!imports.includes(step)) return undefined
  const record = step === 'created' ? created : { [id]: created[id], ...changed }
  return [[noun, 'import', '-', ...(step === 'changed' ? ['--update'] : [])], [record]]
})

const WAYS = { console: byConsole, command: byCommand, apply: byApply, import: byImport }

t.test('each way to a record has the same entries', async (t) => {
  const begun = Object.entries({ api: byApi, ...WAYS }).map(async ([name, way]) => {
    const { storage, take } = await way(t)
    const entries = entriesOn(storage)
    await entries()
    return { name, take, entries }
  })
  const [api, ...others] = await Promise.all(begun)
  for (const [noun, row] of Object.entries(ROWS)) {
    for (const step of STEPS) {
      const is_look = step === 'seen' && noun === 'user'
      await api?.take(noun, row, step)
      const expected = (await api?.entries(is_look)) ?? []
      t.equal(expected.length > 0, is_look || step !== 'seen', `${noun} ${step} has an entry`)
      for (const { name, take, entries } of others) {
        const has_step = await take(noun, row, step)
        const found = await entries(has_step && is_look)
        if (has_step) t.strictSame(found, expected, `${noun} ${step} by ${name}`)
      }
    }
  }
})
