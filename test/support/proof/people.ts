// Replicas as far as people need them, and the proofs of people: each may count once.
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { SecurityEvent } from '../../../src/core/events.ts'
import { findFactors } from '../../../src/factors/change-factors.ts'
import { checkSecondStep } from '../../../src/factors/check-second-step.ts'
import { requestOptions } from '../../../src/factors/passkeys/challenge.ts'
import { addPasskey, creationOptions } from '../../../src/factors/passkeys/create-passkey.ts'
import { usePasskey } from '../../../src/factors/passkeys/use-passkey.ts'
import { beginTotp, confirmTotp, newRecoveryCodes } from '../../../src/factors/totp.ts'
import { Sealer } from '../../../src/keys/sealer.ts'
import { giveInvitation } from '../../../src/self-service/invitation.ts'
import { takeJoin } from '../../../src/self-service/join.ts'
import { giveResetLink, takeReset } from '../../../src/self-service/reset-password.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { readAccount } from '../../../src/users/read-account.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { appCode } from '../authenticator.ts'
import { SILENT } from '../contract/redis-subject.ts'
import { BROWSER, ORIGIN } from '../factors/passkeys/owners.ts'
import { linkIn } from '../link-in.ts'
import { createUser } from '../records.ts'
import { SoftwarePasskey } from '../software-authenticator.ts'

const STEP_MS = 30_000
const NEW = 'seven wet umbrellas at noon'
const ASKER = { address: '192.0.2.1', user: 'somebody' }

/** What the functions of accounts and factors work with, on one storage. */
export async function replicaOn(t: Test, storage: Storage, clock: { ahead: number }) {
  const now = () => Date.now() + clock.ahead
  const sealer = new Sealer({ store: storage.sealing_keys, settings: {}, log: SILENT, now })
  t.teardown(() => sealer.close())
  await sealer.reload()
  const settings = {
    issuer: ORIGIN,
    service_name: 'redmint',
    demo: false,
    sign_in: 'password',
    second_factor: 'optional',
    passkeys: 'on',
    sign_up: 'off',
    password_min_length: 15,
    sign_in_window: 600,
    groups_claim: 'groups',
  } as const
  // Hashes of passwords have tests of their own.
  const passwords = { hash: async (password: string) => `hash of ${password} ${randomUUID()}` }
  const report = (_: SecurityEvent) => {}
  return { storage, settings, sealer, keys: { notBefore: 0 }, log: SILENT, now, report, passwords }
}

export type Replica = Awaited<ReturnType<typeof replicaOn>>

/** Uses a proof at a replica, and returns whether it counted. */
type Attempt = (at: Replica) => Promise<boolean>

/** A proof of a person. */
export interface Proof {
  readonly name: string
  /** Prepares one for a person who is new, and returns what uses it, any number of times. */
  prepare(at: Replica, username: string): Promise<Attempt>
}

const userOf = async (at: Replica, username: string) => {
  const user = await readAccount(at, username)
  if (user === undefined) throw new Error(`no ${username}`)
  return user
}

/** The app of a person, who gets one if there is none: the next code counts. */
async function appOf(at: Replica, username: string, apps: Map<string, string>): Promise<string> {
  const known = apps.get(username)
  if (known !== undefined) return known
  const { begun, key } = await beginTotp(at, username)
  const set_up = await confirmTotp(at, username, begun, appCode(key, at.now() - STEP_MS))
  if (set_up !== 'confirmed') throw new Error(set_up)
  apps.set(username, key)
  return key
}

// No other one has the name of a guest.
let guests = 0

/** The proofs of people. Those that are prepared again for one person are new ones. */
export function proofs(clock: { ahead: number }): readonly Proof[] {
  const apps = new Map<string, string>()
  const passkeys = new Map<string, SoftwarePasskey>()
  return [
    {
      name: 'a link to a new password',
      async prepare(at, username) {
        const link = linkIn((await giveResetLink(at, username))?.url)
        return async (at) => (await takeReset(at, link, { password: NEW }, ASKER, BROWSER)).page === 'done'
      },
    },
    {
      name: 'an invitation',
      async prepare(at) {
        const by = { kind: 'command', id: '' } as const
        const { url } = await giveInvitation(at, { uses: 1, days: 1, groups: [], by })
        const link = linkIn(url)
        return async (at) => {
          guests += 1
          const answer = { username: `guest-${guests}`, password: NEW }
          return (await takeJoin(at, link, answer, ASKER, BROWSER)).page === 'done'
        }
      },
    },
    {
      name: 'a code',
      async prepare(at, username) {
        const key = await appOf(at, username, apps)
        clock.ahead += STEP_MS
        const code = appCode(key, at.now())
        return async (at) => (await checkSecondStep(at, username, code)) === 'right'
      },
    },
    {
      name: 'a recovery code',
      async prepare(at, username) {
        await appOf(at, username, apps)
        const [code = ''] = (await newRecoveryCodes(at, username)) ?? []
        return async (at) => (await checkSecondStep(at, username, code)) === 'right'
      },
    },
    {
      name: 'a new app',
      async prepare(at, username) {
        const { begun, key } = await beginTotp(at, username)
        const code = appCode(key, at.now())
        return async (at) => (await confirmTotp(at, username, begun, code)) === 'confirmed'
      },
    },
    {
      name: 'a new passkey',
      async prepare(at, username) {
        const options = (await creationOptions(at, await userOf(at, username), BROWSER)) ?? {}
        const posted = new SoftwarePasskey(ORIGIN).create(options)
        return async (at) =>
          (await addPasskey(at, await userOf(at, username), posted, BROWSER)).outcome === 'added'
      },
    },
    {
      name: 'a passkey',
      async prepare(at, username) {
        const passkey = passkeys.get(username) ?? new SoftwarePasskey(ORIGIN)
        if (!passkeys.has(username)) {
          const options = (await creationOptions(at, await userOf(at, username), BROWSER)) ?? {}
          await addPasskey(at, await userOf(at, username), passkey.create(options), BROWSER)
          passkeys.set(username, passkey)
        }
        const is_for = { purpose: 'sign_in', bound_to: randomUUID() } as const
        const posted = passkey.get(requestOptions(at, is_for))
        return async (at) => (await usePasskey(at, is_for, posted, undefined)).outcome === 'ok'
      },
    },
  ]
}

let people = 0

/** A person who is new. */
export async function newPerson({ storage }: Replica): Promise<string> {
  people += 1
  const username = `person-${people}`
  await createUser(storage, username, { sub: `sub-of-${username}`, password_hash: 'x' })
  return username
}

/** What a storm or a fault could have done twice: how many passkeys there are, and how many accounts were made. */
export async function effects({ storage }: Replica, username: string) {
  const { factors } = await findFactors({ storage }, username)
  const found = new Set<string>()
  for await (const { id } of storage.records.scan(USER)) if (id.startsWith('guest-')) found.add(id)
  return { passkeys: factors.passkeys.size, guests: found.size }
}
