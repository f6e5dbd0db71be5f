import { randomBytes } from 'node:crypto'
import type { Settings } from '../../config/settings.ts'
import { PATHS } from '../../core/paths.ts'
import { StoredKeyError } from '../../keys/wrap.ts'
import { send } from '../../outbound/operator-fetch.ts'
import { ARRIVAL_HEADER, type Arrival, expectArrival, takeArrival } from '../../service/arrivals.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import type { RecordStore, Storage } from '../../storage/storage.ts'

/** An address of nobody, which the request claims to come from (RFC 5737). */
const CLAIMED = '192.0.2.77'
const WITHIN_MS = 3000
const CHECK = 'forwarded headers'

/** Returns the finding about the proxy before the servers: a request from outside, and how it arrives. */
export async function arrivalFinding(
  storage: Pick<Storage, 'records' | 'sealing_keys'>,
  settings: Pick<Settings, 'issuer' | 'trace_context' | 'key_encryption_key'>,
): Promise<Finding> {
  try {
    const value = await expectArrival(storage, settings)
    return value === undefined ? judgeArrival(undefined) : await sendAndJudge(storage, settings, value)
  } catch (error) {
    if (!(error instanceof StoredKeyError)) throw error
    return findingsOf(CHECK).warning(`not known: ${error.message}`, 'Run it again afterwards.')
  }
}

/** Sends a request that servers expect, and judges how it arrived. */
async function sendAndJudge(
  store: RecordStore,
  { issuer, trace_context }: Pick<Settings, 'issuer' | 'trace_context'>,
  value: string,
): Promise<Finding> {
  const trace_id = randomBytes(16).toString('hex')
  const request_id = randomBytes(16).toString('hex')
  const response = await send(
    issuer + PATHS.openid_configuration,
    {
      headers: {
        [ARRIVAL_HEADER]: value,
        'x-forwarded-for': CLAIMED,
        'x-request-id': request_id,
        traceparent: `00-${trace_id}-${randomBytes(8).toString('hex')}-00`,
        'cache-control': 'no-cache',
      },
    },
    WITHIN_MS,
  )
  await response.body?.cancel()
  const arrival = await takeArrival(store, value)
  // With `all`, everybody may continue a trace.
  return judgeArrival(arrival, { request_id, ...(trace_context === 'proxy' && { trace_id }) })
}

/** Judges how a request arrived. @param claimed the trace and the id that it claimed and must not have */
function judgeArrival(
  arrival: Arrival | undefined,
  claimed: Partial<Pick<Arrival, 'trace_id' | 'request_id'>> = {},
): Finding {
  const { ok, warning, problem } = findingsOf(CHECK)
  if (arrival === undefined)
    return warning(
      'not known: a cache answered, or a server that has another Redis, is older or does not reach it',
      'Let no cache before redmint answer a request with Cache-Control: no-cache, and run it again.',
    )
  const { peer, is_forwarded, address, forwarded_for, forwarded_proto, host } = arrival
  const last = forwarded_for.split(',').at(-1)?.trim()
  if (!is_forwarded && last === '')
    return problem(
      `X-Forwarded-For does not arrive: all people have the address of the proxy, ${peer}`,
      `Let the proxy set X-Forwarded-For to the address that it sees, and set TRUSTED_PROXIES=${peer} in all servers.`,
    )
  if (!is_forwarded)
    return problem(
      `X-Forwarded-For of ${peer} does not count: all people have its address`,
      `Set TRUSTED_PROXIES=${peer} in all servers, and let the proxy replace X-Forwarded-For with the address that it sees.`,
    )
  if (last === CLAIMED)
    return problem(
      `${peer} passes on X-Forwarded-For as a client sends it: everybody passes for any address`,
      'Let the proxy replace X-Forwarded-For with the address that it sees.',
    )
  if (address === CLAIMED)
    return warning(
      `the request came from ${last}, which TRUSTED_PROXIES names, too: whoever is there passes for any address`,
      'Name the addresses of proxies alone in TRUSTED_PROXIES, and let them replace X-Forwarded-For.',
    )
  if (arrival.request_id === claimed.request_id)
    return problem(
      `${peer} passes on X-Request-Id as a client sends it: everybody names a request as another one is named`,
      'Let the proxy set the header itself, or remove TRUST_REQUEST_ID in all servers.',
    )
  if (arrival.trace_id === claimed.trace_id)
    return warning(
      `${peer} passes on traceparent as a client sends it: everybody can demand that requests are sampled`,
      'Let the proxy remove it, or set TRACE_CONTEXT=all if that is wanted.',
    )
  const others = `Host ${host || 'is missing'}, X-Forwarded-Proto ${forwarded_proto || 'is missing'}`
  return ok(
    `X-Forwarded-For of ${peer} counts, and says ${address}; ${others}: redmint needs neither, as all URLs come from ISSUER`,
  )
}
