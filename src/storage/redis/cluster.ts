import { Cluster, type Redis } from 'ioredis'
import type { HostPort, RedisLocation } from '../../config/redis-location.ts'
import { StorageUnavailable } from '../errors.ts'
import { access, CLUSTER_OPTIONS, DRIVER_OPTIONS } from './options.ts'

/** A client for a Redis Cluster that keeps a connection to every node. */
export function openCluster(location: RedisLocation & { kind: 'cluster' }): Cluster {
  const { retryStrategy: _, enableOfflineQueue: __, ...options } = DRIVER_OPTIONS
  const redisOptions = { ...options, ...access(location) }
  const cluster = new Cluster(location.nodes, { ...CLUSTER_OPTIONS, redisOptions })
  // The driver connects to a node at the first command for it, and refuses the others until it is there. The
  // node that it is about to ask itself must be left alone, so wait until that has begun.
  cluster.on('refresh', () => process.nextTick(connectAll, cluster))
  return cluster
}

function connectAll(cluster: Cluster): void {
  for (const node of cluster.nodes()) if (node.status === 'wait') node.connect().catch(() => {})
}

/**
 * The masters that own slots, as one of them knows them now.
 * @throws StorageUnavailable, and errors of the driver
 */
export async function clusterMasters(cluster: Cluster): Promise<HostPort[]> {
  const asked = cluster.nodes('master').find((node) => node.status === 'ready')
  if (asked === undefined) throw new StorageUnavailable('no connection to a master')
  const found = new Map<string, HostPort>()
  for (const [, , master] of await asked.cluster('SLOTS')) {
    if (master === undefined) continue
    // A node that does not know its own address leaves it out.
    const host = String(master[0] || asked.options.host)
    found.set(`${host}:${master[1]}`, { host, port: Number(master[1]) })
  }
  return [...found.values()]
}

/**
 * Clients for all nodes that hold keys between them.
 * @throws StorageUnavailable where one of them is away
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
