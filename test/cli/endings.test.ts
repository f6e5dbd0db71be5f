// What the commands do to what a client or a user holds, and what they say of it.
import t from 'tap'
import { newGrantId, newToken } from '../../src/core/token-string.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { StorageUnavailable } from '../../src/storage/storage.ts'
import { signJwt } from '../../src/tokens/jwt.ts'
import { session } from '../system/contract/session-contract.ts'
import { parsed, sitDown } from './operator.ts'
import { claimsOf, ENVIRONMENT, signIn, signingKeyOf } from './tokens.ts'

const REMOVE = ['client', 'remove', 'web', '--yes', '--json']

// Most of the time is the second that the servers have to hear of a change.
t.jobs = 6

async function setup() {
  const storage = new MemoryStorage()
  const { redmint } = sitDown({ storage, environment: ENVIRONMENT })
  const status = async (grant: string) => (await storage.findGrant(grant))?.status
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
  await storage.changeClient('web', { set: { is_public: 'maybe' }, unset: [] })
  await said(['its client "web" is malformed'])
  await storage.removeClient('web')
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
  await storage.saveToken(own, { type: 'access_token', client_id: 'web', subject: '', scope: '' }, 60)
  const end = storage.revokeAllOf.bind(storage)
  const late: string[] = []
  storage.revokeAllOf = async (holder) => {
    t.match(await storage.readClient('web'), { disabled: 'true' }, 'it can do nothing any more')
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
  t.match(await storage.findToken(own), { revoked: 'true' })
  t.equal(await storage.readClient('web'), undefined)
})

t.test('user disable ends what comes meanwhile where nothing was before', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await storage.createUser('alice', { sub: 'alice' })
  const end = storage.revokeAllOf.bind(storage)
  let late: string | undefined
  storage.revokeAllOf = async (holder) => {
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
  const end = storage.revokeAllOf.bind(storage)
  storage.revokeAllOf = async () => {
    throw new StorageUnavailable('no answer in time')
  }
  t.match(await redmint(REMOVE), { code: 3, stderr: /no answer in time/ })
  t.match(await storage.readClient('web'), { disabled: 'true' })
  storage.revokeAllOf = end
  t.match(parsed(await redmint(REMOVE)), { removed: true, ended: { grants: 1 } })
  t.equal(await status(grant), 'revoked')
})

t.test('where more keeps coming the command gives up, and says so', { buffered: true }, async (t) => {
  const { storage, redmint } = await setup()
  await signIn(storage)
  let passes = 0
  storage.revokeAllOf = async () => {
    passes += 1
    return { sessions: 0, grants: 1, codes: 0, tokens: 0 }
  }
  t.match(await redmint(REMOVE), {
    code: 1,
    stderr: /The record is changed\. Ended: 4 sign-ins\. More keeps coming/,
  })
  t.equal(passes, 4)
  t.match(await storage.readClient('web'), { disabled: 'true' })
})

t.test('the clients of a session hear of it when an operator ends it', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await storage.createUser('al', { sub: 'alice' })
  const { grant } = await signIn(storage)
  await storage.changeClient('web', { set: { backchannel_logout_uri: 'https://a.example/bye' }, unset: [] })
  const joined = { clients: new Map([['web', 'openid']]), grants: new Map([[grant, 'web']]) }
  const alices = session({ sid: 'hers', username: 'al', sub: 'alice', ...joined })
  await storage.createSession('one', alices, 60)
  t.match(await redmint(['user', 'disable', 'al']), { code: 0, stdout: /Ended: 1 session/ })
  t.equal(await storage.useSession('one', 60), undefined)
  t.equal(await status(grant), 'revoked')
  t.match(await storage.claimLogouts(9, 60), [{ client_id: 'web', sub: 'alice', sid: 'hers', attempts: 0 }])
})

t.test('user disable, enable and remove', { buffered: true }, async (t) => {
  const { storage, redmint, status } = await setup()
  await storage.createUser('al', { sub: 'alice', name: 'Alice' })
  const { grant } = await signIn(storage)
  const disabled = await redmint(['user', 'disable', 'al'])
  t.match(disabled, {
    code: 0,
    stdout: /^The user is disabled\. Ended: 1 sign-in\. An API that verifies JWT/,
  })
  t.equal(await status(grant), 'revoked')
  t.strictSame(await storage.readUser('al'), { sub: 'alice', name: 'Alice', disabled: 'true' })
  t.match(await redmint(['user', 'list']), { stdout: /^al +alice +disabled +none +name=Alice$/m })
  t.match(parsed(await redmint(['user', 'disable', 'al', '--json'])), { ended: { grants: 0 } }, 'once more')

  t.strictSame(parsed(await redmint(['user', 'enable', 'al', '--json'])), { username: 'al', disabled: false })
  t.strictSame(await storage.readUser('al'), { sub: 'alice', name: 'Alice' })
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
    await storage.createUser('ghost', { name: 'Nobody' })
    await storage.createSession('one', session({ sub: 'lost', username: 'ghost' }), 60)
    await storage.createSession('two', session({ sub: 'alice', username: 'al' }), 60)
    const own = newToken(newGrantId())
    await storage.saveToken(own, { type: 'access_token', client_id: 'web', subject: '', scope: '' }, 60)
    t.match(await redmint(['user', 'disable', 'ghost']), {
      code: 0,
      stdout: /Ended: 1 session\. Its record has no sub/,
    })
    t.equal(await storage.useSession('one', 60), undefined)
    t.match(await storage.useSession('two', 60), { username: 'al' })
    t.match(await redmint(['user', 'remove', 'ghost', '--yes']), { code: 0, stdout: /has no sub/ })
    t.match(await storage.findToken(own), { revoked: 'false' })
    t.equal(await storage.readUser('ghost'), undefined)
  },
)
