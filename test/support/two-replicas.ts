import type { Test } from 'tap'
import { CHEAP } from './accounts.ts'
import { populate } from './claims/sign-ins.ts'
import type { Lifecycle, Start } from './lifecycle.ts'
import { requestUrl, signInAndAgree, visitorOf } from './scene/requests.ts'
import { asDeparture } from './visitor.ts'

/** Two replicas with users, and a browser that goes to either of them, whose user agreed to what `shop` asks for. */
export async function startTwoReplicas(t: Test, start: Start, options: Parameters<Start>[0] = {}) {
  const given = { ...CHEAP, demo: false, ...options }
  const replicas = [await start(given), await start(given)] as const
  await populate(replicas[0].storage)
  let place: Lifecycle = replicas[0]
  const visitor = visitorOf(() => place.fastify)
  t.ok(asDeparture(await signInAndAgree(visitor)).told.has('code'))
  /** What a silent request of the browser gets at a replica: `code`, or an error. */
  const silent = async (replica: Lifecycle) => {
    place = replica
    const { told } = asDeparture(await visitor.open(requestUrl({ prompt: 'none' })))
    return told.has('code') ? 'code' : told.get('error')
  }
  return { replicas, visitor, silent }
}
