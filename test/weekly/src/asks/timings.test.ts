// C4: a client cannot tell by the time of an answer whom it asked (OpenID Connect CIBA Core §14).
import t from 'tap'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { asker, BANK } from '../../../support/asks.ts'
import { createUser } from '../../../support/records.ts'
import { scene } from '../../../support/scene.ts'

/** How many people of a sort are asked, each once: later questions to one are dropped. */
const OF_EACH = 2500
/** Five times what chance alone does to `winsOf` with so many. */
const MARGIN = 0.04

const STAFF = { 'claim:groups': '["staff"]' }
const PEOPLE: Readonly<Record<string, Hash | undefined>> = {
  known: STAFF,
  unknown: undefined,
  muted: { ...STAFF, muted_clients: 'bank' },
  disabled: { ...STAFF, disabled: 'true' },
}

/** How often a time of one sort is longer than one of the other: a half, if they are alike. */
function winsOf(some: readonly number[], others: readonly number[]): number {
  const sorted = others.toSorted((a, b) => a - b)
  const below = (time: number) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] ?? 0) < time) low = middle + 1
      else high = middle
    }
    return low
  }
  return some.reduce((sum, time) => sum + below(time), 0) / (some.length * others.length)
}

t.test('10,000 answers about known, unknown, muted and disabled people take alike', async (t) => {
  const service = await scene(t, { ask_people: 'on', clients: [{ ...BANK, allowed_groups: ['staff'] }] })
  service.fastify.log.level = 'silent'
  const { ask } = asker(service)
  const sorts = Object.keys(PEOPLE)
  for (const [sort, fields] of Object.entries(PEOPLE)) {
    if (fields === undefined) continue
    for (let i = 0; i < OF_EACH; i++) {
      const username = `${sort}-${i}`
      await createUser(service.storage, username, { sub: `sub-of-${username}`, ...fields })
      await indexUser(service.storage, username)
    }
  }
  for (let i = 0; i < 200; i++) await ask({ login_hint: `nobody-${i}` })
  const times = new Map(sorts.map((sort) => [sort, [] as number[]]))
  for (let i = 0; i < OF_EACH; i++) {
    // At once, and each of them first as often: what the machine does besides meets all alike.
    const askOne = async (_: string, k: number) => {
      const sort = sorts[(i + k) % sorts.length] ?? ''
      const start = process.hrtime.bigint()
      const { status } = await ask({ login_hint: `${sort}-${i}` })
      times.get(sort)?.push(Number(process.hrtime.bigint() - start))
      if (status !== 200) t.equal(status, 200, sort)
    }
    await Promise.all(sorts.map(askOne))
  }
  const { bounded } = service.storage
  for (const [sort, waiting] of Object.entries({ known: 1, muted: 0, disabled: 0 }))
    t.equal((await bounded.read({ asks_of: `sub-of-${sort}-7` })).length, waiting, sort)
  const known = times.get('known') ?? []
  for (const sort of sorts.slice(1)) {
    const wins = winsOf(times.get(sort) ?? [], known)
    t.ok(Math.abs(wins - 0.5) < MARGIN, `${sort}: longer in ${(100 * wins).toFixed(1)} %`)
  }
})
