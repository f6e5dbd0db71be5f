// A master with two replicas, and three Sentinels.
import { type RedisServer, startSentinel } from '../../redis-server.ts'
import { eventually } from './eventually.ts'
import { configure, DURABLE, follows, hangs, type Owner, type Place, roleOf } from './nodes.ts'

/** What a Sentinel reports of a master that it is about to replace, or is replacing. */
const UNSETTLED = /\b(s_down|o_down|failover_in_progress)\b/

/**
 * Starts a master, two replicas and three Sentinels.
 * @param down_after milliseconds after which the Sentinels replace a master that does not answer
 */
export async function sentinel(t: Owner, down_after: number): Promise<Place> {
  const started = await startSentinel(t, { replicas: 2, down_after })
  const { name, sentinels, master: first, replicas, watchers } = started
  const nodes = [first, ...replicas]
  // A master whose replicas follow another one accepts no writes.
  for (const node of nodes) await configure(node, { ...DURABLE, 'min-replicas-to-write': '1' })
  const portFor = async (watcher: RedisServer | undefined) => {
    const [, port] = (await watcher?.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name))?.split('\n') ?? []
    return Number(port)
  }
  const stateOf = async (watcher: RedisServer) => {
    const lines = (await watcher.cli('SENTINEL', 'MASTER', name)).split('\n')
    const value = (field: string) => lines[lines.indexOf(field) + 1] ?? ''
    return { flags: value('flags'), epoch: Number(value('config-epoch')) }
  }
  const master = async () => {
    const port = await portFor(watchers[0])
    return nodes.find((node) => node.port === port) ?? first
  }
  const replaced = (old: RedisServer) =>
    eventually('all know another master', async () => {
      const ports = await Promise.all(watchers.map(portFor))
      return new Set(ports).size === 1 && !ports.includes(old.port)
    })
  return {
    environment: { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name },
    nodes,
    cli: async (...command) => (await master()).cli(...command),
    faults: hangs(master, nodes, { paused: 'WRITE' }),
    failovers: {
      'master killed': async () => {
        const old = await master()
        await old.stop()
        await replaced(old)
        await old.restart()
      },
      // The old master accepts no writes until no client is connected that would read outdated records.
      'SENTINEL FAILOVER': async () => {
        const old = await master()
        await old.cli('CLIENT', 'PAUSE', '60000', 'WRITE')
        await watchers[0]?.cli('SENTINEL', 'FAILOVER', name)
        await replaced(old)
        for (const type of ['normal', 'pubsub']) await old.cli('CLIENT', 'KILL', 'TYPE', type)
        await old.cli('CLIENT', 'UNPAUSE')
      },
    },
    async healed() {
      await eventually('all follow one master and no Sentinel doubts it', async () => {
        const ports = new Set(await Promise.all(watchers.map(portFor)))
        const states = await Promise.all(watchers.map(stateOf))
        const current = await master()
        const others = nodes.filter((node) => node !== current)
        const follow = await Promise.all(others.map((node) => follows(node, current.port)))
        return (
          ports.size === 1 &&
          new Set(states.map(({ epoch }) => epoch)).size === 1 &&
          !states.some(({ flags }) => UNSETTLED.test(flags)) &&
          (await roleOf(current)) === 'master' &&
          follow.every(Boolean)
        )
      })
    },
    epoch: async () => Math.max(...(await Promise.all(watchers.map(stateOf))).map(({ epoch }) => epoch)),
  }
}
