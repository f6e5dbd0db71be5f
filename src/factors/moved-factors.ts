import type { AuditEntries } from '../core/audit-entries.ts'
import { isObject } from '../core/json.ts'
import { describeProblem, type Hash } from '../core/record-hash.ts'
import type { User } from '../users/user-record.ts'
import { findFactors } from './change-factors.ts'
import { type FactorKeyContext, openFactor, sealFactor } from './factor-key.ts'
import { FACTORS, type Factors, formatFactors, NO_FACTORS, passkeyField } from './factors-record.ts'
import { claimPasskey, ownerOfPasskey, releasePasskeys } from './passkeys/passkey-owner.ts'
import { noteHost } from './passkeys/settled-host.ts'

/** What it takes to move factors from one installation to another. */
export interface MovingContext extends FactorKeyContext {
  readonly settings: FactorKeyContext['settings'] & Parameters<typeof noteHost>[0]['settings']
}

type Owner = Pick<User, 'username' | 'sub'>

/** Factors as another installation can take them: the fields of the record, with the secret of the app in base64url. */
export type MovableFactors = Hash

/** The secret of an authenticator app cannot be opened here, so it cannot be moved. */
export class UnreadableApp extends Error {
  constructor() {
    super('has an authenticator app whose secret cannot be opened: redmint user reset-factors removes it')
    this.name = 'UnreadableApp'
  }
}

/**
 * Reads the factors of a person; undefined: there are none.
 * @throws UnreadableApp; StorageUnavailable; StoredKeyError; Error if the record is malformed
 */
export async function readMovable(
  context: MovingContext,
  username: string,
): Promise<MovableFactors | undefined> {
  const { factors, hash } = await findFactors(context, username)
  if (Object.keys(hash).length === 0) return undefined
  const { totp, ...others } = factors
  if (totp === undefined) return movable(factors)
  const secret = await openFactor(context, username, totp.secret)
  if (secret === undefined) throw new UnreadableApp()
  return movable({ ...others, totp: { ...totp, secret: secret.toString('base64url') } })
}

/**
 * Returns factors as another installation can take them; how often they changed is about this one. Undefined: there are
 * none.
 */
export function movable(factors: Factors): MovableFactors | undefined {
  const { generation: _, ...fields } = formatFactors(factors)
  return Object.keys(fields).length === 0 ? undefined : fields
}

/** Returns what is wrong with factors that come from elsewhere, each as text that completes "<field> …". */
export function movableProblems(fields: MovableFactors): string[] {
  const parsed = FACTORS.parse(fields, '')
  if (!parsed.ok) return parsed.problems.map(describeProblem)
  const { totp, recovery, passkeys, user_handle } = parsed.record
  return [
    ...(totp === undefined || fits(totp, APP) ? [] : ['totp is not an authenticator app']),
    ...(recovery === undefined || fits(recovery, CODES) ? [] : ['recovery has no recovery codes']),
    ...(passkeys.size > 0 && user_handle === undefined
      ? ['user_handle is missing, and there are passkeys']
      : []),
    ...[...passkeys]
      .filter(([id, passkey]) => !isBase64url(id) || !fits(passkey, PASSKEY))
      .map(([id]) => `${passkeyField(id)} is not a passkey`),
  ]
}

/** Whether there is a passkey among factors. */
export function hasPasskey(fields: MovableFactors): boolean {
  return passkeysOf(fields).size > 0
}

/** The factors without passkeys; undefined: nothing else is there. */
export function withoutPasskeys(fields: MovableFactors): MovableFactors | undefined {
  const { totp, recovery, generation } = factorsOf(fields)
  if (totp === undefined) return undefined
  return movable({ generation, totp, ...(recovery && { recovery }), passkeys: new Map() })
}

/** Returns the passkeys that are those of another user here. @throws StorageUnavailable */
export async function takenPasskeys(
  context: MovingContext,
  { username }: Pick<Owner, 'username'>,
  fields: MovableFactors,
): Promise<string[]> {
  const taken: string[] = []
  for (const id of passkeysOf(fields).keys()) {
    const owner = await ownerOfPasskey(context, id)
    if (owner === undefined || owner.username === username) continue
    if ((await findFactors(context, owner.username)).factors.passkeys.has(id)) taken.push(id)
  }
  return taken
}

/**
 * Gives a person these factors instead of those that there are. Call it before the person can sign in with a password
 * alone.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable; StoredKeyError; Error if a passkey is that of another user meanwhile
 */
export async function giveFactors(
  context: MovingContext,
  owner: Owner,
  fields: MovableFactors | undefined,
  told?: AuditEntries,
): Promise<void> {
  const { records } = context.storage
  const { username } = owner
  const former = await findFactors(context, username)
  const had_any = Object.keys(former.hash).length > 0
  if (fields === undefined && !had_any) return
  const { totp, ...others } = fields === undefined ? NO_FACTORS : factorsOf(fields)
  for (const [id, { created_at }] of others.passkeys) await claim(context, owner, id, created_at)
  if (fields === undefined) await records.remove(FACTORS, username, told)
  else {
    const secret = totp && (await sealFactor(context, username, Buffer.from(totp.secret, 'base64url')))
    const sealed = totp && secret !== undefined ? { totp: { ...totp, secret } } : {}
    // A change as any other: what was about to be added to the factors before is not.
    const generation = former.factors.generation + 1
    const hash = formatFactors({ ...others, ...sealed, generation })
    await records.put({ kind: FACTORS, id: username, hash, told })
    if (others.passkeys.size > 0) await noteHost(context)
  }
  const lost = [...former.factors.passkeys.keys()].filter((id) => !others.passkeys.has(id))
  await releasePasskeys(context, username, lost)
}

async function claim(context: MovingContext, owner: Owner, id: string, created_at: number): Promise<void> {
  const present = await ownerOfPasskey(context, id)
  if (present?.username === owner.username && present.sub === owner.sub) return
  if (await claimPasskey(context, owner, id, created_at)) return
  throw new Error(`A passkey of ${owner.username} was added for another user at the same time.`)
}

function factorsOf(fields: MovableFactors): Factors {
  const parsed = FACTORS.parse(fields, '')
  return parsed.ok ? parsed.record : NO_FACTORS
}

const passkeysOf = (fields: MovableFactors) => factorsOf(fields).passkeys

type Check = (value: unknown) => boolean
const isTime: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isText: Check = (value) => typeof value === 'string' && value.length <= 4096
const isFlag: Check = (value) => typeof value === 'boolean'
const isBase64url: Check = (value) =>
  typeof value === 'string' && value !== '' && Buffer.from(value, 'base64url').toString('base64url') === value
const isList =
  (entry: Check, most: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(entry)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

const APP: Readonly<Record<string, Check>> = {
  // RFC 4226 §4: 128 bits at least; apps of other systems have fewer.
  secret: (value) => isBase64url(value) && Buffer.from(String(value), 'base64url').length >= 10,
  created_at: isTime,
  last_step: isTime,
  failures: isTime,
}
const CODES: Readonly<Record<string, Check>> = {
  digests: isList(isBase64url, 100),
  used: isList(isBase64url, 100),
  created_at: isTime,
}
const PASSKEY: Readonly<Record<string, Check>> = {
  name: isText,
  public_key: isBase64url,
  counter: isTime,
  created_at: isTime,
  last_used_at: optional(isTime),
  browser: optional(isText),
  backup_eligible: isFlag,
  backed_up: isFlag,
  user_verified: isFlag,
  transports: isList(isText, 20),
  aaguid: isText,
}

function fits(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  if (!isObject(value)) return false
  const names = Object.keys(value)
  return (
    names.every((name) => Object.hasOwn(checks, name)) &&
    Object.entries(checks).every(([name, check]) =>
      check(Object.hasOwn(value, name) ? value[name] : undefined),
    )
  )
}
