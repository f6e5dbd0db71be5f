// What clients with keys do while Redis has a fault: pushed requests, and what is accepted once.
import type { Test } from 'tap'
import { keptFor } from '../../../src/interaction/pushed-request.ts'
import type { Way } from './client.ts'
import {
  type Attempt,
  type Case,
  codeExchange,
  ownToken,
  refresh,
  requestUriFor,
  revoke,
  use,
} from './fault-cases.ts'
import { type Entry, type Once, succeeded, undecided } from './history.ts'
import type { Scene } from './scene.ts'

/** The defaults of PAR_TTL and SIGN_IN_TTL, in seconds. */
const KEPT = keptFor({ par_ttl: 60, sign_in_ttl: 1800 })

/** Asserts that a code can be redeemed, and that no request_uri of this history yielded two. */
async function assertOneCode(t: Test, what: string, code: string | undefined, scene: Scene) {
  const { client, server, history } = scene
  for (const { action } of history.entries) {
    if (action.kind !== 'authorize' || action.request_uri === undefined) continue
    t.ok((await scene.codesOf(action.request_uri)) <= 1, `${what}: a request_uri yields one code at most`)
  }
  const redeemed = await client.untilAnswered((way) => client.redeem(server, code ?? '', way))
  t.ok(succeeded(redeemed), `${what}: the code is good`)
}

const push: Case = {
  name: 'pushed request',
  client: 'fapi',
  writes: true,
  async prepare(scene) {
    await scene.forgetPushed()
    return (server, way) => scene.client.push(server, way)
  },
  async afterwards(t, what, { outcome }, scene) {
    const { client, server, history } = scene
    const lifetimes = await scene.pushed()
    const attempts = history.entries.filter(({ action }) => action.kind === 'push').length
    t.ok(lifetimes.length >= 1 && lifetimes.length <= attempts, `${what}: ${lifetimes.length} of ${attempts}`)
    t.ok(
      lifetimes.every((seconds) => seconds > 0 && seconds <= KEPT),
      `${what}: what was lost expires, ${lifetimes}`,
    )
    const authorized = await client.untilAnswered((way) => client.authorize(server, way, outcome.request_uri))
    await assertOneCode(t, what, authorized.outcome.code, scene)
  },
}

/** A pushed request is spent with its code. A client whose answer was lost pushes another one. */
const authorization: Case = {
  name: 'authorization by request_uri',
  client: 'fapi',
  writes: true,
  async prepare(scene) {
    const { client } = scene
    let request_uri = await requestUriFor(scene)
    return async (server, way) => {
      const entry = await client.authorize(server, way, request_uri)
      if (succeeded(entry) || undecided(entry)) return entry
      request_uri = await requestUriFor(scene)
      return await client.authorize(server, way, request_uri)
    }
  },
  afterwards: (t, what, { outcome }, scene) => assertOneCode(t, what, outcome.code, scene),
}

/** Presents what an attempt presented once: its assertion at another endpoint, and its proof at the same one. */
async function assertSpent(t: Test, what: string, { action, once = {} }: Entry, { client, server }: Scene) {
  const refused = async (name: string, attempt: (way: Way) => Promise<Entry>) => {
    const entry = await client.untilAnswered((way) => attempt({ ...way, honest: false }))
    t.notOk(succeeded(entry), `${what}: its ${name} is spent`)
  }
  const { client_assertion, proof } = once
  if (client_assertion !== undefined) {
    await refused('assertion', (way) => client.push(server, { ...way, once: { client_assertion } }))
  }
  if (proof === undefined) return
  await refused('proof', (way) => {
    const again = { ...way, once: { proof } }
    return action.kind === 'use'
      ? client.use(server, action.token, action.place, again)
      : client.ownToken(server, again)
  })
}

/** A case after which its assertion and its proof are presented again. */
const spent = (one: Case): Case => ({
  ...one,
  writes: true,
  async afterwards(t, what, entry, scene) {
    await assertSpent(t, what, entry, scene)
    await one.afterwards(t, what, entry, scene)
  },
})

/** A case whose client first sends the same request again, and another one if that is refused. */
const theSameAgain = (one: Case): Case => ({
  ...one,
  name: `${one.name}, with the same assertion and proof again`,
  async prepare(scene): Promise<Attempt> {
    const attempt = await one.prepare(scene)
    let sent: Once | undefined
    return async (server, way) => {
      if (sent !== undefined) {
        const again = await attempt(server, { ...way, honest: false, once: sent })
        if (succeeded(again) || undecided(again)) return again
      }
      const entry = await attempt(server, way)
      sent ??= entry.once
      return entry
    }
  },
})

/** Groups that run concurrently, as CASES. */
export const CASES_WITH_KEYS: Record<string, Case[]> = {
  'pushed requests': [push, authorization],
  'code exchange with keys': [spent(codeExchange('fapi', 1)), theSameAgain(codeExchange('jwt-fapi', 0))],
  'refresh with keys': [spent(refresh('jwt-fapi')), theSameAgain(refresh('fapi'))],
  'own tokens with keys': [spent(ownToken('fapi')), theSameAgain(ownToken('fapi'))],
  'other requests with keys': [
    spent(revoke('fapi', 'refresh_token')),
    spent(use('fapi', 'api')),
    spent(use('jwt-fapi', 'userinfo')),
  ],
}
