// `redmint apply` at a server: the table of the command on the host, without what only the host takes, and what the API adds.

import t, { type Test } from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { ISSUER } from '../../../../src/issuers/issuer-kind.ts'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { entriesIn } from '../../../support/audited.ts'
import { startAtServer } from '../../../support/cli/remote/at-server.ts'
import { parsed } from '../../../support/cli/run-cli.ts'
import { changeClient, readClient, readUser } from '../../../support/records.ts'
import { until } from '../../../support/until.ts'

const APPLY = ['apply', '-', '--json']
const SECRET = 'a-secret-of-more-than-32-characters-in-all'
const FILE = `
label: shop-team
clients:
  - client_id: storefront
    scope: openid profile
    redirect_uris: [https://shop.example/cb]
    client_secret: { env: WEB_SECRET }
  - {client_id: batch, scope: a}
users:
  - {username: carol, sub: carol-1, claims: {name: Carol, groups: [staff]}}
  - {username: dave, disabled: true}
resources:
  - {resource: "https://api.example", scope: a}
issuers:
  - {issuer: "https://idp.example", jwks_uri: "https://idp.example/keys"}
providers:
  - {provider: google, client_id: x, client_secret: { env: WEB_SECRET }}
`
const ALL = 7
const clients = (...more: string[]) => `label: shop-team\nclients: [${more.join(', ')}]\n`

interface Applied {
  records: { name: string; action: string; outcome?: string; problem?: string; client_secret?: string }[]
}

async function start(t: Test, ...scopes: string[]) {
  const server = await startAtServer(t, { audit: 'on' })
  const { storage, issuer } = server
  const given = scopes.length === 0 ? ['redmint:read', 'redmint:write'] : scopes
  const environment = { REDMINT_TOKEN: await server.tokenOf(...given), WEB_SECRET: SECRET }
  const at = (more: Record<string, string> = {}) => {
    return server.elsewhere({ REDMINT_SERVER: issuer, ...environment, ...more })
  }
  const redmint = at()
  /** The names of the events so far. */
  const events = async () => (await entriesIn(storage)).map(({ event }) => event)
  return { ...server, at, redmint, events }
}

t.test('creates what is declared, then nothing is left to do, and leaves no entry', async (t) => {
  const { storage, redmint, events } = await start(t)
  const dry = await redmint([...APPLY, '--dry-run'], FILE)
  t.match(dry, { code: 0, stderr: '' })
  t.match(parsed(dry), { total: ALL, create: ALL })
  t.equal(await readClient(storage, 'storefront'), undefined)
  t.equal(await readUser(storage, 'carol'), undefined)
  const first = await redmint(APPLY, FILE)
  t.match(first, { code: 0, stderr: '' })
  t.match(parsed(first), { total: ALL, created: ALL })
  for (const { stdout } of [dry, first]) t.notMatch(stdout, SECRET)
  const { records } = parsed<Applied>(first)
  const generated = records.flatMap(({ name, client_secret }) => (client_secret ? [name] : []))
  t.strictSame(generated, ['batch'])
  t.match(await readClient(storage, 'storefront'), {
    managed_by: 'shop-team',
    allowed_scopes: 'openid profile',
  })
  t.match(await readUser(storage, 'carol'), {
    sub: 'carol-1',
    name: 'Carol',
    'claim:groups': '["staff"]',
    managed_by: 'shop-team',
  })
  t.match(await readUser(storage, 'dave'), { disabled: 'true' })
  await until('the entries are written', async () => (await events()).includes('provider_changed'))
  const before = await events()
  t.notOk(JSON.stringify(await entriesIn(storage)).includes(SECRET))
  t.match(parsed(await redmint([...APPLY, '--prune', '--yes'], FILE)), { total: ALL, unchanged: ALL })
  t.strictSame(await events(), before)
})

t.test('changes what differs, marks what the file lost, and --prune removes it', async (t) => {
  const { storage, redmint } = await start(t)
  await redmint(APPLY, FILE)
  const less = FILE.replace('{client_id: batch, scope: a}', '{client_id: new, scope: a}')
    .replace('username: carol, sub: carol-1', 'username: dave')
    .replace('  - {username: dave, disabled: true}\n', '')
    .replace('scope: a}\nissuers', 'scope: b}\nissuers')
  const text = await redmint(['apply', '-'], less)
  t.match(text, { code: 0, stderr: '' })
  t.match(text.stdout, /changed +resource +https:\/\/api\.example +scopes: a -> b/)
  t.match(text.stdout, /changed +user +dave +name: none -> Carol\n +claim:groups: none -> \["staff"\]/)
  t.match(text.stdout, /changed +client +batch +undeclared: false -> true/)
  t.match(await readClient(storage, 'batch'), { undeclared: 'true', managed_by: 'shop-team' })
  t.match(await readUser(storage, 'dave'), { disabled: 'true' }, 'what the file does not name stays')
  t.match(parsed(await redmint(APPLY, less)), { total: 6, unchanged: 6 }, 'once')
  t.match(parsed(await redmint([...APPLY, '--prune', '--dry-run'], less)), { total: 8, remove: 2 })
  t.match(parsed(await redmint([...APPLY, '--prune', '--yes'], less)), { total: 8, removed: 2 })
  t.equal(await readClient(storage, 'batch'), undefined)
  t.equal(await readUser(storage, 'carol'), undefined)
  t.ok(await readUser(storage, 'alice'), 'what has no label stays')
})

t.test('every problem has its line, and nothing is written', async (t) => {
  const { storage, redmint } = await start(t)
  await redmint(APPLY, 'label: other-team\nusers: [{username: erin, sub: erin-1}]')
  const file = `label: shop-team
clients:
  - {client_id: good, scope: a}
  - {client_id: h, redirect_uris: ["http://a.example/"]}
  - {client_id: digest, client_secret_hash: "${'A'.repeat(43)}="}
users:
  - {username: erin}
  - {username: frank, sub: erin-1}
  - {username: gina, password: {env: WEB_SECRET}}
`
  const { code, stderr } = await redmint(['apply', '-'], file)
  t.equal(code, 1)
  t.match(stderr.trimEnd().split('\n'), [
    'Nothing was written. 5 problems:',
    /line 4 "h": redirect_uris: "http:\/\/a\.example\/" is http on a host/,
    /line 5 "digest": client_secret_hash is taken on Redis only/,
    /line 7 "erin": is managed by "other-team": give --adopt/,
    /line 8 "frank": its sub belongs to the user "erin" already/,
    /line 9 "gina": password is set on Redis only/,
  ])
  t.equal(await readClient(storage, 'good'), undefined)
  t.match(await redmint([...APPLY, '--adopt'], 'label: shop-team\nusers: [{username: erin}]'), { code: 0 })
  t.match(await readUser(storage, 'erin'), { managed_by: 'shop-team', sub: 'erin-1' })
})

t.test('the rights of the operator count for each record, before anything is written', async (t) => {
  const { storage, redmint, at, tokenOf } = await start(t, 'redmint:clients:read', 'redmint:clients:write')
  const above = clients('{client_id: fine, scope: a}', '{client_id: strong, scope: "redmint:keys:write"}')
  t.match(await redmint(APPLY, above), {
    code: 1,
    stderr: /1 problem:\\n +line 2 .*strong.*: This needs rights that the caller lacks: redmint:keys:write/,
  })
  t.equal(await readClient(storage, 'fine'), undefined)
  t.match(await redmint(APPLY, FILE), { code: 1, stderr: /needs the scope redmint:\w+:write/ })
  t.equal(await readClient(storage, 'storefront'), undefined)
  const people = at({ REDMINT_TOKEN: await tokenOf('redmint:users:write') })
  const users = 'label: shop-team\nusers: [{username: carol}]'
  t.match(await people(APPLY, users), { code: 0 }, 'whoever may not see clients marks none')
  t.match(await people([...APPLY, '--prune', '--yes'], users), { code: 1, stderr: /redmint:clients:read/ })
})

t.test('what somebody changes between the plan and the write is left to him', async (t) => {
  const { storage, redmint } = await start(t)
  await redmint(APPLY, FILE)
  const { records } = storage
  const read = records.read.bind(records)
  const changed = FILE.replace('scope: openid profile', 'scope: openid').replace(
    '{username: dave',
    '{username: dora',
  )
  // It is read for the rights and for the plan, and then to be written.
  let left = 2
  records.read = async (kind, id) => {
    if (kind.name === CLIENT.name && id === 'storefront' && left-- === 0)
      await changeClient(storage, 'storefront', { set: { client_name: 'Theirs' } })
    return read(kind, id)
  }
  const answer = await redmint(APPLY, changed)
  records.read = read
  t.match(answer, {
    code: 1,
    stderr:
      /1 record not completed: another process changed them.*\\n +client .*storefront.*: The record has changed since/,
  })
  t.match(parsed(answer), { created: 1, unchanged: 5, not_written: 1 })
  t.match(await readClient(storage, 'storefront'), {
    client_name: 'Theirs',
    allowed_scopes: 'openid profile',
  })
  t.match(parsed(await redmint(APPLY, changed)), { changed: 1, unchanged: 6 }, 'the next run does it')
})

t.test('who adds a record first keeps it', async (t) => {
  const { storage, redmint } = await start(t)
  const { records } = storage
  const read = records.read.bind(records)
  // It is looked for and planned, and then looked for to be written.
  let left = 2
  records.read = async (kind, id) => {
    if (kind.name === ISSUER.name && left-- === 0)
      await records.create({ kind: ISSUER, id, hash: { issuer: id, jwks_uri: `${id}/theirs` } })
    return read(kind, id)
  }
  const file = 'label: a\nissuers: [{issuer: "https://idp.example", jwks_uri: "https://idp.example/keys"}]'
  const answer = await redmint(APPLY, file)
  records.read = read
  t.match(answer, { code: 1, stderr: /record not completed/ })
  t.match(await read(ISSUER, 'https://idp.example').then((found) => found?.hash), {
    jwks_uri: 'https://idp.example/theirs',
    managed_by: undefined,
  })
})

for (const what of ['storage', 'the server'])
  t.test(`${what} fails part-way: the report says what was written`, async (t) => {
    const { storage, fastify, redmint } = await start(t)
    const { records } = storage
    const create = records.create.bind(records)
    records.create = async (...given) => {
      if (!given.some(({ kind, id }) => kind.name === CLIENT.name && id === 'batch')) return create(...given)
      if (what === 'storage') throw new StorageUnavailable('no answer in time')
      fastify.server.closeAllConnections()
      return create(...given)
    }
    const broken = await redmint(APPLY, FILE)
    records.create = create
    t.match(broken, { code: 3, stderr: /not completed: .*Run the command again/ })
    const { records: steps } = parsed<Applied>(broken)
    t.match(
      steps.find(({ name }) => name === 'batch'),
      { outcome: 'unknown', client_secret: /^[\w-]{43}$/ },
      'it may have been written, with this secret',
    )
    t.match(await redmint(APPLY, FILE), { code: 0 })
    t.match(parsed(await redmint(APPLY, FILE)), { unchanged: ALL })
  })

t.test('the secret of a provider is compared, and sealed with its record', async (t) => {
  const { storage, redmint, at } = await start(t)
  const stored = async () => (await storage.records.read(PROVIDER, 'google'))?.hash ?? {}
  const file = 'label: a\nproviders: [{provider: google, client_id: x, client_secret: {env: WEB_SECRET}}]'
  t.match(await redmint(APPLY, file), { code: 0 })
  const { client_secret_sealed: first } = await stored()
  t.ok(first)
  t.match(parsed(await redmint(APPLY, file)), { unchanged: 1 })
  t.match(await at({ WEB_SECRET: `${SECRET}-2` })(['apply', '-'], file), {
    code: 0,
    stdout: /changed +provider +google +client_secret: changed/,
  })
  t.not((await stored()).client_secret_sealed, first)
})
