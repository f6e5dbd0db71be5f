import { actingClients, parseActor } from '../../core/actor.ts'
import type { ClientId, FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { scopeNames } from '../../core/scope.ts'
import {
  actorName,
  DERIVED_SHOWN,
  DERIVED_TYPES,
  type Derivation,
  type Derived,
  type DerivedToken,
  MAX_DERIVATIONS,
  MAX_DERIVED,
  MAX_ENDED_ACTORS,
  nameOfOrigin,
  type OriginsOfToken,
  originNamed,
  originOf,
  type TokenOrigin,
} from '../derivation.ts'
import { familyOf } from '../family-ids.ts'
import { type FamilyRecords, newToken, secretOf } from './family-records.ts'

/** Derives a token, as the script derive-token. */
export function deriveToken(records: FamilyRecords, derivation: Derivation): Derived {
  const { subject, token, client_id, actor_token } = derivation
  const family = familyOf(subject.token, token)
  const record = records.families.get(family ?? '')?.record
  if (family === undefined || record?.status !== 'active' || !record.subject) return 'ended'
  // It was sent before.
  if (records.tokens.get(token) !== undefined) return 'ok'
  const origin = records.find(subject.token)
  if (!isLive(records, origin, subject.is_jwt)) return 'ended'
  if (record.ended_actors?.split(' ').includes(actorName(client_id))) return 'ended'
  const own = nameOfOrigin({ token: secretOf(subject.token), is_jwt: origin === undefined })
  const origins = [own, ...(origin?.derived_from?.split(' ') ?? [])]
  if (origins.length > MAX_DERIVATIONS) return 'depth'
  if (liveDerived(records, family).length >= MAX_DERIVED) return 'many'
  const used = records.useOnce(derivation.single_uses, token, client_id)
  if (used !== undefined) return used
  const { scope, audience, confirmation, is_jwt, fields } = derivation
  const ends = records.now() + Math.floor(derivation.access_token_ttl * 1000)
  const limit = origin?.type === DERIVED_TYPES.opaque ? records.tokens.expires(subject.token) : undefined
  const written = newToken(
    token,
    is_jwt ? DERIVED_TYPES.jwt : DERIVED_TYPES.opaque,
    { subject: record.subject, scope, client_id },
    { audience, confirmation },
  )
  const actor_tokens = [
    ...(actor_token ? [nameOfOrigin(actor_token)] : []),
    ...(origin?.actor_token?.split(' ') ?? []),
  ]
  const more = {
    ...fields,
    derived_from: origins.join(' '),
    ...(actor_tokens.length > 0 && { actor_token: actor_tokens.join(' ') }),
  }
  const expires = Math.min(ends, limit ?? ends)
  records.add({ ...written, fields: { ...written.fields, ...more } }, expires)
  if (expires > Number(record.acting_until ?? 0)) records.change(family, { acting_until: String(expires) })
  return 'ok'
}

/** Returns the record of a token; one whose actor's token is not live reads as revoked. */
export function withActor(records: FamilyRecords, token: Hash | undefined): Hash | undefined {
  const is_ended = token?.actor_token?.split(' ').some((actor) => {
    const { token: named, is_jwt } = originNamed(actor)
    return originOf(records.find(named), is_jwt).state !== 'live'
  })
  return is_ended ? { ...token, revoked: 'true' } : token
}

/** Returns the derived tokens of a family, as the script read-derived. */
export function readDerived(records: FamilyRecords, family: FamilyId): DerivedToken[] {
  const all = liveDerived(records, family).filter((token) => records.find(token)?.revoked === 'false')
  return all.map((token, place) => {
    const record = records.find(token) ?? {}
    const origins = (record.derived_from?.split(' ') ?? [])
      .map((secret) => all.indexOf(`${family}.${secret}`))
      .filter((position) => position >= 0)
    const shown = DERIVED_SHOWN.flatMap((name) => {
      const value = record[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    return { place, origins, record: Object.fromEntries(shown) }
  })
}

/** Returns what became of what a token was derived from, as the storage in Redis. */
export function readOrigins(
  records: FamilyRecords,
  token: string,
  { derived_from = '', actor_token = '' }: Hash,
): OriginsOfToken {
  const family = familyOf(token)
  if (family === undefined) return { origins: [], actor_tokens: [] }
  const read = (name: string): TokenOrigin => {
    const { token: named, is_jwt } = originNamed(name)
    return originOf(records.find(named), is_jwt)
  }
  return {
    origins: scopeNames(derived_from).map((secret) => read(`${family}.${secret}`)),
    actor_tokens: scopeNames(actor_token).map(read),
  }
}

/** Revokes derived tokens, as the script end-derived. Returns how many, and whether anything changed. */
export function endDerived(
  records: FamilyRecords,
  family: FamilyId,
  client_id: ClientId,
): { ended: number; has_changed: boolean } {
  let ended = 0
  for (const token of liveDerived(records, family)) {
    const record = records.tokens.get(token) ?? {}
    const acting = [record.client_id, ...actingClients(parseActor(record.act ?? ''))]
    if (!acting.includes(client_id) || record.revoked !== 'false') continue
    records.revoke(token)
    ended += 1
  }
  const record = records.families.get(family)?.record
  const before = record?.ended_actors?.split(' ') ?? []
  const is_new = record?.status === 'active' && !before.includes(actorName(client_id))
  if (is_new) {
    const ended_actors = [actorName(client_id), ...before].slice(0, MAX_ENDED_ACTORS).join(' ')
    records.change(family, { ended_actors })
  }
  return { ended, has_changed: ended > 0 || is_new }
}

/** The live derived tokens of a family, those that expire first at the top. */
function liveDerived(records: FamilyRecords, family: FamilyId): string[] {
  const live = [...(records.families.get(family)?.live.entries() ?? [])].map(([token]) => token)
  return live
    .filter((token) => records.tokens.get(token)?.derived_from !== undefined)
    .sort((one, other) => (records.tokens.expires(one) ?? 0) - (records.tokens.expires(other) ?? 0))
}

function isLive(records: FamilyRecords, token: Hash | undefined, is_jwt: boolean): boolean {
  if (token === undefined) return is_jwt
  if (token.type !== (is_jwt ? DERIVED_TYPES.jwt : DERIVED_TYPES.opaque) || token.revoked !== 'false')
    return false
  return Date.parse(token.expires_at ?? '') >= records.now()
}
