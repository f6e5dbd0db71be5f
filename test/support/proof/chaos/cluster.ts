// A Redis Cluster of three masters with a replica each.
import { type RedisServer, startCluster } from '../../redis-server.ts'
import { eventually } from './eventually.ts'
import { configure, DURABLE, follows, hangs, type Owner, type Place, roleOf } from './nodes.ts'
import type { Random } from './random.ts'

/** Starts three masters with a replica each. `random` chooses the nodes that are broken. */
export async function cluster(t: Owner, random: Random): Promise<Place> {
  const { nodes: addresses, masters, replicas } = await startCluster(t, { replicas: 1 })
  const nodes = [...masters, ...replicas]
  for (const node of nodes) await configure(node, DURABLE)
  const inRole = async (role: string) => {
    const roles = await Promise.all(nodes.map(roleOf))
    return nodes.filter((_, index) => roles[index] === role)
  }
  const master = async () => random.pick(await inRole('master'))
  const becomes = (node: RedisServer, role: string) =>
    eventually(`${node.port} is a ${role}`, async () => (await roleOf(node)) === role)
  const infos = () => Promise.all(nodes.map((node) => node.cli('CLUSTER', 'INFO')))
  const [first] = masters
  if (first === undefined) throw new TypeError('a cluster has masters')
  return {
    environment: { REDIS_CLUSTER_NODES: addresses },
    nodes,
    cli: (...command) => first.cli('-c', ...command),
    // Shorter than the nodes' timeout for a dead master.
    faults: hangs(master, nodes, { stopped: 1000 }),
    failovers: {
      'CLUSTER FAILOVER': async () => {
        const replica = random.pick(await inRole('slave'))
        await replica.cli('CLUSTER', 'FAILOVER')
        await becomes(replica, 'master')
      },
      'master killed': async () => {
        const old = await master()
        const heir = await heirOf(old, nodes)
        await old.stop()
        await becomes(heir, 'master')
        await old.restart()
        await becomes(old, 'slave')
      },
    },
    async healed() {
      await eventually('the cluster is whole', async () => {
        const copies = await inRole('slave')
        const linked = await Promise.all(copies.map((node) => node.cli('INFO', 'replication')))
        return (
          (await infos()).every((info) => info.includes('cluster_state:ok')) &&
          copies.length === replicas.length &&
          linked.every((info) => info.includes('master_link_status:up'))
        )
      })
    },
    epoch: async () =>
      Math.max(...(await infos()).map((info) => Number(/cluster_my_epoch:(\d+)/.exec(info)?.[1]))),
  }
}

async function heirOf(master: RedisServer, nodes: readonly RedisServer[]): Promise<RedisServer> {
  for (const node of nodes) if (node !== master && (await follows(node, master.port))) return node
  throw new Error(`nobody follows ${master.port}`)
}
