import { type Static, Type } from '@sinclair/typebox'
import { instant } from '../../core/instant.ts'
import { KEY_STATUSES, parseSigningKeys, type SigningKeyRecord } from '../../keys/key-record.ts'
import { nextRotationAt, rotateSigningKeys } from '../../keys/rotate.ts'
import { StoredKeyError, unwrapPrivateKey } from '../../keys/wrap.ts'
import type { SharedHash } from '../../storage/shared-hash.ts'
import { type AdminContext, byName, operation } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'

/** Why there is nothing to list or rotate. */
export const NO_KEYS = 'There are no signing keys yet: the first server that starts creates them.'

/** A signing key without its private part. */
export type KeyDescription = Omit<SigningKeyRecord, 'private_jwk' | 'private_jwe'> & {
  /** Whether the private part is encrypted in storage. */
  readonly wrapped: boolean
}

/** Returns the signing keys, in the order of algorithm and age. @throws StoredKeyError; StorageUnavailable */
async function listKeys(store: SharedHash): Promise<KeyDescription[]> {
  return described(parseSigningKeys(await store.read()))
}

/**
 * Makes the next keys current, and publishes new next keys.
 * @throws AdminError `conflict` if there are no keys or it is too soon, `misconfigured` if this process has another
 * KEY_ENCRYPTION_KEY than the servers; StoredKeyError; StorageUnavailable
 */
async function rotateKeys({
  storage,
  settings,
  report,
}: Pick<AdminContext, 'storage' | 'settings' | 'report'>): Promise<KeyDescription[]> {
  const { signing_keys: store } = storage
  const records = parseSigningKeys(await store.read())
  if (records.length === 0) throw new AdminError('conflict', NO_KEYS)
  await assertSameWrapping(records, settings.key_encryption_key)
  const now = await store.now()
  const result = await rotateSigningKeys(store, settings, new Date(now), report)
  if (result.outcome === 'too_soon') {
    throw new AdminError(
      'conflict',
      `It is too soon: the next keys can sign from ${instant(result.usable_at, now)}. Until then, a server or cache may not have their public keys and would refuse their tokens.`,
    )
  }
  return described(result.keys)
}

// Otherwise the ring would get a key that the servers cannot unwrap, or an unencrypted private key.
async function assertSameWrapping(
  records: readonly SigningKeyRecord[],
  key: Uint8Array | undefined,
): Promise<void> {
  try {
    for (const record of records) await unwrapPrivateKey(record, key)
  } catch (error) {
    if (error instanceof StoredKeyError) throw new AdminError('misconfigured', error.message)
    throw error
  }
}

function described(records: readonly SigningKeyRecord[]): KeyDescription[] {
  return records.map(describeKey).sort((a, b) => (sortName(a) < sortName(b) ? -1 : 1))
}

function describeKey(record: SigningKeyRecord): KeyDescription {
  const { private_jwk: _private, private_jwe, ...shown } = record
  return { ...shown, wrapped: private_jwe !== undefined }
}

function sortName({ alg, created_at, kid }: KeyDescription): string {
  return `${alg} ${created_at} ${kid}`
}

const Keys = Type.Object({
  items: Type.Array(
    Type.Object({
      kid: Type.String(),
      alg: Type.String(),
      status: Type.String({
        enum: [...KEY_STATUSES],
        description:
          '`next`: published, and does not sign yet; `current`: signs; `retired`: published for old tokens',
      }),
      created_at: Type.String(),
      usable_at: Type.String({ description: 'from when on it may sign' }),
      current_since: Type.Optional(Type.String()),
      published_until: Type.Optional(Type.String()),
      wrapped: Type.Boolean({ description: 'whether its private part is encrypted in storage' }),
      public_jwk: Type.Object({}, { additionalProperties: true }),
    }),
  ),
  next_rotation_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'when servers rotate them by themselves; absent: no key signs yet',
    }),
  ),
})

export type Keys = Static<typeof Keys>

const list = operation({
  name: 'list_keys',
  summary: 'List the signing keys, without their private parts',
  method: 'GET',
  path: '/keys',
  scope: 'redmint:keys:read',
  answer: Keys,
  run: async ({ storage, settings }) => answer(await listKeys(storage.signing_keys), settings),
})

const rotate = operation({
  name: 'rotate_keys',
  summary: 'Make the next keys current; servers sign with them within 30 seconds',
  method: 'POST',
  path: '/keys/rotate',
  scope: 'redmint:keys:write',
  answer: Keys,
  run: async (context) => answer(await rotateKeys(context), context.settings),
})

function answer(keys: readonly KeyDescription[], settings: AdminContext['settings']) {
  const next = nextRotationAt(keys, settings)?.toISOString()
  const items = keys.map((key) => ({ ...key, public_jwk: { ...key.public_jwk } }))
  return { body: { items, ...(next !== undefined && { next_rotation_at: next }) } }
}

/** What operators do with signing keys. */
export const KEY_OPERATIONS = byName(list, rotate)
