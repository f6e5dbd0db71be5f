// A run: load, a fault every few seconds, and a check of the whole history at the end.
import { setTimeout as pause } from 'node:timers/promises'
import { formatIssuer } from '../../../../src/issuers/issuer-record.ts'
import { registerClient } from '../../server.ts'
import { keySetOf } from '../../trusted-issuer.ts'
import { PROOF_ISSUER, PROOF_KEY } from '../client.ts'
import { type Allowance, type Entry, History } from '../history.ts'
import { check, describe } from '../history-check.ts'
import { newInvitation, REGISTRATION } from '../registrant.ts'
import { PROOF_CLIENTS } from '../replica.ts'
import { Crowd } from './crowd.ts'
import { Actor } from './load.ts'
import type { Owner, Place } from './nodes.ts'
import { type Kind, PLACES } from './places.ts'
import { Random } from './random.ts'
import { Replicas } from './replicas.ts'
import { lasting, secondTokens, uncountedClients } from './stored.ts'

export interface Settings {
  storage: Kind
  seed: number
  /** How long faults continue, and the maximum time between them. */
  seconds: number
  every: number
  actors: number
  /** Whether keys in Redis hold hashes of tokens (TOKENS_AT_REST). */
  hashed: boolean
  /** REDIS_WAIT_REPLICAS. */
  wait_replicas: number
  /** Milliseconds after which Sentinels replace a master that does not answer. */
  down_after: number
}

/** How many clients may register without an invitation. */
const OPEN_REGISTRATIONS = 5

/** The events from one fault until the next. */
export interface Episode {
  fault: string
  /** When it began, in milliseconds since 1970. */
  at: number
  entries: Entry[]
  /** The longest wait for a conclusive response of a client that started in this time, in milliseconds. */
  longest: number
}

export interface Result {
  settings: Settings
  episodes: Episode[]
  /** One line for each. */
  violations: string[]
  /** Failovers that no fault asked for, one line for each. */
  unintended: string[]
}

/** Runs clients, replicas and Redis against each other; everything that it starts ends with its owner. */
export async function runChaos(
  owner: Owner,
  settings: Settings,
  tell: (line: string) => void,
): Promise<Result> {
  const random = new Random(settings.seed)
  const start = { random: random.fork(), down_after: settings.down_after }
  const place = await PLACES[settings.storage](owner, start)
  for (const client of Object.values(PROOF_CLIENTS)) await registerClient(place, client)
  const issuer = formatIssuer({ issuer: PROOF_ISSUER, jwks: keySetOf(PROOF_KEY) })
  await place.cli('HSET', `redmint:issuer:${PROOF_ISSUER}`, ...Object.entries(issuer).flat())
  const allowances = await allow(place, settings)
  const { client_registration, self_registered_scopes } = REGISTRATION
  const replicas = new Replicas(owner, {
    ...place.environment,
    CLIENT_REGISTRATION: client_registration,
    CLIENT_REGISTRATIONS_PER_ADDRESS: String(OPEN_REGISTRATIONS),
    SELF_REGISTERED_SCOPES: self_registered_scopes.join(' '),
    TRUSTED_ISSUERS: 'true',
    TOKENS_AT_REST: settings.hashed ? 'hashed' : 'plain',
    REDIS_WAIT_REPLICAS: String(settings.wait_replicas),
  })
  await replicas.start()

  const history = new History()
  const episodes: Episode[] = [{ fault: 'none', at: Date.now(), entries: [], longest: 0 }]
  const world = {
    history,
    allowances,
    choose: (among: Random) => replicas.choose(among),
    waiting() {
      const episode = episodes.at(-1)
      return (milliseconds: number) => {
        if (episode) episode.longest = Math.max(episode.longest, milliseconds)
      }
    },
  }
  let over = false
  const actors = Array.from({ length: settings.actors }, () => new Actor(world, random.fork()))
  const act = async (actor: Actor) => {
    while (!over) await actor.step()
    await actor.finish()
  }
  const load = Promise.all(actors.map(act))
  // Awaited, and its failure reported, after the last fault is repaired.
  load.catch(() => {})
  const faults = {
    ...place.faults,
    ...place.failovers,
    'replica killed': () => replicas.kill(random, history),
    'replica drained': () => replicas.drain(random),
  }
  const settle = async () => {
    await place.healed()
    await replicas.ready()
  }
  const crowd = new Crowd(world, random.fork())
  const breaking = { place, faults, crowd, settle, random, history, episodes, tell }
  const unintended = await breakThings(settings, breaking)
  over = true
  await load
  cut(episodes, history)
  const found = check(history).map(
    (violation) =>
      describe(violation) + during(episodes, violation.entry) + earlier(history, violation.entry),
  )
  const stored = [
    ...(await secondTokens(place)),
    ...(await uncountedClients(place, allowances)),
    ...(await lasting(place)),
  ]
  return { settings, episodes, violations: [...found, ...stored], unintended }
}

/** Invites clients to register, one to five at a time, and lets some register without an invitation. */
async function allow({ cli }: Place, { seconds }: Settings): Promise<Allowance[]> {
  const invitations = Array.from({ length: Math.ceil(seconds / 2) }, (_, i) =>
    newInvitation('redmint:', (i % 5) + 1),
  )
  for (const [name, ...args] of invitations.flatMap(({ commands }) => commands)) await cli(name, ...args)
  return [...invitations.map(({ allowance }) => allowance), { clients: OPEN_REGISTRATIONS }]
}

interface Breaking {
  place: Place
  faults: Record<string, () => Promise<void>>
  crowd: Crowd
  settle(): Promise<void>
  random: Random
  history: History
  episodes: Episode[]
  tell(line: string): void
}

/**
 * One fault after the other in random order, each once before a repetition; the last one is repaired.
 * @returns the failovers that no fault asked for
 */
async function breakThings(settings: Settings, breaking: Breaking): Promise<string[]> {
  const { place, faults, crowd, settle, random, history, episodes, tell } = breaking
  const unintended: string[] = []
  let epoch = await place.epoch()
  const compareEpoch = async (moment: string, intended = false) => {
    const before = epoch
    epoch = await place.epoch()
    if (epoch === before || intended) return
    const line = `${new Date().toISOString()} ${moment}: configuration epoch ${before} became ${epoch}`
    tell(`unintended failover: ${line}`)
    unintended.push(line)
  }
  const end = Date.now() + settings.seconds * 1000
  let left: string[] = []
  const breathe = () => pause(random.next() * settings.every * 1000)
  await breathe()
  while (Date.now() < end) {
    if (left.length === 0) left = Object.keys(faults)
    const fault = random.pick(left)
    left.splice(left.indexOf(fault), 1)
    await crowd.gather()
    await compareEpoch('between two faults')
    cut(episodes, history)
    episodes.push({ fault, at: Date.now(), entries: [], longest: 0 })
    tell(fault)
    const redeemed = crowd.redeem()
    await faults[fault]?.()
    await settle()
    await redeemed
    await compareEpoch(fault, fault in place.failovers)
    await breathe()
  }
  await compareEpoch('after the last fault')
  return unintended
}

/** Adds the responses since its start to the last episode. */
function cut(episodes: Episode[], history: History): void {
  const seen = episodes.reduce((sum, { entries }) => sum + entries.length, 0)
  episodes.at(-1)?.entries.push(...history.entries.slice(seen))
}

/** The last fault before an attempt, and how long before. */
function during(episodes: readonly Episode[], { at }: Entry): string {
  const episode = episodes.findLast((one) => one.at <= at)
  return episode === undefined
    ? ''
    : `, ${((at - episode.at) / 1000).toFixed(3)} s after “${episode.fault}” began`
}

/** The earlier attempts of the same request: where each was sent, when, and its answer. */
function earlier({ entries }: History, { request, invoked, at }: Entry): string {
  const attempts = entries
    .filter((one) => one.request === request && one.invoked < invoked)
    .map(
      (one) =>
        `${one.outcome.status ?? 'no answer'} at ${one.server} ${((at - one.at) / 1000).toFixed(1)} s before`,
    )
  return attempts.length === 0 ? '' : `, after ${attempts.join(', ')}`
}
