// How the commands end the sessions, codes and tokens of a client or user, and what they print.

import t from 'tap'
import { lastUseOf, SecretUses } from '../../../src/clients/authentication/secret-uses.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../src/clients/record/client-secret.ts'
import { noteRemoval, SETTLES_IN } from '../../../src/clients/record/removed-client.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../src/config/environment.ts'
import { SILENT } from '../../../src/core/log.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { claimLogouts } from '../../../src/sessions/logout-queue.ts'
import { createSession, useSession } from '../../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { noteFitted } from '../../../src/storage/indexes.ts'
import { familyEntryId } from '../../../src/storage/listed-family.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { grantListings } from '../../../src/tokens/grant-listings.ts'
import { signJwt } from '../../../src/tokens/jwt.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { startAtServer } from '../../support/cli/remote/at-server.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { claimsOf, ENVIRONMENT, signIn, signingKeyOf } from '../../support/cli/tokens.ts'
import { session } from '../../support/contract/session-contract.ts'
import {
  changeClient,
  createClient,
  createUser,
  issueClientToken,
  readClient,
  readUser,
  removeClient,
} from '../../support/records.ts'
import { basic, CLIENTS, ISSUER } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const REMOVE = ['client', 'remove', 'web', '--yes', '--json']

// Most of the time is the second that servers may take to notice a change.
t.jobs = 6

async function setup() {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const status = async (grant: string) => (await storage.families.findFamily(grant))?.status
  return { storage, redmint, status }
}

/** Adds an entry to the list of the client `web`. */
const enlist = ({ lists }: MemoryStorage, family: string, started_at: number) =>
  lists.add({
    list: 'grants-of-client',
    owner: 'web',
    id: familyEntryId(family, started_at),
    until: Date.now() + 600_000,
  })

/** Returns the family of a code that was not redeemed. */
async function listedCode(storage: MemoryStorage): Promise<string> {
  const family = newFamilyId()
  await enlist(storage, family, Date.now() - 1)
  return family
}

t.test('token inspect reports the state of the client', { buffered: true }, async (t) => {
  const { storage, redmint } = await setup()
  const now = Date.now()
  const { grant, access_token, refresh_token } = await signIn(storage)
  const jwt = signJwt(await signingKeyOf(storage, now), 'at+jwt', claimsOf(grant, now))
  const inspect = async (token: string) =>
    parsed<{ accepted: boolean; reasons: string[] }>(await redmint(['token', 'inspect', token, '--json']))
  const expectReasons = async (reasons: string[]) => {
    const accepted = reasons.length === 0
    for (const token of [access_token, jwt]) t.match(await inspect(token), { accepted, reasons })
  }
  await expectReasons([])
  await redmint(['client', 'disable', 'web'])
  await expectReasons(['its client "web" is disabled'])
  const refresh = 'it is a refresh token, which only the token endpoint accepts'
  t.strictSame((await inspect(refresh_token)).reasons, [refresh, 'its client "web" is disabled'])
  await redmint(['client', 'enable', 'web'])
  await expectReasons([])
  await changeClient(storage, 'web', { set: { is_public: 'maybe' }, unset: [] })
  await expectReasons(['its client "web" is malformed'])
  await removeClient(storage, 'web')
  await expectReasons(['its client "web" is not registered'])
})

t.test('client remove forgets when the secrets of the client were used', { buffered: true }, async (t) => {
  const { storage, redmint } = await setup()
  await redmint(['client', 'add', 'web'])
  await changeClient(storage, 'web', { set: { client_secret_hash: 'a-digest' }, unset: [] })
  const uses = new SecretUses({ storage, log: SILENT, report: () => {}, now: Date.now })
  uses.note('web', 'a-digest', false)
  await uses.flush()
  t.not(await lastUseOf(storage, 'web', 'a-digest'), undefined)
  t.equal((await redmint(REMOVE)).code, 0)
  t.equal(await lastUseOf(storage, 'web', 'a-digest'), undefined)
})

t.test('the id of a client that was removed just now is not taken', { buffered: true }, async (t) => {
  const { storage, redmint } = await setup()
  const file = JSON.stringify([{ client_id: 'web', grant_types: 'client_credentials', is_public: false }])
  const declared = `label: a\nclients: ${file}`
  for (const [args, input] of [
    [['client', 'import', '-'], file],
    [['apply', '-', '--yes'], declared],
  ] as const) {
    // However long the command takes.
    await noteRemoval(storage, 'web', Date.now() + 60_000)
    t.match(await redmint(args, input), { code: 1 }, args.join(' '))
    t.equal(await readClient(storage, 'web'), undefined, args.join(' '))
  }
  await noteRemoval(storage, 'web', Date.now() - SETTLES_IN)
  t.match(await redmint(['client', 'import', '-'], file), { code: 0 })
})

t.test(
  'a client that gets the id of a removed one inherits none of its tokens',
  { buffered: true },
  async (t) => {
    const client_secret = 'a-secret-of-more-than-32-characters-in-all'
    const client = { client_id: 'web', grant_types: ['client_credentials'], is_public: false }
    const by_hash = { ...client, client_secret_hash: secretHash(client_secret) }
    const ways: Record<string, [string[], string]> = {
      add: [['client', 'add', 'web', '--secret-stdin'], client_secret],
      import: [['client', 'import', '-'], JSON.stringify([{ ...client, client_secret }])],
      apply: [['apply', '-'], JSON.stringify({ label: 'a', clients: [by_hash] })],
    }
    for (const format of ACCESS_TOKEN_FORMATS)
      for (const [way, [args, input]] of Object.entries(ways)) {
        const about = `${way}, ${format}`
        const { host, token } = await startAtServer(t, { access_token_format: format })
        const issued = async (secret?: string) =>
          String((await token({ grant_type: 'client_credentials' }, basic('web', secret))).json.access_token)
        const former = await issued()
        t.match(await host(['token', 'inspect', former]), { code: 0 }, about)
        t.match(await host(['client', 'remove', 'web', '--yes']), { code: 0 }, about)
        await until('the id is free again', async () => (await host(args, input)).code === 0)
        t.match(await host(['token', 'inspect', former]), { code: 1, stdout: /of a removed client/ }, about)
        t.match(await host(['token', 'inspect', await issued(client_secret)]), { code: 0 }, about)
      }
  },
)

t.test('client disable revokes nothing permanently', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  const { grant, access_token } = await signIn(storage)
  t.match(await redmint(['client', 'disable', 'web']), {
    stdout: /refuse its codes and tokens until it is enabled.* JWT/,
  })
  t.equal(await status(grant), 'active')
  t.match(await redmint(['client', 'enable', 'web']), { stdout: /valid again/ })
  t.match(await redmint(['token', 'inspect', access_token]), { code: 0 })
})

t.test('client remove revokes what its list has', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await redmint(['client', 'add', 'web'])
  const [redeemed, code] = [(await signIn(storage)).grant, await listedCode(storage)]
  t.strictSame(parsed(await redmint(REMOVE)), { client_id: 'web', removed: true, ended: { grants: 2 } })
  t.equal(await status(redeemed), 'revoked')
  t.equal(await status(code), 'revoked', 'a code that was not redeemed')
  t.equal(await readClient(storage, 'web'), undefined)
})

t.test('a removal that fails half way can be repeated', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await redmint(['client', 'add', 'web'])
  const { grant } = await signIn(storage)
  const { queue } = storage
  const add = queue.add.bind(queue)
  queue.add = async () => {
    throw new StorageUnavailable('Redis answered OOM')
  }
  t.match(await redmint(REMOVE), { code: 3, stderr: /Redis answered OOM/ })
  t.match(await readClient(storage, 'web'), { disabled: 'true' })
  queue.add = add
  t.match(parsed(await redmint(REMOVE)), { removed: true, ended: { grants: 1 } })
  t.equal(await status(grant), 'revoked')
})

t.test('the clients of a session are notified when an operator ends it', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await createUser(storage, 'al', { sub: 'alice' })
  const { grant } = await signIn(storage, 'al')
  await changeClient(storage, 'web', { set: { backchannel_logout_uri: 'https://a.example/bye' }, unset: [] })
  const families = new Map([[grant, { client_id: 'web', joined_at: 0 }]])
  const joined = { clients: new Set(['web']), families }
  const alices = session({ sid: 'hers', username: 'al', sub: 'alice', ...joined })
  await createSession(storage, 'one', alices, 60)
  t.match(await redmint(['user', 'disable', 'al']), { code: 0, stdout: /Ended: 1 session/ })
  t.equal(await useSession(storage, 'one', 60), undefined)
  t.equal(await status(grant), 'revoked')
  t.match(await claimLogouts({ queue: storage.queue, log: SILENT }, 9, 60), [
    { client_id: 'web', sub: 'alice', sid: 'hers', attempts: 0 },
  ])
})

t.test('user disable, enable and remove', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await createUser(storage, 'al', { sub: 'alice', name: 'Alice' })
  const { grant } = await signIn(storage, 'al')
  const disabled = await redmint(['user', 'disable', 'al'])
  t.match(disabled, {
    code: 0,
    stdout: /^The user is disabled\. Ended: 1 sign-in\. An API that verifies JWT/,
  })
  t.equal(await status(grant), 'revoked')
  const stored = { sub: 'alice', name: 'Alice', sessions_end_before: /^\d+$/, grants_end_before: /^\d+$/ }
  t.match(await readUser(storage, 'al'), { ...stored, disabled: 'true', generation: '1' })
  t.match(await redmint(['user', 'list']), { stdout: /^al +alice +disabled +none +name=Alice$/m })
  t.match(parsed(await redmint(['user', 'disable', 'al', '--json'])), { ended: { grants: 0 } }, 'once more')

  t.strictSame(parsed(await redmint(['user', 'enable', 'al', '--json'])), {
    username: 'al',
    disabled: false,
    next_step: 'Nobody can sign in as al yet: redmint user reset-link al',
  })
  t.match(await readUser(storage, 'al'), { ...stored, disabled: undefined, generation: '3' })
  t.equal(await status(grant), 'revoked', 'it stays revoked')

  const next = await signIn(storage, 'al')
  const removed = parsed(await redmint(['user', 'remove', 'al', '--yes', '--json']))
  t.match(removed, { username: 'al', removed: true, ended: { sessions: 0, grants: 1 } })
  t.equal(await status(next.grant), 'revoked')
  for (const command of ['disable', 'enable']) {
    t.match(await redmint(['user', command, 'al']), { code: 1, stderr: /There is no user "al"/ })
  }
})

t.test(
  'a user without a sub: sessions of the username end, and clients keep their tokens',
  {
    buffered: true,
  },
  async (t) => {
    const { storage, redmint } = await setup()
    await createUser(storage, 'ghost', { name: 'Nobody' })
    await createSession(storage, 'one', session({ sub: 'lost', username: 'ghost' }), 60)
    await createSession(storage, 'two', session({ sub: 'alice', username: 'al' }), 60)
    const own = await issueClientToken(storage, { client_id: 'web' })
    t.match(await redmint(['user', 'disable', 'ghost']), { code: 0, stdout: /Ended: 1 session\./ })
    t.equal(await useSession(storage, 'one', 60), undefined)
    t.match(await useSession(storage, 'two', 60), { username: 'al' })
    t.match(await redmint(['user', 'remove', 'ghost', '--yes']), { code: 0 })
    t.match(await storage.families.findToken(own), { revoked: 'false' })
    t.equal(await readUser(storage, 'ghost'), undefined)
  },
)

t.test('no command that ends something looks at all keys', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  // Servers keep the lists.
  await noteFitted(storage, Date.now())
  const look = () => {
    throw new Error('a look at all keys')
  }
  Object.assign(storage.records, { list: look, scan: look, walk: look })
  storage.families.revokeGrantedBefore = look
  const moved = [
    { redmint_export: 1, issuer: ISSUER, version: '0', exported_at: '2026-01-01T00:00:00.000Z' },
    { kind: 'user', id: 'al', fields: { sub: 'alice', name: 'Al' } },
    { end: true, counts: { user: 1 } },
  ]
  for (const [args, input] of [
    [['user', 'end', 'al']],
    [['user', 'set-password', 'al', '--password-stdin'], 'correct horse battery'],
    [['user', 'disable', 'al']],
    [['user', 'remove', 'al', '--yes']],
    [['client', 'remove', 'web', '--yes']],
    [['session', 'end-all', '--yes']],
    [['apply', '-', '--prune', '--yes'], 'label: a\nusers: []'],
    [['import', '-', '--on-conflict', 'replace'], moved.map((line) => JSON.stringify(line)).join('\n')],
  ] as [string[], string?][]) {
    await storage.records.take(USER, 'al')
    await createUser(storage, 'al', { sub: 'alice', managed_by: 'a' })
    await removeClient(storage, 'web')
    const started_at = Date.now() - 1
    const family = newFamilyId()
    const session_of = { sid: 'hers', username: 'al', sub: 'alice', started_at }
    await createSession(storage, 'one', session(session_of), 60)
    await createClient(storage, 'web', formatClient(CLIENTS.web))
    await storage.families.grantOnce({
      token: newToken(family),
      is_jwt: false,
      single_uses: [],
      client_id: 'web',
      scope: 'a',
      access_token_ttl: 600,
      user: {
        subject: 'alice',
        fields: {
          username: 'al',
          sid: 'hers',
          started_at: String(started_at),
          session_started_at: String(started_at),
        },
        lists: grantListings({ family, client_id: 'web', username: 'al', started_at }, 600),
      },
    })
    const browser = { name: 'browser', bound_to: 'password' }
    await storage.counters.rememberBrowser(
      'al',
      browser,
      { max: 5, ttl: 60 },
      { username: 'al', at: started_at },
    )
    const { code, stderr } = await redmint(args, input)
    t.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    t.equal(await status(family), 'revoked', args.join(' '))
    if (args[0] !== 'client') t.equal(await useSession(storage, 'one', 60), undefined, args.join(' '))
  }
})
