import type { AuditEntries } from '../../../core/audit-entries.ts'
import type { ClientId, FamilyId } from '../../../core/ids.ts'
import type { Hash } from '../../../core/record-hash.ts'
import { scopeNames } from '../../../core/scope.ts'
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
  type ProvenToken,
  type TokenOrigin,
} from '../../derivation.ts'
import { MAX_LIVE_TOKENS, type TokenAndFamily } from '../../families.ts'
import { familyOf, isFamilyId } from '../../family-ids.ts'
import { flat, type RedisAccess, unflat } from './access.ts'
import { noteOf } from './noted-jwts.ts'
import type { SingleUses } from './single-uses.ts'
import { withTrail } from './trail.ts'

/** Tokens that are derived from others of their family (RFC 8693). */
export class DerivedTokens {
  readonly #access: RedisAccess
  readonly #single_uses: SingleUses

  constructor(access: RedisAccess, single_uses: SingleUses) {
    this.#access = access
    this.#single_uses = single_uses
  }

  /** As TokenFamilies.deriveToken. */
  async derive(derivation: Derivation, told?: AuditEntries): Promise<Derived> {
    const { subject, token, single_uses, confirmation, actor_token, client_id, is_jwt } = derivation
    const { keys, write } = this.#access
    const family = familyOf(subject.token, token)
    if (family === undefined) return 'ended'
    const jti = keys.stored(token)
    const preparing = this.#single_uses.prepare(single_uses, family, jti, client_id)
    // Without ids the call is sent at once, in the order of the calls of its family.
    const uses = preparing instanceof Promise ? await preparing : preparing
    if ('outcome' in uses) return uses
    const own = [keys.token(subject.token), ...this.#keysOf(family), keys.storedToken(jti)]
    const note = noteOf(this.#access, derivation.noted)
    const args = {
      jti,
      token_type: is_jwt ? DERIVED_TYPES.jwt : DERIVED_TYPES.opaque,
      ttls: uses.ttls,
      access_ttl: derivation.access_token_ttl,
      client_id,
      actor: actorName(derivation.client_id),
      scope: derivation.scope,
      audience: derivation.audience,
      is_jwt: subject.is_jwt,
      max_live: MAX_LIVE_TOKENS,
      max_depth: MAX_DERIVATIONS,
      max_derived: MAX_DERIVED,
      fields: flat(derivation.fields),
      actor_token: actor_token && this.#actorOf(actor_token),
      jkt: confirmation?.jkt,
      x5t: confirmation?.['x5t#S256'],
      noted: note.noted,
    }
    const [outcome, position] = await withTrail(this.#access, own[1] ?? '', told, (trail) =>
      write('derive-token', [...own, ...uses.keys, ...note.keys, ...trail.keys], {
        ...args,
        entries: trail.args,
      }),
    )
    return outcome === 'used' ? uses.usedBefore(position) : outcome
  }

  /** As TokenFamilies.readDerived. */
  async read(family: FamilyId): Promise<readonly DerivedToken[]> {
    if (!isFamilyId(family)) return []
    const { run } = this.#access
    const all = [...this.#keysOf(family), this.#anyToken(family)]
    const found = await run('read-derived', all, { fields: DERIVED_SHOWN })
    // An empty table of Lua is an object in JSON.
    return (Array.isArray(found) ? found : []).map(([origins = '', ...record]: string[], place) => ({
      place,
      origins: origins === '' ? [] : origins.split(' ').map(Number),
      record: unflat(record),
    }))
  }

  /** As TokenFamilies.readOrigins. */
  async readOrigins(token: string, { derived_from = '', actor_token = '' }: Hash): Promise<OriginsOfToken> {
    const family = familyOf(token)
    if (family === undefined) return { origins: [], actor_tokens: [] }
    const read = (names: readonly string[]) => Promise.all(names.map((name) => this.#originNamed(name)))
    const [origins, actor_tokens] = await Promise.all([
      read(scopeNames(derived_from).map((secret) => `${family}.${secret}`)),
      read(scopeNames(actor_token)),
    ])
    return { origins, actor_tokens }
  }

  /** As TokenFamilies.endDerived. */
  async end(family: FamilyId, client_id: ClientId, told?: AuditEntries): Promise<number> {
    if (!isFamilyId(family)) return 0
    const { write } = this.#access
    const own = [...this.#keysOf(family), this.#anyToken(family)]
    const actor = actorName(client_id)
    return withTrail(this.#access, own[0] ?? '', told, (trail) =>
      write('end-derived', [...own, ...trail.keys], {
        client_id,
        actor,
        max_actors: MAX_ENDED_ACTORS,
        entries: trail.args,
      }),
    )
  }

  /**
   * Returns a token that reads as revoked unless all of `actor_tokens`, as its record has them, are live: they are in other
   * slots of a Cluster, so that only commands of their own can say it.
   * @throws StorageUnavailable
   */
  async withActor(found: TokenAndFamily, actor_tokens: string): Promise<TokenAndFamily> {
    const actors = await Promise.all(actor_tokens.split(' ').map((name) => this.#originNamed(name)))
    if (actors.every(({ state }) => state === 'live')) return found
    return { ...found, token: { ...found.token, revoked: 'true' } }
  }

  /** What became of the token of a name that nameOfOrigin made of its stored form. */
  async #originNamed(name: string): Promise<TokenOrigin> {
    const { token, is_jwt } = originNamed(name)
    return originOf(await this.#access.readHash(this.#access.keys.storedToken(token)), is_jwt)
  }

  #actorOf({ token, is_jwt }: ProvenToken): string {
    return nameOfOrigin({ token: this.#access.keys.stored(token), is_jwt })
  }

  #keysOf(family: FamilyId): string[] {
    const { keys } = this.#access
    return [keys.family(family), keys.familyIndex(family), keys.derivedTokens(family)]
  }

  // Scripts put the secret part of another token of the family in its place.
  #anyToken(family: FamilyId): string {
    return this.#access.keys.storedToken(`${family}.${'0'.repeat(43)}`)
  }
}
