// On a Cluster all keys of a withdrawal are in one slot. A suspended node withdraws after it resumed.

import t from 'tap'
import { StorageUnavailable } from '../../../../../../src/storage/errors.ts'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import { liveOf, refreshing, signIn, spentBy } from '../../../../../support/contract/family.ts'
import { CODE, issueCode } from '../../../../../support/contract/subject.ts'
import { useRefreshToken } from '../../../../../support/contract/use-refresh-token.ts'
import { working } from '../../../../../support/storage/redis/connection/cluster-support.ts'
import { PREFIX, unavailable } from '../../../../../support/storage/redis/support.ts'
import { until } from '../../../../../support/until.ts'

t.test('a suspended Cluster node withdraws the operations whose replies were lost', async (t) => {
  const { storage, masters } = await working(t)
  const [{ cli } = { cli: async () => '' }] = masters
  for (let round = 0; round < 4; round += 1) {
    const { grant, refresh_token, access_token } = await signIn(storage)
    const issued = await issueCode(storage)
    const first = issued.attempt('first')
    const one = { ...refreshing(grant, 'one'), retry_window: 0 }

    for (const [of, call] of [
      [issued.grant, () => redeemCode(storage, issued.code, first)],
      [grant, () => useRefreshToken(storage, refresh_token, one)],
    ] as const) {
      const slot = Number(await cli('CLUSTER', 'KEYSLOT', `${PREFIX}grant:{${of}}`))
      const node = masters[slot < 5461 ? 0 : slot < 10923 ? 1 : 2]
      if (node === undefined) throw new TypeError()
      process.kill(node.pid, 'SIGSTOP')
      await unavailable(t, { call })
      process.kill(node.pid, 'SIGCONT')
    }
    const second = await again('the code is redeemed', async (operation) => {
      const attempt = issued.attempt(operation)
      t.strictSame(await redeemCode(storage, issued.code, attempt), { outcome: 'ok', code: CODE })
      return [attempt.access_token, attempt.refresh_token]
    })
    t.strictSame(await liveOf(storage, [first.access_token, first.refresh_token, ...second]), second)
    const two = await again('the token is refreshed', async (operation) => {
      const attempt = { ...refreshing(grant, operation), retry_window: 0 }
      t.strictSame(await useRefreshToken(storage, refresh_token, attempt), spentBy(attempt))
      return [attempt.access_token, attempt.successor]
    })
    const earlier = [refresh_token, access_token, one.access_token, one.successor]
    t.strictSame(await liveOf(storage, [...earlier, ...two]), [access_token, ...two])
  }
})

/** Makes new attempts until one gets a reply. */
async function again(what: string, attempt: (operation: string) => Promise<string[]>) {
  let tokens: string[] = []
  let tried = 0
  await until(what, async () => {
    tried += 1
    try {
      tokens = await attempt(`attempt ${tried}`)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
    return tokens.length > 0
  })
  return tokens
}
