import { isObject } from '../core/json.ts'
import { isLoopbackHost, isUrl } from '../core/uri.ts'
import { streamRequestMalformed } from './errors.ts'
import { OFFERED_EVENTS } from './offered-events.ts'
import { DELIVERY_METHODS, STREAM_STATUSES, type StreamStatus } from './stream-record.ts'

/** How a receiver wants its tokens. */
export type GivenDelivery =
  | { readonly method: 'poll' }
  | { readonly method: 'push'; readonly endpoint_url: string; readonly authorization_header?: string }

/** What a receiver supplies of the configuration of its stream (SSF 1.0, Stream Configuration). */
export interface StreamConfiguration {
  readonly delivery?: GivenDelivery
  /** Those that are offered; others are ignored. */
  readonly events_requested?: readonly string[]
  readonly description?: string
}

/** What a receiver sends to change the status of its stream. */
export interface StatusRequest {
  readonly stream_id: string
  readonly status: StreamStatus
  readonly reason: string | undefined
}

const MAX_DESCRIPTION = 200
const MAX_URL = 2048
const MAX_HEADER = 4096
const MAX_EVENTS = 100
const MAX_REASON = 200

type Members = Readonly<Record<string, unknown>>

/** Returns the members of a body. @throws OAuthError `invalid_request` if it is no JSON object */
export function membersOf(body: unknown): Members {
  if (!isObject(body)) throw streamRequestMalformed('Send a JSON object as application/json.')
  return body
}

/** Returns a text of a body. @throws OAuthError `invalid_request` if it is none */
export function textOf(body: Members, name: string, max = MAX_URL): string {
  const text = optionalText(body, name, max)
  if (text === undefined) throw streamRequestMalformed(`${name} is missing.`)
  return text
}

/** As textOf, for one that may be missing. */
export function optionalText(body: Members, name: string, max: number): string | undefined {
  const value = own(body, name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '' || value.length > max)
    throw streamRequestMalformed(`${name} must be a text of 1 to ${max} characters.`)
  return value
}

/** Reads what a receiver supplies of the configuration. @throws OAuthError `invalid_request` */
export function readConfiguration(body: Members): StreamConfiguration {
  const delivery = own(body, 'delivery')
  const events = own(body, 'events_requested')
  const given = own(body, 'description')
  if (given !== undefined && typeof given !== 'string')
    throw streamRequestMalformed('description must be a text.')
  return {
    ...(delivery !== undefined && { delivery: readDelivery(delivery) }),
    ...(events !== undefined && { events_requested: readEvents(events) }),
    // SSF 1.0: a long one may be cut.
    ...(given && { description: given.slice(0, MAX_DESCRIPTION).toWellFormed() }),
  }
}

function readEvents(events: unknown): string[] {
  if (!Array.isArray(events) || events.length > MAX_EVENTS || !events.every((one) => typeof one === 'string'))
    throw streamRequestMalformed(`events_requested must be a list of at most ${MAX_EVENTS} texts.`)
  return OFFERED_EVENTS.filter((uri) => events.includes(uri))
}

function readDelivery(delivery: unknown): GivenDelivery {
  const members = isObject(delivery) ? delivery : {}
  const method = own(members, 'method')
  if (method === DELIVERY_METHODS.poll) return { method: 'poll' }
  if (method !== DELIVERY_METHODS.push) {
    const known = Object.values(DELIVERY_METHODS)
    throw streamRequestMalformed(`method of delivery must be one of ${known.join(', ')}.`)
  }
  const endpoint_url = textOf(members, 'endpoint_url')
  const problem = urlProblem(endpoint_url)
  if (problem !== undefined) throw streamRequestMalformed(`endpoint_url ${problem}.`)
  const authorization_header = optionalText(members, 'authorization_header', MAX_HEADER)
  // RFC 9110 §5.5: it must not end the header, or begin another one.
  if (authorization_header !== undefined && !/^[\x21-\x7E][\x20-\x7E]*$/.test(authorization_header))
    throw streamRequestMalformed(
      'authorization_header must have visible characters of ASCII and spaces alone.',
    )
  return { method: 'push', endpoint_url, ...(authorization_header !== undefined && { authorization_header }) }
}

function urlProblem(url: string): string | undefined {
  const problem = 'must be an https URL, or http on loopback, without user name, password and fragment'
  if (!isUrl(url)) return problem
  const { protocol, hostname, username, password } = new URL(url)
  const is_encrypted = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return is_encrypted && username === '' && password === '' && !url.includes('#') ? undefined : problem
}

/**
 * Checks that what the transmitter supplies is as it is, if it is sent (SSF 1.0, Updating a Stream's Configuration).
 * @throws OAuthError `invalid_request`
 */
export function checkSupplied(
  body: Members,
  supplied: Members & { readonly events_delivered: readonly string[] },
) {
  for (const name of ['iss', 'aud', 'events_supported', 'events_delivered', 'min_verification_interval']) {
    const value = own(body, name)
    if (value === undefined) continue
    if (textForm(value) !== textForm(supplied[name]))
      throw streamRequestMalformed(
        `${name} is supplied by the transmitter: leave it out, or send what it is.`,
      )
  }
}

// Lists are sets here, and one audience is the same as a list of it.
function textForm(value: unknown): string {
  const list = Array.isArray(value) ? value : [value]
  return JSON.stringify(list.map((one) => JSON.stringify(one)).sort())
}

/** Reads a change of status. @throws OAuthError `invalid_request` */
export function readStatus(body: Members): StatusRequest {
  const stream_id = textOf(body, 'stream_id')
  const status = STREAM_STATUSES.find((one) => one === own(body, 'status'))
  if (status === undefined)
    throw streamRequestMalformed(`status must be one of ${STREAM_STATUSES.join(', ')}.`)
  return { stream_id, status, reason: optionalText(body, 'reason', MAX_REASON)?.toWellFormed() }
}

function own(body: Members, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined
}
