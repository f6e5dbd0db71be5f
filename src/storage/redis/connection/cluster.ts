import { Cluster, type Redis } from 'ioredis'
import type { HostPort, RedisLocation } from '../../../config/redis-location.ts'
import { StorageUnavailable } from '../../errors.ts'
import { quiet, sendTo } from './driver.ts'
import { access, CLUSTER_OPTIONS, DRIVER_OPTIONS } from './options.ts'

/** An entry of CLUSTER SLOTS: the first and the last slot, their master, and its replicas. */
type SlotRange = [first: number, last: number, ...nodes: [host: string | null, port: number][]]

/** How often the slots are read, in milliseconds: this reconnects nodes that failed while no command used them. */
const REFRESH_INTERVAL = 5000

/** A client for a Redis Cluster that keeps a connection to every node. */
export function openCluster(location: RedisLocation & { kind: 'cluster' }): Cluster {
  const { retryStrategy: _, enableOfflineQueue: __, ...options } = DRIVER_OPTIONS
  const cluster = new Cluster(location.nodes, {
    ...CLUSTER_OPTIONS,
    redisOptions: { ...options, ...access(location) },
  })
  cluster.on('+node', quiet)
  // Not slotsRefreshInterval of the driver: it goes on for ever if it is closed while it reads the slots.
  let refreshing: NodeJS.Timeout | undefined
  cluster.on('ready', () => {
    refreshing = setInterval(() => cluster.refreshSlotsCache(), REFRESH_INTERVAL)
  })
  cluster.on('close', () => clearInterval(refreshing))
  // The driver connects to a node at its first command, and refuses further commands until the connection is ready.
  // Wait for the next tick: by then it has begun to connect to the node that it queries itself, which is left alone.
  cluster.on('refresh', () => process.nextTick(connectAll, cluster))
  return cluster
}

function connectAll(cluster: Cluster): void {
  for (const node of cluster.nodes()) if (node.status === 'wait') node.connect().catch(() => {})
}

/**
 * Returns the masters that own slots, as one of them reports them.
 * @throws StorageUnavailable, errors of the driver
 */
export async function clusterMasters(cluster: Cluster): Promise<HostPort[]> {
  const node = cluster.nodes('master').find((node) => node.status === 'ready')
  if (node === undefined) throw new StorageUnavailable('no connection to a master')
  const found = new Map<string, HostPort>()
  const slots = await sendTo<SlotRange[]>(node, 'cluster', ['SLOTS'])
  for (const [, , master] of slots) {
    if (master === undefined) continue
    // The host is empty if the node does not know its own address.
    const host = String(master[0] || node.options.host)
    found.set(`${host}:${master[1]}`, { host, port: Number(master[1]) })
  }
  return [...found.values()]
}

/**
 * Returns clients for all nodes that have keys.
 * @throws StorageUnavailable if one of them is not connected
 */
export async function keyNodes(client: Redis | Cluster): Promise<Redis[]> {
  if (!(client instanceof Cluster)) return [client]
  const nodes = client.nodes()
  return (await clusterMasters(client)).map(({ host, port }) => {
    const node = nodes.find(({ options }) => options.host === host && options.port === port)
    if (node === undefined) throw new StorageUnavailable(`no connection to ${host}:${port}`)
    return node
  })
}

// The addresses by node: every request asks for the address of each master.
const addresses = new WeakMap<Redis, string>()

/** Returns the address of a node, by which the driver knows it. */
export function addressOf(node: Redis): string {
  const known = addresses.get(node)
  if (known !== undefined) return known
  const { host, port } = node.options
  addresses.set(node, `${host}:${port}`)
  return `${host}:${port}`
}
