import type { Settings } from '../config/settings.ts'
import { hasProviders } from '../config/sign-in-ways.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { type JwtRefusal, refusedFor } from '../core/jwt-refusal.ts'
import { signalKeysAway, signalRefused } from '../core/signal-errors.ts'
import { isUsed, useOnce } from '../interaction/use-once.ts'
import type { IssuerRegistry } from '../issuers/issuer-registry.ts'
import type { KeySets } from '../issuers/key-sets.ts'
import { readJwt } from '../keys/jwt-reader.ts'
import { KeySetUnavailable } from '../keys/published-keys.ts'
import { findProvider } from '../providers/find-providers.ts'
import { type EndContext, endByIssuer, endByProvider, type MeantPerson } from './end.ts'
import { endsIn, type SaidEnd } from './ended-by.ts'
import { MAX_AGE, MAX_LENGTH, type SignalSource, verifySet } from './verify-set.ts'

/** What it takes to end what others say is over. */
export interface SignalContext extends EndContext {
  readonly settings: EndContext['settings'] & Pick<Settings, 'issuer' | 'sign_in' | 'trusted_issuers'>
  readonly issuers: Pick<IssuerRegistry, 'find'>
  readonly key_sets: Pick<KeySets, 'find'>
  readonly report: ReportEvent
}

const UNKNOWN: JwtRefusal = refusedFor('claims', 'nobody whose signals are taken is its issuer')

/**
 * Ends what a provider says is over, of what began by it (RFC 8935 §2).
 * @throws SignalRefused if the token is refused; OAuthError, StorageUnavailable: to be sent again
 */
export async function receiveFromProvider(context: SignalContext, name: string, jwt: string): Promise<void> {
  const provider = hasProviders(context.settings) ? await findProvider(context, name) : undefined
  if (!provider?.signals) throw signalRefused('invalid_issuer', UNKNOWN)
  const { issuer, kind, client_id, signals_audience = client_id } = provider
  const source: SignalSource = {
    ...{ issuer, audience: signals_audience, is_untyped: kind === 'google' },
    findKey: (kid, alg) =>
      context.key_sets
        .find({ issuer }, kid, alg)
        .catch(keysAway((error) => signalKeysAway('provider', name, error))),
  }
  await take(context, { source, from: { provider: name }, jwt }, (said) =>
    endByProvider(context, provider, said),
  )
}

/** Likewise of a trusted issuer, whom the token names: what its assertions gave ends. @throws as receiveFromProvider */
export async function receiveFromIssuer(context: SignalContext, jwt: string): Promise<void> {
  const read = readJwt(jwt, MAX_LENGTH)
  if (typeof read === 'string') throw signalRefused('invalid_request', refusedFor('malformed', read))
  const { iss } = read.claims
  const is_on = context.settings.trusted_issuers && typeof iss === 'string'
  const record = is_on ? await context.issuers.find(iss) : undefined
  if (!record?.signals) throw signalRefused('invalid_issuer', UNKNOWN)
  const { issuer, audience = context.settings.issuer, algorithms } = record
  const source: SignalSource = {
    ...{ issuer, audience, algorithms },
    findKey: (kid, alg) =>
      context.key_sets
        .find(record, kid, alg)
        .catch(keysAway((error) => signalKeysAway('issuer_keys', issuer, error))),
  }
  await take(context, { source, from: { issuer }, jwt }, (said) => endByIssuer(context, record, said))
}

const keysAway =
  (refusal: (error: KeySetUnavailable) => Error) =>
  (error: unknown): never => {
    throw error instanceof KeySetUnavailable ? refusal(error) : error
  }

/** Who sent a token, as the record is named. */
type From = { readonly provider: string } | { readonly issuer: string }

interface Received {
  readonly source: SignalSource
  readonly from: From
  readonly jwt: string
}

const METHOD = 'signal'

/** Does once what a token says. */
async function take(
  context: SignalContext,
  { source, from, jwt }: Received,
  end: (said: SaidEnd) => Promise<MeantPerson | undefined>,
): Promise<void> {
  const set = await verifySet(source, jwt, context.now())
  const ends = endsIn(set, context.now())
  const once = JSON.stringify([from, set.jti])
  // What ends nothing leaves nothing in storage, and may come as often as it likes.
  if (ends.length === 0 || (await isUsed(context, METHOD, once))) return
  const events: SecurityEvent[] = []
  for (const said of ends) {
    const person = await end(said)
    if (person !== undefined) events.push({ event: 'signal_taken', signal: said.signal, ...from, ...person })
  }
  if (events.length === 0) return
  // Only now it counts as done: if this is interrupted, the other side sends it again, and that ends nothing newer.
  const seconds = set.iat + MAX_AGE - context.now() / 1000
  if (await useOnce(context, METHOD, once, seconds)) for (const event of events) context.report(event)
}
