import type { KeyConfirmation } from '../../core/confirmation.ts'
import type { ClientId, FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { parseToken } from '../../core/token-string.ts'
import { originNamed, originOf } from '../derivation.ts'
import { CODE_KIND, MAX_LIVE_TOKENS, type NewToken, type TokenDetails } from '../families.ts'
import { assertTokenString } from '../family-ids.ts'
import { SINGLE_USE_KINDS, type SingleUse, type UsedBefore } from '../single-use.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { MemoryRecords } from './records.ts'
import { asStored, wellFormed } from './text.ts'

/**
 * How long a spent code is kept, in milliseconds; the lifetime of a mark of withdrawal in Redis. After that its family
 * recognises it.
 */
export const SPENT_FOR = 600_000

interface Family {
  record: Hash
  /** The live tokens of the family, each until it expires. */
  readonly live: ExpiringMap<true>
}

/** The records of codes, tokens and families, and the steps that their transitions share. */
export class FamilyRecords {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly codes: ExpiringMap<Hash>
  readonly #single_uses: Readonly<Record<SingleUse['kind'], ExpiringMap<Hash>>>
  readonly tokens: ExpiringMap<Hash>
  readonly families: ExpiringMap<Family>

  constructor(now: () => number, records: MemoryRecords) {
    this.now = now
    this.codes = records.of(CODE_KIND)
    this.#single_uses = {
      assertion: records.of(SINGLE_USE_KINDS.assertion),
      proof: records.of(SINGLE_USE_KINDS.proof),
    }
    this.tokens = new ExpiringMap(now)
    this.families = new ExpiringMap(now)
  }

  /** Uses up ids that may be used once, as the include use_once; undefined if no other operation used one of them. */
  useOnce(uses: readonly SingleUse[], operation: string, client_id: ClientId): UsedBefore | undefined {
    for (const { id } of uses) assertTokenString(id)
    for (const { kind, id } of uses) {
      const used = this.#single_uses[kind].get(id)
      if (used !== undefined && used.used_by !== wellFormed(operation)) return { outcome: 'used', kind }
    }
    const record = asStored({ used_by: operation, client_id })
    for (const { kind, id, ttl } of uses) this.#single_uses[kind].set(id, record, this.now() + ttl * 1000)
    return undefined
  }

  /** Whether this operation used up an id. */
  isUsedBy({ kind, id }: Pick<SingleUse, 'kind' | 'id'>, operation: string): boolean {
    return this.#single_uses[kind].get(id)?.used_by === wellFormed(operation)
  }

  /** Writes a new family that expires at `expires`, in milliseconds since 1970. */
  create(id: FamilyId, record: Hash, expires: number): void {
    this.families.set(id, { record, live: new ExpiringMap(this.now) }, expires)
  }

  /** Sets fields of a grant record. */
  change(id: FamilyId, set: Hash): void {
    const family = this.families.get(id)
    if (family !== undefined) family.record = Object.assign({}, family.record, asStored(set))
  }

  /** Replaces what a grant record notes of its latest refresh, as the include forget_spending. */
  noteRefresh(id: FamilyId, noted: Hash): void {
    const family = this.families.get(id)
    if (family === undefined) return
    const kept = Object.entries(family.record).filter(([field]) => !isNotedOfRefresh(field))
    family.record = Object.assign(Object.fromEntries(kept), asStored(noted))
  }

  /** Whether a family exists and is not active. Tokens of the client credentials grant have no grant record. */
  hasEnded(id: FamilyId): boolean {
    const family = this.families.get(id)
    return family !== undefined && family.record.status !== 'active'
  }

  /** Returns a token. A token of an ended family, or that was derived from one that ended, reads as revoked. */
  find(token: string): Hash | undefined {
    const family = parseToken(token)?.family ?? ''
    const record = this.tokens.get(token)
    if (this.hasEnded(family) || (record && this.#hasEndedOrigin(family, record))) this.revoke(token)
    return this.tokens.get(token)
  }

  /** Writes a token of an active family, which lives as long, and adds it to the family. */
  join(token: NewToken, expires: number): void {
    this.families.keepUntil(parseToken(token.token)?.family ?? '', expires)
    this.add(token, expires)
  }

  /** Writes a token of an active family, and adds it to the family, whose end stays. */
  add(token: NewToken, expires: number): void {
    this.write(token, expires)
    this.#addLive(parseToken(token.token)?.family ?? '', token.token, expires)
  }

  /** Writes a token that expires at `expires`, in milliseconds since 1970. */
  write({ token, fields }: NewToken, expires: number, revoked = false): void {
    const expires_at = new Date(expires).toISOString()
    const record = { jti: token, ...fields, expires_at, revoked: String(revoked) }
    this.tokens.set(token, asStored(record), expires)
  }

  /** Extends the lifetime of a live token. */
  extend(token: string, record: Hash, expires: number): void {
    const expires_at = new Date(expires).toISOString()
    this.tokens.set(token, Object.assign({}, record, { expires_at }), expires)
    this.families.get(parseToken(token)?.family ?? '')?.live.set(token, true, expires)
  }

  /** Moves the record of a live refresh token to its successor. */
  move(token: string, successor: string, record: Hash, expires: number): void {
    this.tokens.take(token)
    this.families.get(parseToken(token)?.family ?? '')?.live.take(token)
    this.extend(successor, asStored({ ...record, jti: successor }), expires)
  }

  revoke(token: string): void {
    this.tokens.update(token, (record) => Object.assign({}, record, { revoked: 'true' }))
  }

  /** Revokes a family by its status, and marks its tokens. */
  end(id: FamilyId): void {
    const family = this.families.get(id)
    if (family === undefined) return
    this.change(id, { status: 'revoked' })
    for (const [token] of family.live.entries()) {
      this.revoke(token)
      family.live.take(token)
    }
  }

  // As the include has_ended_origin.
  #hasEndedOrigin(family: FamilyId, { derived_from }: Hash): boolean {
    return (derived_from?.split(' ') ?? []).some((origin) => {
      const { token: secret, is_jwt } = originNamed(origin)
      return originOf(this.tokens.get(`${family}.${secret}`), is_jwt).state !== 'live'
    })
  }

  #addLive(id: FamilyId, token: string, expires: number): void {
    const live = this.families.get(id)?.live
    if (live === undefined) return
    live.set(token, true, expires)
    if (live.size <= MAX_LIVE_TOKENS) return
    live.sweep()
    if (live.size <= MAX_LIVE_TOKENS) return
    const oldest = live.firstToExpire((one) => this.tokens.get(one)?.type === 'access_token')
    if (oldest === undefined) return
    live.take(oldest)
    this.tokens.take(oldest)
  }
}

/** When a refresh token that is used now expires, in milliseconds since 1970. */
export function endOfUse(now: number, refresh_until: number, idle_ttl: number | undefined): number {
  return idle_ttl === undefined ? refresh_until : Math.min(refresh_until, now + idle_ttl * 1000)
}

/** Returns a token to write, with the fields of its owner. An empty `audience` is not written. */
export function newToken(
  token: string,
  type: 'access_token' | 'refresh_token' | 'access_jwt',
  { subject = '', scope = '', client_id = '' }: Hash,
  {
    audience = '',
    confirmation,
    issued_at,
    details = '',
    act,
  }: {
    audience?: string | undefined
    confirmation?: KeyConfirmation | undefined
    issued_at?: number | undefined
    details?: string
    act?: string | undefined
  } = {},
): NewToken {
  const said = {
    ...(issued_at !== undefined && { issued_at: String(issued_at) }),
    ...(act && asStored({ act })),
  }
  const asked = { ...(audience && { audience }), ...(details && { authorization_details: details }) }
  const fields = { type, subject, scope, client_id, ...asked, ...confirmation, ...said }
  return { token, fields }
}

/** Returns the details of an access token: those that its request asks for, or those of the code or grant. */
export function detailsOf(asked: TokenDetails | undefined, { authorization_details = '' }: Hash): string {
  return typeof asked === 'object' ? asked.text : authorization_details
}

function isNotedOfRefresh(field: string): boolean {
  return field.startsWith('spent_') || field === 'refresh_token' || field === 'answered'
}

/** Returns the secret part of a token string, as the grant record names it. */
export function secretOf(token: string): string {
  return parseToken(token)?.secret ?? ''
}
