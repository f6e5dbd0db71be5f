import type { Settings } from '../config/settings.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { ClientId } from '../core/ids.ts'
import { isObject, parseObject } from '../core/json.ts'
import { type Parameters, parametersFrom } from '../core/parameters.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { isOpaqueToken } from '../core/token-string.ts'
import { type Created, type Kind, recordOf, type Write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** What precedes the id of a pushed request in its request_uri (RFC 9126 §2.2). */
export const REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:'

/** An authorization request that a client pushed (RFC 9126 §2). */
export interface PushedRecord {
  readonly client_id: ClientId
  /** The parameters of the request, without those that authenticated the client. */
  readonly parameters: Parameters
  /** The scope that was decided for it, if it left the scope out. */
  readonly default_scope?: string
  /** The subject of the user whom its id_token_hint is about; the hint itself is not kept. */
  readonly hinted_sub?: string
  /** Until when the request_uri can be presented, in milliseconds since 1970. */
  readonly expires_at: number
}

/**
 * Pushed authorization requests that were not answered. The id is a token string, whose family is that of the code.
 * A request is spent by removing it, so a request that storage lost is refused.
 */
export const PUSHED: Kind<PushedRecord> = { name: 'pushed', slot: 'family', format, parse }

function format({ client_id, parameters: all, default_scope, hinted_sub, expires_at }: PushedRecord): Hash {
  // In a field of its own, because JSON in JSON can have twice the bytes.
  const { authorization_details, ...parameters } = all
  return {
    client_id,
    parameters: JSON.stringify(parameters),
    ...(authorization_details !== undefined && { authorization_details }),
    ...(default_scope !== undefined && { default_scope }),
    ...(hinted_sub !== undefined && { hinted_sub }),
    expires_at: new Date(expires_at).toISOString(),
  }
}

function parse(hash: Hash): Parsed<PushedRecord> {
  const fields = new FieldReader(hash)
  const client_id = fields.required('client_id')
  const given = parseObject(fields.required('parameters'))
  const expires_at = Date.parse(fields.required('expires_at'))
  const authorization_details = fields.optional('authorization_details')
  const parameters = isParameters(given)
    ? parametersFrom(given, authorization_details === undefined ? {} : { authorization_details })
    : undefined
  if (parameters === undefined) fields.fail('parameters', 'must be a JSON object of strings')
  if (Number.isNaN(expires_at)) fields.fail('expires_at', 'must be a time')
  if (fields.problems.length > 0 || parameters === undefined) return { ok: false, problems: fields.problems }
  // Empty: it has no scope. Absent: it names one.
  const { default_scope } = hash
  const hinted_sub = fields.optional('hinted_sub')
  const record = {
    client_id,
    parameters,
    ...(default_scope !== undefined && { default_scope }),
    ...(hinted_sub !== undefined && { hinted_sub }),
    expires_at,
  }
  return { ok: true, record }
}

function isParameters(given: unknown): given is Record<string, string> {
  return isObject(given) && Object.values(given).every((value) => typeof value === 'string')
}

/**
 * How long a pushed request is kept, in seconds: a user who presents it at the last moment may take the whole time of a
 * sign-in (RFC 9126 §4 demands only that it is valid when it is presented), and it must be there to be spent.
 */
export function keptFor({ par_ttl, sign_in_ttl }: Pick<Settings, 'par_ttl' | 'sign_in_ttl'>): number {
  return par_ttl + sign_in_ttl + CLOCK_SKEW
}

/**
 * Returns a pushed request that was not answered, whether or not it can still be presented; undefined if there is none.
 * @throws StorageUnavailable
 */
export async function findPushed({ storage }: PushedContext, id: string): Promise<PushedRecord | undefined> {
  return isOpaqueToken(id) ? recordOf(await storage.records.read(PUSHED, id)) : undefined
}

/**
 * Spends a pushed request, for one caller only, and writes records of its family in the same step. `exists`: it was
 * spent before, or its time is over.
 * @throws StorageUnavailable
 */
export async function spendPushed(
  { storage }: PushedContext,
  id: string,
  ...writes: readonly Write[]
): Promise<Created> {
  return (await storage.records.take(PUSHED, id, ...writes)) === undefined ? 'exists' : 'ok'
}

interface PushedContext {
  readonly storage: RecordStore
}
