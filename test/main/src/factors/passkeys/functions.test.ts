// Passkeys of an account: made, named, removed and used.

import t from 'tap'
import { changeFactors, findFactors } from '../../../../../src/factors/change-factors.ts'
import {
  isChallengeFor,
  newChallenge,
  requestOptions,
} from '../../../../../src/factors/passkeys/challenge.ts'
import {
  addPasskey,
  creationOptions,
  MAX_PASSKEYS,
} from '../../../../../src/factors/passkeys/create-passkey.ts'
import {
  listPasskeys,
  passkeySignals,
  removePasskey,
  renamePasskey,
} from '../../../../../src/factors/passkeys/manage-passkeys.ts'
import {
  claimPasskey,
  ownerOfPasskey,
  PASSKEY_OWNER,
  passkeyDigest,
} from '../../../../../src/factors/passkeys/passkey-owner.ts'
import { usePasskey } from '../../../../../src/factors/passkeys/use-passkey.ts'
import { resetFactors } from '../../../../../src/factors/reset-factors.ts'
import type { User } from '../../../../../src/users/user-record.ts'
import { userRecord } from '../../../../support/accounts.ts'
import {
  BROWSER,
  makePasskey,
  ORIGIN,
  type Replica,
  replicasWithUsers,
} from '../../../../support/factors/passkeys/owners.ts'
import { observed } from '../../../../support/observed.ts'
import { changeUser, createUser, removeUser } from '../../../../support/records.ts'
import { startRedis } from '../../../../support/redis-server.ts'
import { type Lies, SoftwarePasskey } from '../../../../support/software-authenticator.ts'

const redis = await startRedis(t)
const SIGN_IN = { purpose: 'sign_in', bound_to: 'request-one' } as const

/** Uses a passkey for a sign-in, with a fresh challenge. */
const use = (replica: Replica, passkey: SoftwarePasskey, lies: Lies = {}) =>
  usePasskey(replica, SIGN_IN, passkey.get(requestOptions(replica, SIGN_IN), lies), 'Safari on macOS')

for (const on of ['memory', { redis: redis.url }] as const) {
  t.test(on === 'memory' ? on : 'redis', async (t) => {
    t.test('a passkey is made, listed, used, renamed and removed', async (t) => {
      const { one, other, clock, events, alice } = await replicasWithUsers(t, on)
      const options = await creationOptions(one, alice, BROWSER)
      t.match(options, {
        rp: { id: 'auth.example.com', name: 'redmint' },
        user: { name: 'alice', displayName: 'Alice Example' },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      const passkey = new SoftwarePasskey(ORIGIN)
      const posted = passkey.create(options ?? {}, { aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d' })
      t.match(await addPasskey(other, alice, posted, BROWSER), { outcome: 'added', name: '1Password' })
      const listed = async () => listPasskeys((await findFactors(other, 'alice')).factors)
      t.match(await listed(), [{ id: passkey.id, name: '1Password', is_synced: true }])

      clock.now += 1000
      t.match(await use(one, passkey), { outcome: 'ok', user: { username: 'alice' }, acr: 'phr' })
      t.match(await listed(), [{ last_used_at: clock.now, browser: 'Safari on macOS' }])

      t.equal(await renamePasskey(one, 'alice', passkey.id, ' Blue\u0000 '), 'name')
      t.equal(await renamePasskey(one, 'alice', passkey.id, ' '), 'name')
      t.equal(await renamePasskey(one, 'alice', passkey.id, 'x'.repeat(65)), 'name')
      t.equal(await renamePasskey(one, 'alice', passkey.id, 'x'.repeat(64)), 'renamed')
      t.equal(await renamePasskey(one, 'alice', 'another', 'Blue'), 'missing')
      t.equal(await renamePasskey(one, 'alice', passkey.id, ' Blue '), 'renamed')
      t.match(await listed(), [{ name: 'Blue' }])
      t.equal((await findFactors(one, 'alice')).factors.generation, 1, 'a name ends no proof')

      t.equal(await removePasskey(other, 'alice', passkey.id), 'removed')
      t.equal(await removePasskey(one, 'alice', passkey.id), 'missing')
      t.same(await listed(), [])
      t.equal(await ownerOfPasskey(one, passkey.id), undefined)
      t.match(await use(one, passkey), { outcome: 'failed', unknown: true })
      t.match(
        events.map(({ event }) => event),
        ['passkey_added', 'passkey_removed'],
      )
    })

    t.test('B1 a passkey that did not ask who it is is neither added nor accepted', async (t) => {
      const { one, alice } = await replicasWithUsers(t, on)
      const options = (await creationOptions(one, alice, BROWSER)) ?? {}
      const added = new SoftwarePasskey(ORIGIN).create(options, { is_verified: false })
      t.match(await addPasskey(one, alice, added, BROWSER), { outcome: 'refused' })
      const passkey = await makePasskey(one, alice)
      t.match(await use(one, passkey, { is_verified: false }), { outcome: 'failed' })
      t.match(await use(one, passkey, { is_present: false }), { outcome: 'failed' })
      t.match(await use(one, passkey), { outcome: 'ok' })
      await changeFactors(one, 'alice', (factors) => ({
        ...factors,
        passkeys: new Map(
          [...factors.passkeys].map(([id, known]) => [id, { ...known, user_verified: false }]),
        ),
      }))
      t.match(await use(one, passkey), { outcome: 'failed' }, 'one that was made without')
    })

    t.test('A7 the last one stays where it is all, also when both are removed at once', async (t) => {
      const { one, other, alice } = await replicasWithUsers(t, on)
      const ids = [(await makePasskey(one, alice)).id, (await makePasskey(one, alice)).id]
      const keeps_last = { keeps_last: true }
      const removed = await Promise.all(
        ids.map((id, i) => removePasskey(i === 0 ? one : other, 'alice', id, keeps_last)),
      )
      t.same(removed.sort(), ['last', 'removed'])
      t.equal(await removePasskey(one, 'alice', 'of nobody', keeps_last), 'missing')
      t.equal((await findFactors(one, 'alice')).factors.passkeys.size, 1)
    })

    t.test("what an operator resets is nobody's any more", async (t) => {
      const { one, other, alice } = await replicasWithUsers(t, on)
      const passkey = await makePasskey(one, alice)
      t.same(await resetFactors(other, 'alice', ['passkeys']), ['passkeys'])
      t.equal(await ownerOfPasskey(one, passkey.id), undefined)
      t.match(await use(one, passkey), { outcome: 'failed', unknown: true })
    })

    t.test('B2 amr follows the flags that were seen', async (t) => {
      const { one, alice } = await replicasWithUsers(t, on)
      const synced = await makePasskey(one, alice)
      t.match(await use(one, synced), { amr: ['swk', 'user', 'mfa'], acr: 'phr' })
      const key = new SoftwarePasskey(ORIGIN)
      key.is_eligible = false
      const options = (await creationOptions(one, alice, BROWSER)) ?? {}
      await addPasskey(one, alice, key.create(options), BROWSER)
      t.match(await use(one, key), { amr: ['hwk', 'user', 'mfa'], acr: 'phr' })
    })

    t.test(
      'B3 a challenge counts once, for its purpose, account and browser, for five minutes',
      async (t) => {
        const { one, other, clock, alice, bob } = await replicasWithUsers(t, on)
        const passkey = await makePasskey(one, alice)
        const posted = passkey.get(requestOptions(one, SIGN_IN))
        const sign = (replica: Replica, is_for: Parameters<typeof usePasskey>[1]) =>
          usePasskey(replica, is_for, posted, undefined)
        t.match(await sign(one, { ...SIGN_IN, purpose: 'reset' }), { outcome: 'failed' })
        t.match(await sign(one, { ...SIGN_IN, bound_to: 'request-two' }), { outcome: 'failed' })
        const both = await Promise.all([sign(one, SIGN_IN), sign(other, SIGN_IN)])
        t.same(both.map(({ outcome }) => outcome).sort(), ['failed', 'ok'], 'at two replicas at once')
        t.match(await sign(other, SIGN_IN), { outcome: 'failed' })
        const late = passkey.get(requestOptions(one, SIGN_IN))
        clock.now += 300_000
        t.match(await usePasskey(one, SIGN_IN, late, undefined), { outcome: 'failed' })
        const other_challenge = Buffer.from('a-challenge-of-somebody-else').toString('base64url')
        t.match(await use(one, passkey, { challenge: other_challenge }), { outcome: 'failed' })

        const creating = async () => (await creationOptions(one, alice, BROWSER)) ?? {}
        const made = new SoftwarePasskey(ORIGIN).create(await creating())
        t.match(await addPasskey(one, bob, made, BROWSER), { outcome: 'refused' }, 'of another account')
        t.match(
          await addPasskey(one, alice, made, { digest: 'another' }),
          { outcome: 'refused' },
          'of another browser',
        )
        const at_once = await Promise.all(
          [one, other].map((replica) => addPasskey(replica, alice, made, BROWSER)),
        )
        t.same(at_once.map(({ outcome }) => outcome).sort(), ['added', 'refused'])
        t.match(await addPasskey(one, alice, made, BROWSER), { outcome: 'refused' })
        const signing = requestOptions(one, SIGN_IN)
        const from_sign_in = new SoftwarePasskey(ORIGIN).create({ ...(await creating()), ...signing })
        t.match(
          await addPasskey(one, alice, from_sign_in, BROWSER),
          { outcome: 'refused' },
          'of another purpose',
        )
        const slow = new SoftwarePasskey(ORIGIN).create(await creating())
        clock.now += 300_000
        t.match(await addPasskey(one, alice, slow, BROWSER), { outcome: 'refused' }, 'after five minutes')
        const before = new SoftwarePasskey(ORIGIN).create(await creating())
        await changeUser(one.storage, 'alice', { set: { email: 'other@example.com' } })
        const changed = { ...alice, claims: { ...alice.claims, email: 'other@example.com' } }
        t.match(await addPasskey(one, changed, before, BROWSER), { outcome: 'refused' }, 'after a change')
      },
    )

    t.test('B3 a change of a factor while a passkey is added ends that, and leaves no claim', async (t) => {
      const { one, alice } = await replicasWithUsers(t, on)
      const options = (await creationOptions(one, alice, BROWSER)) ?? {}
      const passkey = new SoftwarePasskey(ORIGIN)
      const { evidence } = one.storage
      const take = evidence.take.bind(evidence)
      evidence.take = async (...args) => {
        const taken = await take(...args)
        await changeFactors(one, 'alice', (factors) => factors)
        return taken
      }
      t.match(await addPasskey(one, alice, passkey.create(options), BROWSER), { outcome: 'refused' })
      t.equal((await findFactors(one, 'alice')).factors.passkeys.size, 0)
      t.equal(await ownerOfPasskey(one, passkey.id), undefined)
    })

    t.test(
      'B4 only the origin and the host of the issuer count, and no frame of another origin',
      async (t) => {
        const { one, alice } = await replicasWithUsers(t, on)
        const passkey = await makePasskey(one, alice)
        const wrong: Lies[] = [
          { origin: 'https://auth.example.com.evil.example' },
          { origin: 'https://auth.example.com:8443' },
          { origin: 'http://auth.example.com' },
          { rp_id: 'example.com' },
          { type: 'webauthn.create' },
          { client_data: { crossOrigin: true } },
          { client_data: { topOrigin: 'https://evil.example' } },
        ]
        for (const lies of wrong) {
          t.match(await use(one, passkey, lies), { outcome: 'failed' }, JSON.stringify(lies))
          const { type, ...others } = lies
          const options = (await creationOptions(one, alice, BROWSER)) ?? {}
          const made = new SoftwarePasskey(ORIGIN).create(options, {
            ...others,
            ...(type && { type: 'webauthn.get' }),
          })
          t.match(await addPasskey(one, alice, made, BROWSER), { outcome: 'refused' }, JSON.stringify(lies))
        }
        t.match(await use(one, passkey), { outcome: 'ok' })
      },
    )

    t.test('a signature by another key counts for nothing, whatever it says it is', async (t) => {
      const { one, alice } = await replicasWithUsers(t, on)
      const passkey = await makePasskey(one, alice)
      const forged = new SoftwarePasskey(ORIGIN)
      Object.assign(forged, { id: passkey.id, user_handle: passkey.user_handle })
      t.match(await use(one, forged), { outcome: 'failed', unknown: undefined })
      const posted = JSON.parse(passkey.get(requestOptions(one, SIGN_IN)))
      for (const part of ['signature', 'authenticatorData']) {
        const response = { ...posted.response, [part]: undefined }
        const without = JSON.stringify({ ...posted, response })
        t.match(await usePasskey(one, SIGN_IN, without, undefined), { outcome: 'failed' }, `no ${part}`)
      }
      const options = (await creationOptions(one, alice, BROWSER)) ?? {}
      const made = JSON.parse(new SoftwarePasskey(ORIGIN).create(options))
      const renamed = JSON.stringify({ ...made, id: new SoftwarePasskey(ORIGIN).id })
      t.match(
        await addPasskey(one, alice, renamed, BROWSER),
        { outcome: 'refused' },
        'another id than its own',
      )
      t.match(await use(one, passkey), { outcome: 'ok' })
    })

    t.test('a disabled user does not come in by a passkey', async (t) => {
      const { one, alice } = await replicasWithUsers(t, on)
      const passkey = await makePasskey(one, alice)
      await changeUser(one.storage, 'alice', { set: { disabled: 'true' } })
      t.match(await use(one, passkey), { outcome: 'failed', reason: 'disabled_user' })
      await changeUser(one.storage, 'alice', { set: { disabled: 'false' } })
      t.match(await use(one, passkey), { outcome: 'ok' })
    })

    t.test('two sign-ins at once both count, and what is removed meanwhile does not', async (t) => {
      const { one, other, alice } = await replicasWithUsers(t, on)
      const passkey = await makePasskey(one, alice)
      const both = await Promise.all([one, other].map((replica) => use(replica, passkey)))
      t.strictSame(
        both.map(({ outcome }) => outcome),
        ['ok', 'ok'],
      )
      const storage = observed(one.storage, async (call, run) => {
        if (call === 'change factors') await removePasskey(other, 'alice', passkey.id)
        return run()
      })
      t.match(await use({ ...one, storage }, passkey), { outcome: 'failed', reason: 'wrong_answer' })
      t.match(await use(one, passkey), { outcome: 'failed' })
    })

    t.test('B7 a claim is of one person, also among those of one name', async (t) => {
      const { one, clock, alice, bob } = await replicasWithUsers(t, on)
      const claim = (person: Pick<User, 'username' | 'sub'>, id = 'an-id') =>
        claimPasskey(one, person, id, clock.now)
      t.ok(await claim(alice))
      t.notOk(await claim({ username: 'alice', sub: 'somebody who had the name' }))
      t.notOk(await claim({ username: 'bob', sub: alice.sub }))
      t.ok(await claim(alice), 'again, after an attempt that led nowhere')
      clock.now += 10 * 60_000 - 1
      t.notOk(await claim(bob))
      clock.now += 1
      t.ok(await claim(bob))
      const by_hand = { username: 'alice' }
      await one.storage.records.put({ kind: PASSKEY_OWNER, id: passkeyDigest('other'), hash: by_hand })
      t.notOk(await claim(alice, 'other'), 'what cannot be read is of nobody')
      t.equal(await ownerOfPasskey(one, 'other'), undefined)
      let is_first = true
      const storage = observed(one.storage, (call, run) => {
        if (call !== 'create passkey' || !is_first) return run()
        is_first = false
        return Promise.resolve('exists')
      })
      t.ok(
        await claimPasskey({ ...one, storage }, alice, 'third', clock.now),
        'one that was given up just then',
      )
    })

    t.test('B3 a challenge has one spelling', async (t) => {
      const { one } = await replicasWithUsers(t, on)
      const challenge = newChallenge(one, SIGN_IN)
      t.ok(isChallengeFor(one, SIGN_IN, challenge))
      for (const other of [`${challenge}=`, `${challenge}\n`, ` ${challenge}`, `${challenge}.`])
        t.notOk(isChallengeFor(one, SIGN_IN, other), JSON.stringify(other))
    })

    t.test(
      'B7 a known id is refused for every account, and a claim that led nowhere gives way',
      async (t) => {
        const { one, clock, alice, bob } = await replicasWithUsers(t, on)
        const passkey = await makePasskey(one, alice)
        const copy = async (user: typeof bob, id = passkey.id) => {
          const options = (await creationOptions(one, user, BROWSER)) ?? {}
          const made = new SoftwarePasskey(ORIGIN).create(options, { credential_id: id })
          return addPasskey(one, user, made, BROWSER)
        }
        clock.now += 3_600_000
        t.match(await copy(bob), { outcome: 'known' })
        t.match(await copy(alice), { outcome: 'known' })
        t.equal((await ownerOfPasskey(one, passkey.id))?.username, 'alice')
        t.match(await use(one, passkey), { outcome: 'ok', user: { username: 'alice' } })

        const left = new SoftwarePasskey(ORIGIN)
        t.equal(await claimPasskey(one, alice, left.id, clock.now), true, 'and then the process ended')
        t.match(await use(one, left), { outcome: 'failed', unknown: true }, 'no way in')
        t.match(await copy(bob, left.id), { outcome: 'known' }, 'it may still be added')
        t.match(await copy(alice, left.id), { outcome: 'added' }, 'its user begins anew')
        const another = new SoftwarePasskey(ORIGIN)
        await claimPasskey(one, alice, another.id, clock.now)
        clock.now += 600_000
        t.match(await copy(bob, another.id), { outcome: 'added' }, 'not blocked for good')
      },
    )

    t.test('B7 the user handle is random, and belongs to the owner', async (t) => {
      const { one, alice, bob } = await replicasWithUsers(t, on)
      const passkey = await makePasskey(one, alice)
      const of_bob = await makePasskey(one, bob)
      t.match(passkey.user_handle, /^[A-Za-z0-9_-]{43}$/)
      t.not(passkey.user_handle, of_bob.user_handle)
      t.equal((await makePasskey(one, alice)).user_handle, passkey.user_handle, 'one for an account')
      t.match(await use(one, passkey, { user_handle: of_bob.user_handle }), { outcome: 'failed' })
      t.match(await use(one, passkey, { user_handle: undefined }), { outcome: 'failed' })
      await removeUser(one.storage, 'alice')
      await createUser(one.storage, 'alice', await userRecord('sub-of-another-alice'))
      t.match(
        await use(one, passkey),
        { outcome: 'failed' },
        'another user with the username is not the owner',
      )
    })

    t.test('B8 a counter that goes back is refused and reported, and 0 stays 0', async (t) => {
      const { one, other, events, alice } = await replicasWithUsers(t, on)
      const passkey = await makePasskey(one, alice)
      t.match(await use(one, passkey), { outcome: 'ok' })
      t.match(await use(one, passkey), { outcome: 'ok' }, 'a synced one stays at 0')
      t.match(await use(one, passkey, { counter: 5 }), { outcome: 'ok' })
      events.length = 0
      for (const counter of [5, 4, 0]) {
        t.match(await use(one, passkey, { counter }), { outcome: 'failed' }, String(counter))
      }
      t.match(events, [{ event: 'passkey_counter_reversed', username: 'alice' }])
      t.equal(events.length, 1, 'one in an hour')
      const copies = await Promise.all([
        use(one, passkey, { counter: 6 }),
        use(other, passkey, { counter: 6 }),
      ])
      t.same(copies.map(({ outcome }) => outcome).sort(), ['failed', 'ok'], 'a copy at another replica')
      t.match(await use(one, passkey, { counter: 7 }), { outcome: 'ok' })
    })

    t.test('B9 what may be on several devices stays so, and what is not stays so', async (t) => {
      const { one, events, alice } = await replicasWithUsers(t, on)
      const passkey = await makePasskey(one, alice)
      events.length = 0
      t.match(await use(one, passkey, { is_eligible: false }), { outcome: 'failed' })
      t.match(await use(one, passkey, { is_eligible: false, is_backed_up: true }), { outcome: 'failed' })
      t.match(events, [{ event: 'passkey_flag_changed', username: 'alice' }])
      t.equal(events.length, 1, 'one in an hour')
      t.match(await use(one, passkey, { is_backed_up: false }), { outcome: 'ok' }, 'a copy may come and go')
      t.match((await findFactors(one, 'alice')).factors.passkeys.get(passkey.id), { backed_up: false })
    })

    t.test('B10 what the browser is told has the whole list', async (t) => {
      const { one, alice } = await replicasWithUsers(t, on)
      const factors = async () => (await findFactors(one, 'alice')).factors
      t.equal(passkeySignals(one.settings, alice, await factors()), undefined)
      const ids = [(await makePasskey(one, alice)).id, (await makePasskey(one, alice)).id]
      const told = passkeySignals(one.settings, alice, await factors())
      t.match(told, { rpId: 'auth.example.com', name: 'alice', displayName: 'Alice Example' })
      t.same([...(told?.allAcceptedCredentialIds ?? [])].sort(), ids.sort())
    })

    t.test('B12 an account has twenty passkeys at most', async (t) => {
      const { one, alice } = await replicasWithUsers(t, on)
      const options = async () => (await creationOptions(one, alice, BROWSER)) ?? {}
      for (let number = 1; number < MAX_PASSKEYS; number += 1) await makePasskey(one, alice)
      const last = await options()
      const { generation } = (await findFactors(one, 'alice')).factors
      t.match(await addPasskey(one, alice, new SoftwarePasskey(ORIGIN).create(last), BROWSER), {
        outcome: 'added',
      })
      t.equal(await creationOptions(one, alice, BROWSER), undefined)
      t.equal((await findFactors(one, 'alice')).factors.generation, generation + 1)
    })
  })
}

t.test('B5 the algorithms that are asked for are those that are accepted', async (t) => {
  const { one, alice } = await replicasWithUsers(t, 'memory')
  const { pubKeyCredParams } = (await creationOptions(one, alice, BROWSER)) as {
    pubKeyCredParams: { alg: number }[]
  }
  t.same(
    pubKeyCredParams.map(({ alg }) => alg),
    [-7, -257, -8],
  )
})

t.test('B6 what an authenticator says about its maker is neither needed nor trusted', async (t) => {
  const { one, alice } = await replicasWithUsers(t, 'memory')
  for (const fmt of ['packed', 'tpm', 'of-the-future']) {
    const options = (await creationOptions(one, alice, BROWSER)) ?? {}
    const made = new SoftwarePasskey(ORIGIN).create(options, { fmt })
    t.match(await addPasskey(one, alice, made, BROWSER), { outcome: 'added' }, fmt)
  }
})

t.test('nothing that is malformed is more than refused', async (t) => {
  const { one, alice } = await replicasWithUsers(t, 'memory')
  const passkey = await makePasskey(one, alice)
  const right = JSON.parse(passkey.get(requestOptions(one, SIGN_IN)))
  const wrong = [
    undefined,
    '',
    '{}',
    '[]',
    'x'.repeat(20_000),
    JSON.stringify({ ...right, id: '' }),
    JSON.stringify({ ...right, id: 'a b' }),
    JSON.stringify({ ...right, response: [] }),
    ...['clientDataJSON', 'authenticatorData', 'signature'].flatMap((name) =>
      [undefined, 7, '', 'AAAA', '*'].map((value) =>
        JSON.stringify({ ...right, response: { ...right.response, [name]: value } }),
      ),
    ),
  ]
  for (const posted of wrong) {
    t.match(
      await usePasskey(one, SIGN_IN, posted, undefined),
      { outcome: 'failed' },
      String(posted).slice(0, 99),
    )
    t.match(await addPasskey(one, alice, posted, BROWSER), { outcome: 'refused' })
  }
  t.match(await usePasskey(one, SIGN_IN, JSON.stringify(right), undefined), { outcome: 'ok' })
})
