import type { FastifyRequest } from 'fastify'
import { describedItself } from '../src/clients/keys/client-keys.ts'
import type { Context } from '../src/context.ts'
import type { Channel, EventActor, Origin } from '../src/core/audit-entries.ts'
import { type Endpoint, endpointOf } from '../src/core/endpoints.ts'
import type { ReportEvent } from '../src/core/events.ts'
import type { ClientId } from '../src/core/ids.ts'
import { isObject } from '../src/core/json.ts'
import { routePrefix } from '../src/core/paths.ts'
import type { OnRefusal, RefusalFacts } from '../src/core/refusal.ts'
import { loggedFacts, shownFacts } from '../src/core/shown-facts.ts'
import { isOfThirdParty, notedFault } from '../src/core/third-parties.ts'
import { decodeJwt } from '../src/keys/jwt-reader.ts'
import { countRefusal } from '../src/service/counts.ts'
import { reporter } from '../src/service/reporter.ts'
import { clientAddress } from './address.ts'
import { basicUsernameOf } from './basic-auth.ts'

/** Returns the context for a request: its lines of the log have the id of the request. */
export function contextOf(request: FastifyRequest): Context {
  const { redmint } = request.server
  const at = redmint.now()
  return redmint.forRequest({
    began: () => at,
    log: request.log,
    request_id: request.id,
    report: reportOf(request),
    refused: refusedOf(request),
  })
}

/** Tells that a request is refused. */
export function refusedOf(request: FastifyRequest): OnRefusal {
  return (refusal) => {
    const { counts, refusals } = request.server.redmint
    const endpoint = endpointOfRequest(request)
    countRefusal(counts, endpoint, refusal.reason)
    const { says, ...told } = refusal
    if (says !== undefined) request.log.info(reasonOf(told, request), says)
    if (isOfThirdParty(refusal.reason)) noteFault(refusal, request, endpoint)
    if (refusals.listenerCount('refused') === 0) return
    refusals.emit('refused', {
      ...refusal,
      id: request.id,
      trace_id: request.trace_id,
      endpoint,
      sent_client: sentClient(request, endpoint),
    })
  }
}

/**
 * Notes a fault of a third party. Who registers itself could name a thousand hosts that do not answer: that is not
 * noted.
 */
function noteFault(
  { reason, received, client_id }: RefusalFacts,
  request: FastifyRequest,
  endpoint: Endpoint,
): void {
  const { clients, outcomes, now } = request.server.redmint
  const fault = notedFault(reason, received)
  if (fault === undefined) return
  const client =
    fault.party === 'client_keys'
      ? clients.cached(client_id ?? sentClient(request, endpoint) ?? '')
      : undefined
  if (client === undefined || !describedItself(client)) outcomes.failed(fault, now())
}

/** What lines of the log say of a refusal, so that it can be explained from them alone. */
export function reasonOf({ reason, client_id, received, expected }: RefusalFacts, request: FastifyRequest) {
  const endpoint = endpointOfRequest(request)
  const client = client_id ?? registeredClient(request, endpoint)
  return {
    reason,
    endpoint,
    ...(client !== undefined && { client_id: client }),
    // What is said of a third party is of redmint, and of no stranger.
    received: isOfThirdParty(reason) ? shownFacts(received) : loggedFacts(received, expected),
    expected: shownFacts(expected),
  }
}

/** The endpoints of routes, by the `config` that each has for itself. */
const endpoints = new WeakMap<object, Endpoint>()

/** The endpoint that a request is for. */
export function endpointOfRequest({ routeOptions: { url, config }, server }: FastifyRequest): Endpoint {
  if (url === undefined) return 'other'
  const known = endpoints.get(config)
  if (known !== undefined) return known
  const prefix = routePrefix(server.redmint.settings)
  const endpoint = endpointOf(url.startsWith(prefix) ? url.slice(prefix.length) : url)
  endpoints.set(config, endpoint)
  return endpoint
}

const PAGES: ReadonlySet<Endpoint> = new Set([
  'interaction',
  'device',
  'account',
  'link_pages',
  'console',
  'other',
])

/** The client_id that a request has, however it names its client; it may be that of no client. */
function sentClient(request: FastifyRequest, endpoint: Endpoint): string | undefined {
  // The forms of pages do not name it.
  if (PAGES.has(endpoint)) return undefined
  const { body, query } = request
  for (const given of [body, query]) {
    if (!isObject(given)) continue
    if (typeof given.client_id === 'string') return given.client_id
    const { client_assertion } = given
    const sub = typeof client_assertion === 'string' ? decodeJwt(client_assertion)?.claims.sub : undefined
    if (typeof sub === 'string') return sub
  }
  return basicUsernameOf(request)
}

/** Returns the client_id that a request has, if it is that of a client: what else was sent for it is in no log. */
export function registeredClient(
  request: FastifyRequest,
  endpoint: Endpoint = endpointOfRequest(request),
): ClientId | undefined {
  const sent = sentClient(request, endpoint)
  return sent === undefined ? undefined : request.server.redmint.clients.cached(sent)?.client_id
}

/**
 * Reports events of a request, with its id and the client's address.
 * @param more what else their lines have
 * @param actor who asks; absent: whoever the event is about
 */
export function reportOf(request: FastifyRequest, more: object = {}, actor?: EventActor): ReportEvent {
  const remoteAddress = clientAddress(request)
  const origin = (): Origin => ({
    ...(actor && { actor }),
    channel: channelOf(request),
    address: remoteAddress,
    request_id: request.id,
    trace_id: request.trace_id,
    user_agent: request.headers['user-agent'],
  })
  return reporter(request.server.redmint, request.log, { remoteAddress, ...more }, origin)
}

function channelOf(request: FastifyRequest): Channel {
  const endpoint = endpointOfRequest(request)
  if (endpoint === 'account') return 'account'
  return PAGES.has(endpoint) || endpoint === 'authorize' || endpoint === 'logout' ? 'page' : 'protocol'
}
