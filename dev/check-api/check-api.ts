import { verifiedAlg } from '../../src/core/algs.ts'
import { DEMO_SERVICE } from '../../src/demo/demo-clients.ts'
import { DEMO_USER } from '../../src/demo/demo-user.ts'
import { keySetTap } from '../key-set-tap.ts'
import { isListening } from '../listening.ts'
import type { DevParts } from '../parts.ts'
import { type Choice, chosen } from '../report/chosen.ts'
import { type Check, type CheckReport, found, type Result } from '../report/report.ts'
import { makeSpareKeys, type SpareKeys, signerOf } from '../spare-keys.ts'
import { type StartOptions, startParts } from '../start.ts'
import type { Tap } from '../taps.ts'
import { Api, isTaken, NoAnswer } from './api.ts'
import { API_CHECKS } from './checks.ts'
import { STRANGE_KEYS } from './signature-checks.ts'

/** Seconds. */
const WAIT = 60

/** What an API is checked with. */
export interface ApiToCheck extends Choice {
  /** The address of a route that needs a token. */
  readonly url: string
  /** Default: `GET`. What has a body is sent `{}`. */
  readonly method?: string
  /** The API as tokens name it (`aud`). Default: the issuer. */
  readonly resource?: string
  /** The scope that the route needs. Default: none, and scopes are not checked. */
  readonly scope?: string
  /** The client that got the tokens. Default: that of demo mode. */
  readonly client?: string
  /** The person whom tokens are about. Default: that of demo mode. */
  readonly user?: string
  /** Seconds to wait until the API answers. Default: 60. */
  readonly wait?: number
}

/** How an API is checked: with a server of its own, at the address that the API has for its issuer. */
export interface CheckApiOptions
  extends ApiToCheck,
    Pick<StartOptions, 'port' | 'host' | 'expose' | 'seed' | 'settings' | 'log_level'> {}

/**
 * Starts a server, calls an API with tokens that it must refuse and with tokens that it must take, and says what it did.
 * @throws ConfigError, Refusal if the server cannot start
 */
export async function checkApi(options: CheckApiOptions): Promise<CheckReport> {
  const { redmint, parts } = await startParts(options)
  try {
    return await checkApiAt(parts, options)
  } finally {
    await redmint.close()
  }
}

/** Checks an API with a server that runs. */
export async function checkApiAt(parts: DevParts, options: ApiToCheck): Promise<CheckReport> {
  const { keys, settings } = parts.fastify.redmint
  const algs = keys.publicKeys().flatMap(({ alg }) => verifiedAlg(alg) ?? [])
  const spare = await makeSpareKeys([...new Set(algs)])
  const api = new Api(
    {
      issuer: parts.issuer,
      url: options.url,
      method: options.method ?? 'GET',
      resource: options.resource ?? parts.issuer,
      scope: options.scope ?? '',
      client_id: options.client ?? DEMO_SERVICE.client_id,
      user: options.user ?? DEMO_USER,
      now: parts.clock.now,
    },
    signerOf(keys, settings.access_token_alg),
    spare,
  )
  const taps = [keySetTap(() => spare.published), strangeKeys(api, spare)]
  const removes = taps.map((tap) => parts.taps.add(tap))
  try {
    return await runAll(api, options)
  } finally {
    for (const remove of removes) remove()
  }
}

// A key of a stranger that can be fetched, for a header that names its address.
const strangeKeys = ({ signer }: Api, spare: SpareKeys): Tap => ({
  async before(request, reply) {
    if (request.url !== STRANGE_KEYS) return undefined
    return reply.send({ keys: [spare.jwk('unknown', signer.alg)] })
  },
})

async function runAll(api: Api, options: ApiToCheck): Promise<CheckReport> {
  const results: Result[] = []
  const stopped = await whyNot(api, options)
  if (stopped === undefined)
    for (const check of chosen(API_CHECKS, options))
      results.push({ check, outcome: await runOne(check, api) })
  return {
    command: 'check-api',
    url: options.url,
    results,
    ...(stopped !== undefined && { stopped }),
  }
}

/** Returns why nothing can be learned: the API takes no token at all. */
async function whyNot(api: Api, { url, wait = WAIT }: ApiToCheck): Promise<string | undefined> {
  if (!(await isListening(url, wait * 1000))) return `Nothing listens at ${new URL(url).origin}.`
  const answer = await api.ask(`Bearer ${api.token()}`).catch((error: Error) => error)
  if (answer instanceof Error) return answer.message
  const { issuer, resource, scope } = api.options
  return isTaken(answer)
    ? undefined
    : `The API answers ${answer.status} to a token that is right: its issuer must be ${issuer}, its audience ${resource}, and its scope ${scope || 'none'} (--resource, --scope). ${answer.challenge}`.trim()
}

async function runOne(check: Check<Api>, api: Api): Promise<Result['outcome']> {
  try {
    return await check.run(api)
  } catch (error) {
    if (error instanceof NoAnswer) return found(error.message)
    throw error
  }
}
