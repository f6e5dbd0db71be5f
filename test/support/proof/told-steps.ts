// Steps of all kinds that take an entry of the audit trail along, and what each leaves: for proofs that there is never one
// without the other.
import { hash } from 'node:crypto'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { INITIAL_ACCESS_TOKEN } from '../../../src/clients/registration/initial-access-token.ts'
import type { AuditEntries } from '../../../src/core/audit-entries.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { FACTORS } from '../../../src/factors/factors-record.ts'
import { evidenceTag } from '../../../src/storage/evidence.ts'
import { INITIAL_ACCESS_TOKEN_TAG } from '../../../src/storage/registrations.ts'
import { SINGLE_USE_KINDS } from '../../../src/storage/single-use.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { ACTOR, deriving } from '../contract/deriving.ts'
import { attempt, CODE } from '../contract/subject.ts'
import { saveCode } from '../records.ts'
import { until } from '../until.ts'

interface ToldStep {
  /** The script of Redis that makes it. */
  readonly script: string
  /** Makes what the step needs. */
  prepare?(storage: Storage, id: string): Promise<unknown>
  make(storage: Storage, id: string, told: AuditEntries): Promise<unknown>
  /** Whether the step was made. */
  isMade(storage: Storage, id: string): Promise<boolean>
}

const later = () => new Date(Date.now() + 600_000)
const familyOf = (id: string) => hash('sha256', id, 'base64url').slice(0, 16)
const tokenOf = (id: string) => `${familyOf(id)}.${hash('sha256', id, 'base64url')}`
const evidence = (account: string) => ({
  ...{ purpose: 'p', step: '', browser: '', value: '', account_state: '', account },
  ...{ created_at: Date.now(), ends_at: Date.now() + 600_000 },
})
const isClient = async ({ records }: Storage, id: string) => (await records.read(CLIENT, id)) !== undefined
const client = (id: string) => ({ kind: CLIENT, id, hash: { client_name: 'A' } })

/** Signs in, so that there is the family of an id. */
async function signIn(storage: Storage, id: string): Promise<void> {
  await saveCode(storage, tokenOf(id), CODE, 600)
  await redeemCode(storage, tokenOf(id), attempt(familyOf(id), id))
}

/** Another token of the family of an id. */
const derivedOf = (id: string) => `${familyOf(id)}.${hash('sha256', `derived ${id}`, 'base64url')}`
const derivationOf = (id: string) =>
  deriving(
    { token: `${familyOf(id)}.${hash('sha256', `jwt ${id}`, 'base64url')}`, is_jwt: true },
    { token: derivedOf(id) },
  )
const PROOF = { ...SINGLE_USE_KINDS.proof, parse: (record: Hash) => ({ ok: true, record }) as const }
const proofOf = (id: string) => ({ kind: 'proof', id: derivedOf(id), ttl: 600 }) as const
export const TOLD_STEPS: Readonly<Record<string, ToldStep>> = {
  create: {
    script: 'create-records',
    make: ({ records }, id, told) => records.create({ ...client(id), told }),
    isMade: isClient,
  },
  change: {
    script: 'change-record',
    prepare: ({ records }, id) => records.create(client(id)),
    make: ({ records }, id, told) => records.change(CLIENT, id, { set: { client_name: 'B' }, told }),
    isMade: async ({ records }, id) => (await records.read(CLIENT, id))?.hash.client_name === 'B',
  },
  pair: {
    script: 'change-records',
    prepare: ({ records }, id) => records.create({ kind: USER, id, hash: { sub: id } }),
    make: ({ records }, id, told) =>
      records.change(USER, id, {
        set: { password_hash: 'B' },
        beside: { kind: FACTORS, id, set: { totp: 'B' } },
        told,
      }),
    isMade: async ({ records }, id) => (await records.read(FACTORS, id))?.hash.totp === 'B',
  },
  remove: {
    script: 'take-record',
    prepare: ({ records }, id) => records.create(client(id)),
    make: ({ records }, id, told) => records.remove(CLIENT, id, told),
    isMade: async (storage, id) => !(await isClient(storage, id)),
  },
  revocation: {
    script: 'save-revoked-token',
    make: ({ families }, id, told) =>
      families.saveRevokedToken({ token: tokenOf(id), fields: { type: 'access_token' } }, later(), told),
    isMade: async ({ families }, id) => (await families.findToken(tokenOf(id))) !== undefined,
  },
  end: {
    script: 'end-family',
    make: ({ families }, id, told) => families.endFamily(familyOf(id), 600, told),
    isMade: async ({ families }, id) => (await families.findFamily(familyOf(id))) !== undefined,
  },
  queue: {
    script: 'queue-items',
    make: ({ queue }, id, told) => queue.add('endings', [id], told),
    isMade: async ({ queue }, id) => (await queue.list('endings', 100_000)).includes(id),
  },
  evidence: {
    script: 'give-evidence',
    make: ({ evidence: store }, id, told) => store.give('digest', evidence(id), told),
    isMade: async ({ evidence: store }, id) => (await store.list(evidenceTag(id))).size > 0,
  },
  proof: {
    script: 'take-evidence',
    prepare: ({ evidence: store }, id) => store.give('digest', evidence(id)),
    make: ({ evidence: store }, id, told) => store.take(evidenceTag(id), 'digest', evidence(id), told),
    isMade: async ({ evidence: store }, id) => (await store.list(evidenceTag(id))).size === 0,
  },
  'bounded list': {
    script: 'drop-bounded',
    prepare: ({ bounded }, id) =>
      bounded.put('memory', [{ name: id, text: '' }], { ttl: 600_000, max: 100_000 }),
    make: ({ bounded }, id, told) => bounded.drop('memory', id, told),
    isMade: async ({ bounded }, id) => (await bounded.read('memory', { name: id })).length === 0,
  },
  put: {
    script: 'put-records',
    make: ({ records }, id, told) => records.put({ ...client(id), told }),
    isMade: isClient,
  },
  family: {
    script: 'revoke-family',
    prepare: signIn,
    make: ({ families }, id, told) => families.revokeFamily(familyOf(id), told),
    isMade: async ({ families }, id) => (await families.findFamily(familyOf(id)))?.status === 'revoked',
  },
  token: {
    script: 'revoke-token',
    prepare: ({ families }, id) =>
      families.saveClientToken({ token: tokenOf(id), client_id: 'app', scope: 'a' }, 600),
    make: ({ families }, id, told) => families.revokeToken(tokenOf(id), undefined, told),
    isMade: async ({ families }, id) => (await families.findToken(tokenOf(id)))?.revoked === 'true',
  },
  derivation: {
    script: 'derive-token',
    prepare: signIn,
    make: ({ families }, id, told) => families.deriveToken(derivationOf(id), told),
    isMade: async ({ families }, id) => (await families.findToken(derivedOf(id))) !== undefined,
  },
  'end of acting': {
    script: 'end-derived',
    async prepare(storage, id) {
      await signIn(storage, id)
      await storage.families.deriveToken(derivationOf(id))
    },
    make: ({ families }, id, told) => families.endDerived(familyOf(id), ACTOR, told),
    isMade: async ({ families }, id) => (await families.findToken(derivedOf(id)))?.revoked === 'true',
  },
  presentation: {
    script: 'present-token',
    prepare: signIn,
    make: ({ families }, id, told) =>
      families.presentToken(
        { token: derivedOf(id), type: 'id_token', client_id: 'web', single_uses: [proofOf(id)] },
        told,
      ),
    isMade: async ({ records }, id) => (await records.read(PROOF, derivedOf(id))) !== undefined,
  },
  assertion: {
    script: 'grant-once',
    make: ({ families }, id, told) =>
      families.grantOnce(
        {
          ...{ token: tokenOf(id), is_jwt: false, single_uses: [], client_id: 'app', scope: 'a' },
          ...{ access_token_ttl: 600, user: { subject: id, fields: {} } },
        },
        told,
      ),
    isMade: async ({ families }, id) => (await families.findFamily(familyOf(id))) !== undefined,
  },
  keys: {
    script: 'replace-hash',
    async make({ sealing_keys }, id, told) {
      const keys = await sealing_keys.read()
      await sealing_keys.replace(keys, { ...keys, [id]: '{}' }, told)
    },
    isMade: async ({ sealing_keys }, id) => Object.hasOwn(await sealing_keys.read(), id),
  },
  registration: {
    script: 'register-openly',
    make: ({ registrations }, id, told) =>
      registrations.registerOpenly({ ...client(id), ttl: 600, told }, 'a', {
        in_all: 100_000,
        of_address: 100_000,
        window: 600_000,
      }),
    isMade: isClient,
  },
  invitation: {
    script: 'use-record',
    prepare: ({ records }, id) =>
      records.put({
        kind: INITIAL_ACCESS_TOKEN,
        id: INITIAL_ACCESS_TOKEN_TAG + id,
        hash: { uses_left: '1' },
      }),
    make: ({ records }, id, told) =>
      records.use(INITIAL_ACCESS_TOKEN, INITIAL_ACCESS_TOKEN_TAG + id, 1, { ...client(id), ttl: 600, told }),
    isMade: isClient,
  },
}

/** Makes a step, with an entry that has its id as text. */
export async function makeStep(storage: Storage, name: string, id: string): Promise<void> {
  await TOLD_STEPS[name]?.make(storage, id, { entries: [{ text: id }], ttl: 600 })
}

/** Returns the steps that were made without one entry, or were not made and have one. */
export async function unfitSteps(storage: Storage, steps: ReadonlyMap<string, string>): Promise<string[]> {
  await storage.trail.collect()
  const entries = new Map<string, number>()
  let after: string | undefined
  do {
    const part = await storage.trail.read({ after, limit: 1000 })
    for (const { text } of part) entries.set(text, (entries.get(text) ?? 0) + 1)
    after = part.at(-1)?.id
  } while (after !== undefined)
  const unfit: string[] = []
  for (const [id, name] of steps) {
    const is_made = await TOLD_STEPS[name]?.isMade(storage, id)
    const count = entries.get(id) ?? 0
    if (count !== (is_made ? 1 : 0)) unfit.push(`${name} ${id}: made ${is_made}, ${count} entries`)
  }
  return unfit
}

/** Prepares a step; repeated until storage takes it. */
export async function prepareStep(storage: Storage, name: string, id: string): Promise<void> {
  await until(`${name} is prepared`, async () => {
    try {
      await TOLD_STEPS[name]?.prepare?.(storage, id)
      return true
    } catch {
      return false
    }
  })
}
