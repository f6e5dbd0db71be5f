// What the commands do to what a client or a user holds, and what they say of it.

import t from 'tap'
import { SILENT } from '../../src/core/log.ts'
import { newGrantId, newToken } from '../../src/core/token-string.ts'
import { claimLogouts } from '../../src/sessions/logout-queue.ts'
import { createSession, useSession } from '../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../src/storage/errors.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { signJwt } from '../../src/tokens/jwt.ts'
import {
  changeClient,
  createUser,
  readClient,
  readUser,
  removeClient,
  saveToken,
} from '../support/records.ts'
import { session } from '../system/contract/session-contract.ts'
import { parsed, sitDown } from './run-cli.ts'
import { claimsOf, ENVIRONMENT, signIn, signingKeyOf } from './tokens.ts'

const REMOVE = ['client', 'remove', 'web', '--yes', '--json']

// Most of the time is the second that the servers have to hear of a change.
t.jobs = 6

async function setup() {
  const storage = new MemoryStorage()
  const { redmint } = sitDown({ storage, environment: ENVIRONMENT })
  const status = async (grant: string) => (await storage.families.findFamily(grant))?.status
  return { storage, redmint, status }
}

t.test('token inspect says what became of the client', { buffered: true }, async (t) => {
  const { storage, redmint } = await setup()
  const now = Date.now()
  const { grant, access_token, refresh_token } = await signIn(storage)
  const jwt = signJwt(await signingKeyOf(storage, now), 'at+jwt', claimsOf(grant, now))
  const inspect = async (token: string) =>
    parsed<{ accepted: boolean; reasons: string[] }>(await redmint(['token', 'inspect', token, '--json']))
  const said = async (reasons: string[]) => {
    const accepted = reasons.length === 0
    for (const token of [access_token, jwt]) t.match(await inspect(token), { accepted, reasons })
  }
  await said([])
  await redmint(['client', 'disable', 'web'])
  await said(['its client "web" is disabled'])
  const refresh = 'it is a refresh token, which only the token endpoint takes'
  t.strictSame((await inspect(refresh_token)).reasons, [refresh, 'its client "web" is disabled'])
  await redmint(['client', 'enable', 'web'])
  await said([])
  await changeClient(storage, 'web', { set: { is_public: 'maybe' }, unset: [] })
  await said(['its client "web" is malformed'])
  await removeClient(storage, 'web')
  await said(['its client "web" is not registered'])
})

t.test('client disable ends nothing for good', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  const { grant, access_token } = await signIn(storage)
  t.match(await redmint(['client', 'disable', 'web']), { stdout: /worth nothing while it is.* JWT/ })
  t.equal(await status(grant), 'active')
  t.match(await redmint(['client', 'enable', 'web']), { stdout: /good again/ })
  t.match(await redmint(['token', 'inspect', access_token]), { code: 0 })
})

t.test('client remove ends all, what comes meanwhile too', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  const { grant } = await signIn(storage)
  const own = newToken(newGrantId())
  await saveToken(storage, own, { type: 'access_token', client_id: 'web', subject: '', scope: '' }, 60)
  const { families } = storage
  const end = families.revokeAllOf.bind(families)
  const late: string[] = []
  families.revokeAllOf = async (holder) => {
    t.match(await readClient(storage, 'web'), { disabled: 'true' }, 'it can do nothing any more')
    const ended = await end(holder)
    // A server that has not heard of the change yet.
    if (late.length === 0) late.push((await signIn(storage)).grant)
    return ended
  }
  t.strictSame(parsed(await redmint(REMOVE)), {
    client_id: 'web',
    removed: true,
    ended: { sessions: 0, grants: 2, codes: 0, tokens: 1 },
  })
  t.strictSame([await status(grant), await status(late[0] ?? '')], ['revoked', 'revoked'])
  t.match(await storage.families.findToken(own), { revoked: 'true' })
  t.equal(await readClient(storage, 'web'), undefined)
})

t.test('user disable ends what comes meanwhile where nothing was before', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await createUser(storage, 'alice', { sub: 'alice' })
  const { families } = storage
  const end = families.revokeAllOf.bind(families)
  let late: string | undefined
  families.revokeAllOf = async (holder) => {
    const ended = await end(holder)
    late ??= (await signIn(storage)).grant
    return ended
  }
  t.match(parsed(await redmint(['user', 'disable', 'alice', '--json'])), { ended: { grants: 1 } })
  t.equal(await status(late ?? ''), 'revoked')
})

t.test('a removal that fails half way can be repeated', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  const { grant } = await signIn(storage)
  const { families } = storage
  const end = families.revokeAllOf.bind(families)
  families.revokeAllOf = async () => {
    throw new StorageUnavailable('no answer in time')
  }
  t.match(await redmint(REMOVE), { code: 3, stderr: /no answer in time/ })
  t.match(await readClient(storage, 'web'), { disabled: 'true' })
  families.revokeAllOf = end
  t.match(parsed(await redmint(REMOVE)), { removed: true, ended: { grants: 1 } })
  t.equal(await status(grant), 'revoked')
})

t.test('where more keeps coming the command gives up, and says so', { buffered: true }, async (t) => {
  const { storage, redmint } = await setup()
  await signIn(storage)
  const { families } = storage
  let passes = 0
  families.revokeAllOf = async () => {
    passes += 1
    return { families: 1, codes: 0, tokens: 0 }
  }
  t.match(await redmint(REMOVE), {
    code: 1,
    stderr: /The record is changed\. Ended: 4 sign-ins\. More keeps coming/,
  })
  t.equal(passes, 4)
  t.match(await readClient(storage, 'web'), { disabled: 'true' })
})

t.test('the clients of a session hear of it when an operator ends it', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await createUser(storage, 'al', { sub: 'alice' })
  const { grant } = await signIn(storage)
  await changeClient(storage, 'web', { set: { backchannel_logout_uri: 'https://a.example/bye' }, unset: [] })
  const joined = { clients: new Map([['web', 'openid']]), grants: new Map([[grant, 'web']]) }
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
  const { grant } = await signIn(storage)
  const disabled = await redmint(['user', 'disable', 'al'])
  t.match(disabled, {
    code: 0,
    stdout: /^The user is disabled\. Ended: 1 sign-in\. An API that verifies JWT/,
  })
  t.equal(await status(grant), 'revoked')
  t.strictSame(await readUser(storage, 'al'), { sub: 'alice', name: 'Alice', disabled: 'true' })
  t.match(await redmint(['user', 'list']), { stdout: /^al +alice +disabled +none +name=Alice$/m })
  t.match(parsed(await redmint(['user', 'disable', 'al', '--json'])), { ended: { grants: 0 } }, 'once more')

  t.strictSame(parsed(await redmint(['user', 'enable', 'al', '--json'])), { username: 'al', disabled: false })
  t.strictSame(await readUser(storage, 'al'), { sub: 'alice', name: 'Alice' })
  t.equal(await status(grant), 'revoked', 'what was ended stays so')

  const next = await signIn(storage)
  const removed = parsed(await redmint(['user', 'remove', 'al', '--yes', '--json']))
  t.match(removed, { username: 'al', removed: true, ended: { grants: 1, codes: 0, tokens: 0 } })
  t.equal(await status(next.grant), 'revoked')
  for (const command of ['disable', 'enable']) {
    t.match(await redmint(['user', command, 'al']), { code: 1, stderr: /There is no user "al"/ })
  }
})

t.test(
  'a user without a sub: what has the username ends, and clients keep their tokens',
  {
    buffered: true,
  },
  async (t) => {
    const { storage, redmint } = await setup()
    await createUser(storage, 'ghost', { name: 'Nobody' })
    await createSession(storage, 'one', session({ sub: 'lost', username: 'ghost' }), 60)
    await createSession(storage, 'two', session({ sub: 'alice', username: 'al' }), 60)
    const own = newToken(newGrantId())
    await saveToken(storage, own, { type: 'access_token', client_id: 'web', subject: '', scope: '' }, 60)
    t.match(await redmint(['user', 'disable', 'ghost']), {
      code: 0,
      stdout: /Ended: 1 session\. Its record has no sub/,
    })
    t.equal(await useSession(storage, 'one', 60), undefined)
    t.match(await useSession(storage, 'two', 60), { username: 'al' })
    t.match(await redmint(['user', 'remove', 'ghost', '--yes']), { code: 0, stdout: /has no sub/ })
    t.match(await storage.families.findToken(own), { revoked: 'false' })
    t.equal(await readUser(storage, 'ghost'), undefined)
  },
)
