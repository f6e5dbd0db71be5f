import type { AuditEntries } from '../../../core/audit-entries.ts'
import type { ClientId, FamilyId } from '../../../core/ids.ts'
import type { Hash } from '../../../core/record-hash.ts'
import { familyIn, newId } from '../../../core/token-string.ts'
import type { Derivation, Derived, DerivedToken, OriginsOfToken } from '../../derivation.ts'
import { StorageUnavailable } from '../../errors.ts'
import {
  type ClientToken,
  CODE_FACTS,
  CODE_KIND,
  type EndOutcome,
  type FamilyAndTokens,
  GRANT_FACTS,
  type GrantOnce,
  MAX_LIVE_TOKENS,
  type NewToken,
  type Presentation,
  type PresentedProof,
  type Redeemed,
  type Redemption,
  type Refresh,
  type Refreshed,
  type RevokedCounts,
  type TokenAndFamily,
  type TokenDetails,
  type TokenFamilies,
} from '../../families.ts'
import { codeDigest, refreshDigest } from '../../family-digests.ts'
import { familyOf, isFamilyId } from '../../family-ids.ts'
import { redeemedListings } from '../../listed-family.ts'
import type { Listing } from '../../lists.ts'
import type { Write } from '../../records.ts'
import { SINGLE_USE_KINDS, type SingleUse, type UsedBefore } from '../../single-use.ts'
import { flat, nonEmpty, type RedisAccess, unflat, valuesOf } from './access.ts'
import { ClientTokens } from './client-tokens.ts'
import { DerivedTokens } from './derived-tokens.ts'
import { joinApart, withLists } from './lists.ts'
import { Marking } from './marking.ts'
import { noteOf } from './noted-jwts.ts'
import { Operations } from './operations.ts'
import { recordArguments, recordKeys } from './records.ts'
import { revokeGrantedBefore } from './revoke-granted-before.ts'
import type { RefreshedAnswer } from './scripts.ts'
import { SingleUses } from './single-uses.ts'
import { withTrail } from './trail.ts'

/** Codes, tokens and families in Redis. Every call except `revokeGrantedBefore` is one command or script on one slot. */
export class RedisFamilies implements TokenFamilies {
  readonly #access: RedisAccess
  readonly #operations: Operations
  readonly #marking: Marking
  readonly #single_uses: SingleUses
  readonly #client_tokens: ClientTokens
  readonly #derived_tokens: DerivedTokens
  /** The entries of lists that are being added. */
  readonly #listing = new Set<Promise<unknown>>()

  constructor(access: RedisAccess) {
    this.#access = access
    const { write, run, waits, connection, log } = access
    this.#operations = new Operations({ run: write, withdraw: run, resends: !waits }, connection, log)
    this.#marking = new Marking(access)
    this.#single_uses = new SingleUses(access)
    this.#client_tokens = new ClientTokens(access)
    this.#derived_tokens = new DerivedTokens(access, this.#single_uses)
  }

  async redeemCode(code: string, redemption: Redemption): Promise<Redeemed> {
    const { operation, bound_to, refresh_token, access_token, target, confirmation } = redemption
    const tokens = [refresh_token, access_token].filter((token) => token !== undefined)
    const family = familyOf(code, ...tokens)
    if (family === undefined) return { outcome: 'missing' }
    const { client_id = '' } = bound_to
    const preparing = this.#single_uses.prepare(redemption.single_uses, family, operation, client_id)
    const uses = preparing instanceof Promise ? await preparing : preparing
    if ('outcome' in uses) return uses
    const { spansSlots } = this.#access.connection
    const note = noteOf(this.#access, redemption.noted)
    const bound: string[] = []
    for (const field of Object.keys(bound_to)) bound.push(field, bound_to[field] ?? '')
    const args = {
      operation,
      access_ttl: redemption.access_token_ttl,
      refresh_ttl: redemption.refresh_token_ttl,
      idle_ttl: redemption.idle_ttl,
      refresh_scope: redemption.refresh_scope,
      code_digest: codeDigest(code, bound_to),
      refresh_digest: refresh_token && refreshDigest(refresh_token),
      refresh_jti: this.#jtiOf(refresh_token),
      access_jti: this.#jtiOf(access_token),
      resource: target?.resource,
      audience: target?.audience,
      // A space stands for an empty list, which allows no name. The empty text allows any.
      scopes: target?.scopes && (target.scopes.join(' ') || ' '),
      ttls: uses.ttls,
      client_id,
      user_lists: spansSlots ? this.#access.keys.list({ list: 'grants-of-user', owner: '' }) : '',
      client_list: spansSlots ? this.#access.keys.list({ list: 'grants-of-client', owner: client_id }) : '',
      jkt: confirmation?.jkt,
      x5t: confirmation?.['x5t#S256'],
      binds_refresh: redemption.binds_refresh_token,
      details: detailsArgument(redemption.details),
      noted: note.noted,
      bound,
    }
    const answer = await this.#operations.run({
      script: 'redeem-code',
      withdrawal: 'withdraw-redemption',
      keys: this.#operationKeys(this.#access.keys.record(CODE_KIND, code), family, operation, tokens),
      single_uses: [...uses.keys, ...note.keys],
      args,
      argsAgain: () => args,
    })
    switch (answer[0]) {
      case 'ok': {
        const redeemed = codeOf(answer[1], bound_to)
        if (!spansSlots) this.#listApart(redeemedListings(family, redeemed, redemption, Date.now()))
        return { outcome: 'ok', code: redeemed }
      }
      case 'mismatch':
        return { outcome: 'mismatch', field: answer[1] }
      case 'used':
        return uses.usedBefore(answer[1])
      case 'target':
        return { outcome: 'target', resource: answer[1] }
      case 'details':
        return { outcome: 'details', details: answer[1] }
      case 'replayed':
        this.#marking.goOn(family, answer[1])
        return { outcome: 'replayed' }
      case 'withdrawn':
        throw new StorageUnavailable('the operation was withdrawn')
      default:
        return { outcome: answer[0] }
    }
  }

  async refresh(token: string, refresh: Refresh): Promise<Refreshed> {
    const { successor, access_token, operation, target, confirmation } = refresh
    // A token that stays in use takes the place of its successor.
    const tokens = [successor?.token ?? token, access_token].filter((one) => one !== undefined)
    const family = familyOf(token, ...tokens)
    if (family === undefined) return { outcome: 'missing' }
    const preparing = this.#single_uses.prepare(refresh.single_uses, family, operation, refresh.client_id)
    const uses = preparing instanceof Promise ? await preparing : preparing
    if ('outcome' in uses) return uses
    const note = noteOf(this.#access, refresh.noted)
    const args = {
      operation,
      again: false,
      client_id: refresh.client_id,
      asked: refresh.scope,
      allowed: refresh.allowed_scopes,
      refresh_scope: refresh.refresh_scope,
      retry_window: refresh.retry_window,
      idle_ttl: refresh.idle_ttl,
      access_ttl: refresh.access_token_ttl,
      max_live: MAX_LIVE_TOKENS,
      digest: refreshDigest(token),
      access_jti: this.#jtiOf(access_token),
      successor_jti: this.#jtiOf(successor?.token),
      answered: successor?.answered,
      resource: target?.resource,
      audience: target?.audience,
      ttls: uses.ttls,
      jkt: confirmation?.jkt,
      x5t: confirmation?.['x5t#S256'],
      binds_refresh: refresh.binds_refresh_token,
      details: detailsArgument(refresh.details),
      noted: note.noted,
    }
    const answer = await this.#operations.run({
      script: 'refresh-token',
      withdrawal: 'withdraw-refresh',
      keys: this.#operationKeys(this.#access.keys.token(token), family, operation, tokens),
      single_uses: [...uses.keys, ...note.keys],
      args,
      argsAgain: () => ({ ...args, again: true }),
    })
    switch (answer[0]) {
      case 'ok':
        return refreshed(answer, refresh)
      case 'target':
        return { outcome: 'target', resource: answer[1] }
      case 'details':
        return { outcome: 'details', details: answer[1] }
      case 'used':
        return uses.usedBefore(answer[1])
      case 'reused':
        this.#marking.goOn(family, answer[1])
        return { outcome: 'reused' }
      case 'withdrawn':
        throw new StorageUnavailable('the operation was withdrawn')
      default:
        return { outcome: answer[0] }
    }
  }

  newClientFamily(): FamilyId {
    return this.#client_tokens.newFamily()
  }

  async saveClientToken(given: ClientToken, ttl: number): Promise<void> {
    const { keys } = this.#access
    const { token, client_id, scope, audience, confirmation, issued_at } = given
    const jti = keys.stored(token)
    const fields: string[] = []
    if (audience) fields.push('audience', audience)
    if (confirmation) fields.push(...flat({ ...confirmation }))
    if (issued_at !== undefined) fields.push('issued_at', String(issued_at))
    await this.#client_tokens.save(keys.storedToken(jti), [
      ttl,
      jti,
      scope,
      client_id,
      fields.length,
      ...fields,
    ])
  }

  async grantOnce({ token, single_uses, user, confirmation, ...grant }: GrantOnce, told?: AuditEntries) {
    const { keys, write } = this.#access
    const family = familyOf(token)
    if (family === undefined) throw new TypeError('not a token string')
    const jti = keys.stored(token)
    const uses = await this.#single_uses.prepare(single_uses, family, jti, grant.client_id)
    if ('outcome' in uses) return uses
    const written = grant.is_jwt ? [] : [keys.storedToken(jti)]
    const note = noteOf(this.#access, grant.noted)
    const own_keys = [...this.#familyKeys(family), ...written, ...uses.keys, ...note.keys]
    const args = {
      jti,
      ttls: uses.ttls,
      access_ttl: grant.access_token_ttl,
      client_id: grant.client_id,
      scope: grant.scope,
      subject: user?.subject,
      audience: grant.audience,
      jkt: confirmation?.jkt,
      x5t: confirmation?.['x5t#S256'],
      is_jwt: grant.is_jwt,
      fields: flat(user?.fields ?? issuedAt(grant)),
      act: grant.act,
      noted: note.noted,
    }
    const position = await withTrail(this.#access, own_keys[1] ?? '', told, (trail) =>
      withLists(this.#access, user?.lists ?? [], (lists) =>
        write('grant-once', [...own_keys, ...lists.keys, ...trail.keys], {
          ...args,
          entries: trail.args,
          lists: lists.args,
        }),
      ),
    )
    return position < 0 ? 'ok' : uses.usedBefore(position)
  }

  deriveToken(derivation: Derivation, told?: AuditEntries): Promise<Derived> {
    return this.#derived_tokens.derive(derivation, told)
  }

  async presentToken(
    { token, type, client_id, single_uses }: Presentation,
    told?: AuditEntries,
  ): Promise<'ok' | 'ended' | UsedBefore> {
    const family = familyOf(token)
    if (family === undefined) return 'ended'
    const operation = newId()
    const uses = await this.#single_uses.prepare(single_uses, family, operation, client_id)
    if ('outcome' in uses) return uses
    const own = this.#tokenKeys(token)
    const args = { operation, ttls: uses.ttls, client_id, is_refresh: type === 'refresh_token' }
    const [outcome, position] = await withTrail(this.#access, own[0] ?? '', told, (trail) =>
      this.#access.write('present-token', [...own, ...uses.keys, ...trail.keys], {
        ...args,
        entries: trail.args,
      }),
    )
    return outcome === 'used' ? uses.usedBefore(position) : outcome
  }

  readDerived(family: FamilyId): Promise<readonly DerivedToken[]> {
    return this.#derived_tokens.read(family)
  }

  readOrigins(token: string, record: Hash): Promise<OriginsOfToken> {
    return this.#derived_tokens.readOrigins(token, record)
  }

  endDerived(family: FamilyId, client_id: ClientId, told?: AuditEntries): Promise<number> {
    return this.#derived_tokens.end(family, client_id, told)
  }

  async useOnce(
    single_uses: readonly SingleUse[],
    client_id: ClientId,
    record?: Write,
  ): Promise<'ok' | UsedBefore> {
    const { keys, write, connection } = this.#access
    const operation = newId()
    const family = familyOf(single_uses[0]?.id ?? record?.id ?? '')
    if (family === undefined) throw new TypeError('the id of a record is not a token string')
    const records = record === undefined ? [] : [record]
    // First, because it throws for what cannot be written: nothing is used up then.
    const record_keys = recordKeys(keys, records)
    const uses = await this.#single_uses.prepare(single_uses, family, operation, client_id)
    if ('outcome' in uses) return uses
    // No script can change several slots of a Cluster.
    const apart = record !== undefined && !connection.spansSlots && familyOf(record.id) !== family
    const position = await write('use-once', [...uses.keys, ...(apart ? [] : record_keys)], {
      operation,
      ttls: uses.ttls,
      client_id,
      ids: uses.keys.length,
      records: recordArguments(apart ? [] : records),
    })
    if (position >= 0) return uses.usedBefore(position)
    if (apart)
      await write('put-records', record_keys, {
        entries: [],
        words: [],
        lists: [],
        records: recordArguments(records),
      })
    return 'ok'
  }

  async saveRevokedToken(token: NewToken, expires_at: Date, told?: AuditEntries): Promise<'ok' | 'again'> {
    const { keys, write } = this.#access
    const fields = flat({ jti: keys.stored(token.token), ...token.fields })
    const args = { expires: expires_at.getTime(), fields }
    const key = keys.token(token.token)
    return withTrail(this.#access, key, told, (trail) =>
      write('save-revoked-token', [key, ...trail.keys], { ...args, entries: trail.args }),
    )
  }

  async findToken(token: string): Promise<Hash | undefined> {
    return (await this.findTokenAndFamily(token)).token
  }

  async findTokenAndFamily(token: string): Promise<TokenAndFamily> {
    if (familyOf(token) === undefined) return { token: undefined, family: undefined }
    const [own, family] = await this.#access.run('find-token-and-family', this.#tokenKeys(token), {})
    return this.#found(token, own, family)
  }

  async findTokensAndFamilies(tokens: readonly string[]): Promise<TokenAndFamily[]> {
    if (tokens.length === 0) return []
    const keys = tokens.flatMap((token) => this.#tokenKeys(token))
    const found = await this.#access.run('find-tokens-and-families', keys, {})
    return Promise.all(
      found.map(([own, family], i) => this.#found(tokens[i] ?? '', listOf(own), listOf(family))),
    )
  }

  async findTokenByProof(
    token: string,
    { single_use, jkt }: PresentedProof,
    is_jwt: boolean,
  ): Promise<TokenAndFamily | UsedBefore> {
    if (familyOf(token, single_use.id) === undefined) return { token: undefined, family: undefined }
    const { keys, write } = this.#access
    const answer = await write(
      'find-token-by-proof',
      [...this.#tokenKeys(token), keys.record(SINGLE_USE_KINDS[single_use.kind], single_use.id)],
      { operation: newId(), ttl: single_use.ttl, jkt, is_jwt },
    )
    if (answer.length === 1) return { outcome: 'used', kind: single_use.kind }
    const [own, found] = answer
    return this.#found(token, own, found)
  }

  async findFamily(family: FamilyId): Promise<Hash | undefined> {
    return isFamilyId(family) ? this.#access.readHash(this.#access.keys.family(family)) : undefined
  }

  async readFamily(family: FamilyId, max: number): Promise<FamilyAndTokens> {
    if (!isFamilyId(family)) return { family: undefined, tokens: [] }
    const [found, tokens] = await this.#access.run('read-family', this.#familyKeys(family), { max })
    // An empty table of Lua is an object in JSON.
    const live = Array.isArray(tokens) ? tokens.map(unflat).filter(({ type }) => type !== undefined) : []
    return { family: nonEmpty(unflat(found)), tokens: live }
  }

  async revokeToken(
    token: string,
    client_id?: ClientId,
    told?: AuditEntries,
  ): Promise<EndOutcome | 'mismatch'> {
    const family = familyOf(token)
    if (family === undefined) return 'missing'
    const keys = this.#tokenKeys(token)
    const args = { digest: refreshDigest(token), client: client_id === undefined ? [] : [client_id] }
    const [outcome, more] = await withTrail(this.#access, keys[0] ?? '', told, (trail) =>
      this.#access.write('revoke-token', [...keys, ...trail.keys], { ...args, entries: trail.args }),
    )
    this.#marking.goOn(family, more)
    return outcome
  }

  async revokeFamily(family: FamilyId, told?: AuditEntries): Promise<EndOutcome> {
    if (!isFamilyId(family)) return 'missing'
    const keys = this.#familyKeys(family)
    const [outcome, more] = await withTrail(this.#access, keys[0] ?? '', told, (trail) =>
      this.#access.write('revoke-family', [...keys, ...trail.keys], { entries: trail.args }),
    )
    this.#marking.goOn(family, more)
    return outcome
  }

  async endFamily(family: FamilyId, ttl: number, told?: AuditEntries): Promise<EndOutcome> {
    if (!isFamilyId(family)) return 'missing'
    const keys = this.#familyKeys(family)
    const [outcome, more] = await withTrail(this.#access, keys[0] ?? '', told, (trail) =>
      this.#access.write('end-family', [...keys, ...trail.keys], { ttl, entries: trail.args }),
    )
    this.#marking.goOn(family, more)
    return outcome
  }

  async revokeGrantedBefore(time: number): Promise<RevokedCounts> {
    return revokeGrantedBefore(this.#access, this.#marking, time)
  }

  /** Waits a short time for what is under way, and then gives up. */
  async close(): Promise<void> {
    await Promise.all([this.#operations.close(), this.#marking.close(), ...this.#listing])
  }

  /** In a Cluster lists are in other slots: no answer waits for them, and the daily repair adds what is missing. */
  #listApart(listings: readonly Listing[]): void {
    const added: Promise<unknown> = joinApart(this.#access, listings)
      .catch(() => {})
      .finally(() => this.#listing.delete(added))
    this.#listing.add(added)
  }

  // The jti as the record has it.
  #jtiOf(token: string | undefined): string | undefined {
    return token && this.#access.keys.stored(token)
  }

  #found(presented: string, own: string[], family: string[]): TokenAndFamily | Promise<TokenAndFamily> {
    const token = this.#presented(presented, nonEmpty(unflat(own)))
    const found = { token, family: nonEmpty(unflat(family)) }
    return token?.actor_token === undefined ? found : this.#derived_tokens.withActor(found, token.actor_token)
  }

  // With hashed tokens the record has a hashed jti: returns the jti that the caller presented.
  #presented(token: string, hash: Hash | undefined): Hash | undefined {
    if (hash === undefined || hash.jti === token) return hash
    return hash.jti === this.#access.keys.stored(token) ? Object.assign({}, hash, { jti: token }) : hash
  }

  #tokenKeys(token: string): string[] {
    // The first key is made of a token string alone.
    return [this.#access.keys.token(token), ...this.#familyKeys(familyIn(token))]
  }

  #familyKeys(family: string): string[] {
    return [this.#access.keys.family(family), this.#access.keys.familyIndex(family)]
  }

  #operationKeys(spent: string, family: string, operation: string, written: readonly string[]): string[] {
    const mark = this.#access.keys.withdrawn(family, operation)
    return [
      spent,
      ...this.#familyKeys(family),
      mark,
      ...written.map((token) => this.#access.keys.token(token)),
    ]
  }
}

// An empty table of Lua is an object in JSON.
const listOf = (flat: string[]) => (Array.isArray(flat) ? flat : [])

/** Returns the fields of a redeemed code: those that it is bound to, which the attempt has, too, and its facts. */
function codeOf(facts: readonly (string | false)[], bound_to: Redemption['bound_to']): Hash {
  const code = valuesOf(CODE_FACTS, facts)
  for (const [field, value] of Object.entries(bound_to)) if (value) code[field] = value
  return code
}

/** Returns the field of a token that says when it was issued, if it is to say it. */
function issuedAt({ issued_at }: Pick<GrantOnce, 'issued_at'>): Hash {
  return issued_at === undefined ? {} : { issued_at: String(issued_at) }
}

/** Returns the details of an access token as scripts take them. */
function detailsArgument(details: TokenDetails | undefined): string | undefined {
  return details === 'asked' ? '?' : details?.text
}

/** Reads the answer of a refresh. A token that was not spent before is spent now, if it has a successor. */
function refreshed([, scope, facts, operation, answered]: RefreshedAnswer, refresh: Refresh): Refreshed {
  const answer = { outcome: 'ok', family: valuesOf(GRANT_FACTS, facts), scope } as const
  if (operation && answered) return { spent: { operation, answered }, ...answer }
  const { successor } = refresh
  if (successor === undefined) return answer
  return { spent: { operation: refresh.operation, answered: successor.answered }, ...answer }
}
