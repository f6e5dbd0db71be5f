import type { Client } from '../clients/record/client-record.ts'
import type { ClientId } from '../core/ids.ts'
import type { Parameters } from '../core/parameters.ts'
import { scopeNames } from '../core/scope.ts'
import { codeForm } from '../core/visible-text.ts'
import type { CheckedDetail } from '../details/check-details.ts'
import type { Detail } from '../details/read-details.ts'
import type { AskingClient } from '../pages/ask-consent.ts'
import type { AskingDevice } from '../pages/device-consent.ts'
import type { Resource } from '../resources/resource-record.ts'
import type { Session } from '../sessions/session.ts'
import { type ConsentRecord, detailName, isDetailName, isResourceName, rememberedDetails } from './consent.ts'
import { type DescribedClient, describedClient } from './described-client.ts'
import { digestOfAsked, type PendingProgress } from './pending-record.ts'

const STAY = 'offline_access'

/** The problem of a consent page on which another code than that of the device was typed. */
export const WRONG_CODE = 'user_code'

/** The user is asked whether the client may have what it requests. */
export interface ConsentStep {
  readonly step: 'consent'
  readonly client_id: ClientId
  /** What the page asks about: scope names, and those of the resources (`consentName`) and details (`detailName`). */
  readonly names: readonly string[]
  readonly resources: readonly Resource[]
  /** What the client asks for in detail. */
  readonly details: readonly CheckedDetail[]
  /** The names without which there is no consent: only all or nothing can be allowed of them. */
  readonly required: readonly string[]
  /** The claims that the client requests by name, of the scopes among the names (OpenID Connect Core §5.5). */
  readonly claims: readonly string[]
  /** The names that the user allowed this client before, as it describes itself now; undefined: nothing is remembered. */
  readonly allowed: string | undefined
  /** The details among them, by their names. */
  readonly remembered: ReadonlyMap<string, Detail>
  /** What the page says of a client that describes itself. */
  readonly described?: DescribedClient
  /** The device that asks; absent: the client asks in the browser. */
  readonly device?: AskingDevice
  /** What the client asks from elsewhere; absent: the person is there. */
  readonly ask?: AskingClient
}

/** A request for the consent of a user. */
export interface AskedConsent {
  readonly client: Client
  /** Where the answer goes; absent: to a device. */
  readonly redirect_uri?: string
  /** Scope names, and those of the resources. */
  readonly names: readonly string[]
  readonly resources: readonly Resource[]
  /** As in ConsentStep; absent: none. */
  readonly details?: readonly CheckedDetail[] | undefined
  /** As in ConsentStep; absent: none. */
  readonly claims?: readonly string[]
  readonly device?: AskingDevice
  readonly ask?: AskingClient
}

/**
 * Returns what a user is asked for, and what the user allowed before. Every path to a consent goes through here.
 * @param remembered the consent of the user; absent: there is none, or only hasAgreed needs the step
 */
export function consentStep(asked: AskedConsent, remembered?: ConsentRecord): ConsentStep {
  const { client, redirect_uri, resources, details = [], claims = [], device, ask } = asked
  const names = [...asked.names, ...details.map(detailName)]
  const described = describedClient(client, redirect_uri, remembered)
  const is_as_known = described === undefined || described.history.state === 'unchanged'
  const stays = described !== undefined && client.refresh_tokens === 'always'
  const known = is_as_known ? remembered : undefined
  return {
    step: 'consent',
    client_id: client.client_id,
    names: stays ? withStay(names) : names,
    required: requiredOf(names, stays),
    resources,
    details,
    claims,
    allowed: known?.scope,
    remembered: known === undefined ? new Map() : rememberedDetails(known),
    ...(described && { described }),
    ...(device && { device }),
    ...(ask && { ask }),
  }
}

// Its access outlives the visit without the scope, too, and no operator decided so: the page says it (OpenID Connect Core
// §11).
const withStay = (names: readonly string[]) => [...new Set([...names, STAY])]

// Without `openid` it is no authentication (OpenID Connect Core §3.1.2.1), and the client could not say who signed in. The
// tokens of a client that stays in any case outlive the visit, whatever the scope says.
function requiredOf(names: readonly string[], stays: boolean): string[] {
  const required = names.filter((name) => name === 'openid' || isResourceName(name) || isDetailName(name))
  return [...required, ...(stays ? [STAY] : [])]
}

/** A digest of what the page of a step asks about, and of what it says of the client. */
export function askedBy({ names, described, ask }: ConsentStep): string {
  return digestOfAsked(
    [...names, ...(ask?.message ? [`message:${ask.message}`] : [])],
    described?.description,
  )
}

/** Whether an answer has the code that the device shows, where it must be typed. */
export function hasTypedCode({ device }: ConsentStep, { user_code = '' }: Parameters): boolean {
  return !device?.is_typed || codeForm(user_code) === codeForm(device.user_code)
}

/** Whether the user of a session allowed what the step asks about, on a page that said the same of the client. */
export function hasAgreed(
  pending: Pick<PendingProgress, 'agreed' | 'asked'> | undefined,
  { sid }: Pick<Session, 'sid'>,
  step: ConsentStep,
): boolean {
  return pending?.agreed === sid && pending.asked === askedBy(step)
}

/** How many objects of details a consent remembers, and in how many bytes, besides those that it was given for. */
const MAX_REMEMBERED = 20
const MAX_REMEMBERED_BYTES = 8192

/**
 * What the client may have once the user allowed a step, but for some of its names and what is asked each time. Of details
 * that were allowed before, the last ones stay.
 */
export function consentedBy(
  { allowed = '', remembered, names, details }: ConsentStep,
  left_out: ReadonlySet<string>,
): Pick<ConsentRecord, 'scope' | 'details'> {
  const kept = lastOf(remembered)
  const asked = new Map(details.map((one) => [detailName(one), one]))
  const stays = (name: string) => !left_out.has(name) && (asked.get(name)?.type.remember ?? true)
  const before = scopeNames(allowed).filter((name) => !isDetailName(name) || kept.has(name))
  const consented = scopeNames([...before, ...names].join(' ')).filter(stays)
  const objects = consented.flatMap((name): [string, Detail][] => {
    const detail = asked.get(name)?.detail ?? kept.get(name)
    return detail === undefined ? [] : [[name, detail]]
  })
  return {
    scope: consented.join(' '),
    ...(objects.length > 0 && { details: JSON.stringify(Object.fromEntries(objects)) }),
  }
}

function lastOf(remembered: ReadonlyMap<string, Detail>): ReadonlyMap<string, Detail> {
  let bytes = 0
  const last = [...remembered].slice(-MAX_REMEMBERED).toReversed()
  const first_left_out = last.findIndex(([, detail]) => {
    bytes += Buffer.byteLength(JSON.stringify(detail))
    return bytes > MAX_REMEMBERED_BYTES
  })
  return new Map((first_left_out < 0 ? last : last.slice(0, first_left_out)).toReversed())
}

// A bit for each of the sorted names: the sealed request has to fit into a request line, and the names may fill half of it.
/** Notes which names of a step the user left out; undefined: none. */
export function formatLeftOut({ names }: ConsentStep, left_out: ReadonlySet<string>): string | undefined {
  if (left_out.size === 0) return undefined
  const bits = Buffer.alloc(Math.ceil(names.length / 8))
  for (const [place, name] of names.toSorted().entries())
    if (left_out.has(name)) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  return bits.toString('base64url')
}

/** Returns the names that the user left out of a step that hasAgreed. */
export function readLeftOut({ names }: Pick<ConsentStep, 'names'>, left_out = ''): ReadonlySet<string> {
  const bits = Buffer.from(left_out, 'base64url')
  return new Set(names.toSorted().filter((_, place) => ((bits[place >> 3] ?? 0) >> (place & 7)) & 1))
}
