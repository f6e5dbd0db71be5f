import type { Settings } from '../../src/config/settings.ts'
import { verifiedAlg } from '../../src/core/algs.ts'
import { PATHS } from '../../src/core/paths.ts'
import { DEMO_USER } from '../../src/demo/demo-user.ts'
import { ControlError } from '../control/control-error.ts'
import { runOperation } from '../control/operation.ts'
import { SIGN_IN } from '../control/sign-in.ts'
import { keySetTap } from '../key-set-tap.ts'
import { isListening } from '../listening.ts'
import type { DevParts } from '../parts.ts'
import { type Choice, chosen } from '../report/chosen.ts'
import { type Check, type CheckReport, found, type Result, skipped } from '../report/report.ts'
import { makeSpareKeys } from '../spare-keys.ts'
import { type StartOptions, startParts } from '../start.ts'
import type { Tap } from '../taps.ts'
import { Astray } from './browser.ts'
import { SIGN_IN_CHECKS } from './checks.ts'
import { Unchangeable } from './issuer-answer.ts'
import { Meddler } from './meddler.ts'
import { RelyingParty } from './relying-party.ts'
import { FIRST_CHECKS, REQUEST_CHECKS } from './request-checks.ts'

/** What a relying party is checked with. */
export interface PartyToCheck extends Choice {
  /** The address that leads to the issuer when nobody is signed in. */
  readonly url: string
  /** The address that only people who are signed in may see. Default: `url`. */
  readonly signed_in?: string
  /** A text that this page shows only to people who are signed in. Default: its status and address tell. */
  readonly signed_in_text?: string
  /** The username of the person who signs in. Default: that of demo mode. */
  readonly user?: string
  /** Seconds to wait until the relying party answers. Default: 60. */
  readonly wait?: number
  /** Seconds that a slow token endpoint takes. Default: 3. */
  readonly slow?: number
  /** Seconds until an access token of one second has ended. Default: 1.1. */
  readonly pause?: number
}

/** How a relying party is checked: with a server of its own, at the address for which the client is configured. */
export interface CheckClientOptions
  extends PartyToCheck,
    Pick<StartOptions, 'port' | 'host' | 'expose' | 'seed' | 'settings' | 'log_level'> {}

/** Settings of a server that checks: all sign-ins come from one address, and a client that pushes each must not be limited. */
export const CHECKING: Partial<Settings> = { par_requests: 100_000 }

/** Seconds. */
const WAIT = 60
/** Milliseconds. */
const BACK_WITHIN = 10_000

/**
 * Starts a server, drives a relying party through its answers and through changed ones, and says what it made of them.
 * @throws ConfigError, Refusal if the server cannot start
 */
export async function checkClient(options: CheckClientOptions): Promise<CheckReport> {
  const { redmint, parts } = await startParts({ ...options, settings: { ...CHECKING, ...options.settings } })
  try {
    return await checkClientAt(parts, options)
  } finally {
    await redmint.close()
  }
}

/** Checks a relying party with a server that runs. */
export async function checkClientAt(parts: DevParts, options: PartyToCheck): Promise<CheckReport> {
  const { clients, keys } = parts.fastify.redmint
  const algs = keys.publicKeys().flatMap(({ alg }) => verifiedAlg(alg) ?? [])
  const meddler = new Meddler(keys, await makeSpareKeys([...new Set(algs)]))
  const party = new RelyingParty(
    {
      issuer: parts.issuer,
      url: options.url,
      signed_in: options.signed_in ?? options.url,
      ...(options.signed_in_text !== undefined && { signed_in_text: options.signed_in_text }),
      user: options.user ?? DEMO_USER,
      slow: (options.slow ?? 3) * 1000,
      pause: (options.pause ?? 1.1) * 1000,
      sessionOf: () => sessionOf(parts, options.user ?? DEMO_USER),
      redirectUris: async (client_id) => (await clients.find(client_id))?.redirect_uris,
    },
    meddler,
  )
  const taps = [meddler, keySetTap(() => meddler.published), pushedFor(party.options.user)]
  const removes = taps.map((tap) => parts.taps.add(tap))
  try {
    return await runAll(party, options)
  } finally {
    for (const remove of removes) remove()
  }
}

// A request that is pushed has no other place where the browser could name the person.
const pushedFor = (subject: string): Tap => ({
  async parsed({ routeOptions, body }) {
    if (routeOptions.url === PATHS.par) Object.assign(body as object, { subject })
  },
})

/** Returns the cookies of a new session of a person, as the server sets them. @throws Astray if there is no such person */
async function sessionOf(parts: DevParts, user: string): Promise<string[]> {
  const cookies = await runOperation(SIGN_IN, parts, { user }).catch((error: unknown) => {
    throw error instanceof ControlError ? new Astray(error.message) : error
  })
  return cookies.map(({ name, value, path }) => `${name}=${value}; Path=${path}`)
}

async function runAll(party: RelyingParty, options: PartyToCheck): Promise<CheckReport> {
  const results: Result[] = []
  const report = (stopped?: string): CheckReport => ({
    command: 'check-client',
    url: options.url,
    results,
    ...(stopped !== undefined && { stopped }),
  })
  const run = async (checks: readonly Check<RelyingParty>[]) => {
    for (const check of chosen(checks, options)) {
      results.push({ check, outcome: await runOne(check, party) })
      if (!(await isBack(party)))
        throw new Astray(`${options.url} answers nothing since the check ${check.id}.`)
    }
  }
  try {
    if (!(await isListening(options.url, (options.wait ?? WAIT) * 1000)))
      throw new Astray(`Nothing listens at ${new URL(options.url).origin}.`)
    await run(FIRST_CHECKS)
    party.requests.length = 0
    for (const browser of [party.newBrowser(), party.newBrowser()]) await party.start(browser)
    await run(REQUEST_CHECKS)
    await party.learn()
    await run(SIGN_IN_CHECKS)
    return report()
  } catch (error) {
    if (error instanceof Astray) return report(`${error.message}${hintAfter(results)}`)
    throw error
  }
}

// Who takes such metadata keeps them.
function hintAfter(results: readonly Result[]): string {
  const [first] = results.filter(({ outcome }) => outcome.is === 'found')
  return first !== undefined && FIRST_CHECKS.some(({ id }) => id === first.check.id)
    ? ` The client may have kept what the check ${first.check.id} sent: start it again, and give --skip ${first.check.id}.`
    : ''
}

async function runOne(check: Check<RelyingParty>, party: RelyingParty): Promise<Result['outcome']> {
  party.meddler.begin()
  try {
    return await check.run(party)
  } catch (error) {
    if (error instanceof Astray) return found(error.message)
    if (error instanceof Unchangeable) return skipped(error.message)
    throw error
  } finally {
    party.meddler.meddle({})
  }
}

// A client that crashes is started again by whatever runs it.
const isBack = (party: RelyingParty) => isListening(party.options.url, BACK_WITHIN)
