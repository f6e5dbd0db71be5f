// How long a start takes, and what memory the process has when nothing asks it.
import { setTimeout as pause } from 'node:timers/promises'
import { startRedis } from '../test/support/redis-server.ts'
import { cpuOf, residentOf } from './accounts.ts'
import { DIST } from './contest.ts'
import { type Node, pinLoad } from './machine.ts'
import type { StartResult } from './results.ts'
import { row } from './row.ts'
import { launch, Stage } from './servers.ts'

const IDLE_MS = 2000
const ROW = row({ name: 'start', title: 'start', operation: 'discovery', candidates: ['redmint'] })

/** Starts redmint again and again: on an empty Redis, and on one that has its keys. */
export async function measureStarts(node: Node, times: number): Promise<StartResult[]> {
  pinLoad()
  const [empty, existing] = [[], []] as [StartResult['samples'], StartResult['samples']]
  for (let i = 0; i < times; i++) {
    const stage = new Stage()
    try {
      const { url } = await startRedis(stage)
      empty.push(await startOnce(node, url))
      existing.push(await startOnce(node, url))
    } finally {
      await stage.end()
    }
  }
  return [
    { keys: 'created', samples: empty },
    { keys: 'existing', samples: existing },
  ]
}

async function startOnce(node: Node, url: string): Promise<StartResult['samples'][number]> {
  const stage = new Stage()
  try {
    const began = performance.now()
    const candidate = { label: 'redmint', server: 'redmint', node, dist: DIST } as const
    const { pid } = await launch(stage, candidate, ROW, { REDIS_URL: url })
    const ms = performance.now() - began
    const cpu = cpuOf(pid)?.all
    await pause(IDLE_MS)
    const rss = residentOf(pid)
    return { ms, ...(cpu !== undefined && { cpu_ms: cpu / 1000 }), ...(rss !== undefined && { rss }) }
  } finally {
    await stage.end()
  }
}
