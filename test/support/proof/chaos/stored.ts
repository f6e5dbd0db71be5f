// What Redis holds after a run, against the rules.
import { Redis } from 'ioredis'
import { idOf } from '../../../../src/clients/registration/initial-access-token.ts'
import type { Allowance } from '../history.ts'
import type { Place } from './nodes.ts'

const PREFIX = 'redmint:'
/** The lifetime of a client that got tokens, by default 90 days, in seconds. */
const MAX_LIFETIME = 90 * 86_400

/** Families with more than one refresh token in use. */
export async function secondTokens(place: Place): Promise<string[]> {
  const inUse = new Map<string, number>()
  await forEachKey(place, 'token:*', async (redis, key) => {
    const [type, revoked] = await redis.hmget(key, 'type', 'revoked')
    const grant = /\{(.*)\}/.exec(key)?.[1] ?? ''
    if (type === 'refresh_token' && revoked === 'false') inUse.set(grant, (inUse.get(grant) ?? 0) + 1)
  })
  const twice = [...inUse.values()].filter((count) => count > 1)
  return twice.map((count) => `one family: ${count} refresh tokens of a grant are in use`)
}

/** What was pushed, or is accepted once, and has no end: also what was written without an answer must expire. */
export async function lasting(place: Place): Promise<string[]> {
  const found: string[] = []
  for (const kind of ['pushed', 'assertion', 'proof']) {
    await forEachKey(place, `${kind}:*`, async (redis, key) => {
      // It may expire while the keys are read.
      if ((await redis.ttl(key)) === -1) found.push(`a key of the kind ${kind} never expires`)
    })
  }
  return found
}

/**
 * Clients that registered themselves without an end, or that nothing counted: whether their registration was answered or
 * not, each took one use of an invitation or a place of the limit.
 */
export async function uncountedClients(place: Place, allowances: readonly Allowance[]): Promise<string[]> {
  const found: string[] = []
  let clients = 0
  await forEachKey(place, 'client:self-*', async (redis, key) => {
    clients += 1
    const ttl = await redis.ttl(key)
    if (!(ttl > 0 && ttl <= MAX_LIFETIME)) found.push(`a client that registered itself lapses in ${ttl} s`)
  })
  let counted = 0
  for (const { invitation, clients: may } of allowances) {
    if (invitation === undefined) {
      const key = `${PREFIX}registrations:{clients}`
      const all = Number((await place.cli('HGET', key, '*')) || 0)
      const fields = Number(await place.cli('HLEN', key))
      // All of them come from one address.
      if (all > may || fields > 2) found.push(`registrations by anybody: ${all} in ${fields} counters`)
      counted += all
    } else {
      const key = `${PREFIX}invitation:${idOf(invitation)}`
      counted += may - Number((await place.cli('HGET', key, 'uses_left')) || 0)
    }
  }
  if (clients !== counted) found.push(`${clients} clients registered themselves, and ${counted} were counted`)
  return found
}

/** Runs a function for each key on a master. */
async function forEachKey(
  { nodes }: Place,
  match: string,
  run: (redis: Redis, key: string) => Promise<void>,
): Promise<void> {
  for (const { url } of nodes) {
    const redis = new Redis(url)
    const [role] = (await redis.role()) as [string]
    const seen = new Set<string>()
    for await (const keys of role === 'master'
      ? redis.scanStream({ match: PREFIX + match, count: 1000 })
      : []) {
      for (const key of keys as string[]) {
        // A scan may name a key twice.
        if (!seen.has(key)) await run(redis, key)
        seen.add(key)
      }
    }
    redis.disconnect()
  }
}
