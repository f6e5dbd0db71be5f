// Who is not asked: the client sees what it sees of everybody.
import t, { type Test } from 'tap'
import { muteClient } from '../../../../src/asks/mute.ts'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { answerFirst, asker, BANK, startWithAsks, waitingFor } from '../../../support/asks.ts'
import { observed, ofRequests } from '../../../support/observed.ts'
import { changeClient } from '../../../support/records.ts'
import { scene } from '../../../support/scene.ts'

/** What the log says of questions that nobody sees. */
const dropped = (log: readonly string[]) =>
  log
    .map((line) => JSON.parse(line) as { event?: string; reason?: string })
    .filter(({ event }) => event === 'ask_dropped')
    .map(({ reason }) => reason)

t.test('C4: unknown, disabled, muted and known people: the same answer and the same steps', async (t) => {
  const calls: string[] = []
  let ahead = 0
  const now = () => Date.now() + ahead
  const storage = observed(
    new MemoryStorage({ now }),
    ofRequests((call, run, args) => {
      calls.push(
        call + (call === 'page' || call === 'among' ? ` ${JSON.stringify(args[0]).split('"')[3]}` : ''),
      )
      return run()
    }),
  )
  const people: Record<string, Hash> = {
    muted: { muted_clients: 'bank' },
    locked: { disabled: 'true' },
    stranger: {},
  }
  const service = await startWithAsks(t, { storage, now, people })
  const { ask, log } = service
  const steps = async (login_hint: string) => {
    ahead += 3600_000
    await service.redmint.keys.reload()
    await ask({ login_hint })
    calls.length = 0
    const { status, json } = await ask({ login_hint, binding_message: 'again' })
    return { status, members: Object.keys(json), expires_in: json.expires_in, calls: [...calls] }
  }
  const known = await steps('alice')
  t.equal(known.status, 200)
  for (const login_hint of ['nobody', 'muted', 'locked', 'stranger'])
    t.strictSame(await steps(login_hint), known, login_hint)
  t.strictSame(new Set(dropped(log)), new Set(['unknown', 'muted', 'disabled', 'no_grant']))
})

t.test('nobody who is not asked sees anything, and the client waits in vain', async (t) => {
  const { id, poll, setFields, alice, log, passWithKeys } = await startWithAsks(t)
  for (const [reason, fields] of [
    ['muted', { muted_clients: 'bank' }],
    ['disabled', { disabled: 'true', muted_clients: '' }],
  ] as const) {
    await passWithKeys(3600)
    await setFields('alice', fields)
    const asked = await id({ binding_message: reason })
    t.match(await poll(asked), { json: { error: 'authorization_pending' } }, reason)
    t.equal(dropped(log).at(-1), reason)
    await setFields('alice', { disabled: 'false', muted_clients: '' })
    t.strictSame(await waitingFor(alice), [], reason)
    await passWithKeys(301)
    t.match(await poll(asked), { json: { error: 'expired_token' } }, reason)
  }
})

t.test('C5: three open questions of a client, five an hour, ten of all, and the same once', async (t) => {
  const others = ['one', 'two', 'three'].map((client_id) => ({
    ...BANK,
    client_id,
    allowed_groups: ['staff'],
  }))
  const people = { alice: { 'claim:groups': '["staff"]' } }
  const service = await startWithAsks(t, { clients: others, people })
  const { id, alice, log, passWithKeys } = service
  await id({ binding_message: 'one' })
  await id({ binding_message: 'one' })
  t.equal((await waitingFor(alice)).length, 1, 'the same once')
  for (const binding_message of ['two', 'three']) await id({ binding_message })
  t.equal((await waitingFor(alice)).length, 3)
  await id({ binding_message: 'four' })
  t.equal((await waitingFor(alice)).length, 3, 'three of a client')
  t.strictSame(dropped(log), ['repeated', 'limited'])
  await answerFirst(alice, 'deny')
  await id({ binding_message: 'five' })
  t.equal((await waitingFor(alice)).length, 2, 'five an hour')
  for (const { client_id } of others)
    for (const binding_message of ['a', 'b', 'c']) await asker(service, client_id).id({ binding_message })
  t.ok((await waitingFor(alice)).length <= 7, 'ten an hour of all')
  await passWithKeys(3601)
  await id({ binding_message: 'six' })
  t.equal((await waitingFor(alice)).length, 1, 'an hour later')
})

t.test('only who has a grant of the client is asked, or is in one of its groups', async (t) => {
  const staff = { ...BANK, allowed_groups: ['staff'] }
  const service = await scene(t, {
    ask_people: 'on',
    clients: [staff],
    people: { alice: { 'claim:groups': '["staff"]' }, bob: {} },
  })
  const { id } = asker(service)
  await id()
  await id({ login_hint: 'bob' })
  t.strictSame(dropped(service.log), ['no_access'])
  t.equal(service.happened('person_asked', 'alice'), 1)
})

t.test('nobody is asked whose subject is the name of the client', async (t) => {
  const staff = { ...BANK, allowed_groups: ['staff'] }
  const people = { twin: { sub: 'bank', 'claim:groups': '["staff"]' } }
  const service = await scene(t, { ask_people: 'on', clients: [staff], people })
  await asker(service).id({ login_hint: 'twin' })
  t.strictSame(dropped(service.log), ['unknown'])
})

t.test('a grant that was ended counts for nothing', async (t) => {
  for (const end of ['grants_end_before', 'access_ended'] as const)
    await t.test(end, async (t: Test) => {
      const { id, setFields, log } = await startWithAsks(t)
      const at = Date.now() + 1000
      await setFields('alice', { [end]: end === 'access_ended' ? `${at}:bank` : String(at) })
      await id()
      t.strictSame(dropped(log), ['no_grant'])
    })
  await t.test('those of the client', async (t) => {
    const { id, storage, log } = await startWithAsks(t)
    await changeClient(storage, 'bank', { set: { grants_end_before: String(Date.now() + 1000) } })
    await id()
    t.strictSame(dropped(log), ['no_grant'])
  })
})

t.test('a client with pairwise subjects asks nobody by the subject that others know', async (t) => {
  const staff = { ...BANK, allowed_groups: ['staff'], subject_type: 'pairwise' } as const
  const people = { alice: { 'claim:groups': '["staff"]' } }
  const given = { clients: [staff], people, pairwise_salt: 'planted-word-of-16' }
  const service = await scene(t, { ask_people: 'on', ...given })
  const { id } = asker(service)
  await id({ login_hint: 'sub-of-alice' })
  t.strictSame(dropped(service.log), ['unknown'])
  await id({ login_hint: 'alice' })
  t.equal(service.happened('person_asked', 'alice'), 1)
})

t.test('nobody is kept from asking whoever has the name of an account that is gone', async (t) => {
  const { redmint, user, happened } = await startWithAsks(t)
  await muteClient(redmint, { username: 'alice', sub: 'sub-of-another' }, { client_id: 'bank' })
  t.equal((await user())?.muted_clients, undefined)
  t.equal(happened('client_muted'), 0)
})

t.test('"No, and never ask again" keeps a client from asking, until the person lets it', async (t) => {
  const { id, poll, alice, user, happened } = await startWithAsks(t)
  const asked = await id()
  t.match((await answerFirst(alice, 'never')).title, 'You will not be asked again')
  t.match(
    await poll(asked),
    { json: { error: 'access_denied' } },
    'the client learns of a no, and of nothing else',
  )
  t.equal((await user())?.muted_clients, 'bank')
  await id({ binding_message: 'please' })
  t.strictSame(await waitingFor(alice), [])
  const page = await alice.page('/account')
  t.match(page.text, 'Applications that may not ask you')
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  await alice.post('/account/unmute', { csrf, client_id: 'bank' })
  t.equal((await user())?.muted_clients, undefined)
  await id({ binding_message: 'and now' })
  t.equal((await waitingFor(alice)).length, 1)
  t.strictSame([happened('client_muted'), happened('client_unmuted')], [1, 1])
})
