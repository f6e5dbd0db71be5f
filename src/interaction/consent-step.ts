import type { Client } from '../clients/record/client-record.ts'
import type { ClientId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import type { AskingDevice } from '../pages/device-consent.ts'
import type { Resource } from '../resources/resource-record.ts'
import type { Session } from '../sessions/session.ts'
import type { ConsentRecord } from './consent.ts'
import { type DescribedClient, describedClient } from './described-client.ts'
import { digestOfAsked, type Progress } from './pending-record.ts'

/** The user is asked whether the client may have what it requests. */
export interface ConsentStep {
  readonly step: 'consent'
  readonly client_id: ClientId
  /** What the page asks about: scope names, and those of the resources (`consentName`). */
  readonly names: readonly string[]
  readonly resources: readonly Resource[]
  /** The names that the user allowed this client before, as it describes itself now; undefined: nothing is remembered. */
  readonly allowed: string | undefined
  /** What the page says of a client that describes itself. */
  readonly described?: DescribedClient
  /** The device that asks; absent: the client asks in the browser. */
  readonly device?: AskingDevice
}

/** A request for the consent of a user. */
export interface AskedConsent {
  readonly client: Client
  /** Where the answer goes; absent: to a device. */
  readonly redirect_uri?: string
  /** Scope names, and those of the resources. */
  readonly names: readonly string[]
  readonly resources: readonly Resource[]
  readonly device?: AskingDevice
}

/**
 * Returns what a user is asked for, and what the user allowed before. Every path to a consent goes through here.
 * @param remembered the consent of the user; absent: there is none, or only hasAgreed needs the step
 */
export function consentStep(asked: AskedConsent, remembered?: ConsentRecord): ConsentStep {
  const { client, redirect_uri, names, resources, device } = asked
  const described = describedClient(client, redirect_uri, remembered)
  const is_as_known = described === undefined || described.history.state === 'unchanged'
  return {
    step: 'consent',
    client_id: client.client_id,
    names: described !== undefined && client.refresh_tokens === 'always' ? withStay(names) : names,
    resources,
    allowed: is_as_known ? remembered?.scope : undefined,
    ...(described && { described }),
    ...(device && { device }),
  }
}

// Its access outlives the visit without the scope, too, and no operator decided so: the page says it (OpenID Connect Core
// §11).
const withStay = (names: readonly string[]) => [...new Set([...names, 'offline_access'])]

/** A digest of what the page of a step asks about, and of what it says of the client. */
export function askedBy({ names, described }: ConsentStep): string {
  return digestOfAsked(names, described?.description)
}

/** Whether the user of a session allowed what the step asks about, on a page that said the same of the client. */
export function hasAgreed(
  pending: Pick<Progress, 'agreed' | 'asked'> | undefined,
  { sid }: Pick<Session, 'sid'>,
  step: ConsentStep,
): boolean {
  return pending?.agreed === sid && pending.asked === askedBy(step)
}

/** The names that the client may have once the user allowed a step. */
export function consentedBy({ allowed = '', names }: ConsentStep): string {
  return scopeNames(`${allowed} ${names.join(' ')}`).join(' ')
}
