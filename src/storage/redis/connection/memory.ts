import type { Cluster, Redis } from 'ioredis'
import type { Memory } from '../../storage.ts'
import { keyNodes } from './cluster.ts'
import { sendTo } from './driver.ts'

/**
 * Returns the memory of the server with keys that has the least room: the first one that refuses writes.
 * @throws errors of the driver; NaN stands for what a managed server does not say
 */
export async function readMemory(client: Redis | Cluster): Promise<Memory> {
  const nodes = await keyNodes(client)
  const found = await Promise.all(nodes.map(async (node) => memoryOf(await sendTo(node, 'info', ['memory']))))
  return found.reduce((one, other) => (fullnessOf(other) > fullnessOf(one) ? other : one))
}

function memoryOf(info: string): Memory {
  const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? Number.NaN)
  return { used: numberOf('used_memory'), max: numberOf('maxmemory') }
}

function fullnessOf({ used, max }: Memory): number {
  return max === 0 ? 0 : used / max
}
