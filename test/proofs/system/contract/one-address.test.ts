// A Redis whose one address takes no script with keys of several slots: a node of a Cluster that has all of them.
import t from 'tap'
import { onRedis } from '../../../support/contract/on-redis.ts'
import { pushedContract } from '../../../support/contract/pushed-contract.ts'
import { singleUseContract } from '../../../support/contract/single-use-contract.ts'
import { tokenContract } from '../../../support/contract/token-contract.ts'
import { trailContract } from '../../../support/contract/trail-contract.ts'
import { startRedis } from '../../../support/redis-server.ts'

const node = await startRedis(t, { args: ['--cluster-enabled', 'yes'] })
await node.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
const make = onRedis({ kind: 'single', url: node.url }, [node])

await t.test('tokens and grants', (t) => tokenContract(t, make))
await t.test('pushed requests', (t) => pushedContract(t, make))
await t.test('single use of assertions and proofs', (t) => singleUseContract(t, make))
await t.test('audit trail', (t) => trailContract(t, make))
