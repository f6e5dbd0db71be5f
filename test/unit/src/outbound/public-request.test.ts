// requestPublicly: how it looks for a host.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import t from 'tap'
import { getPublicly } from '../../../../src/outbound/public-get.ts'
import { postPublicly } from '../../../../src/outbound/public-post.ts'
import type { PublicRequestOptions } from '../../../../src/outbound/public-request.ts'

const URL = 'https://rp.example.com/'

t.test('public hosts are looked for by DNS alone, so that no name server can keep a thread', async (t) => {
  const asked: string[] = []
  // Both know a private address, so nothing is connected.
  const { Resolver } = dns.promises
  t.intercept(Resolver.prototype, 'resolve4', {
    value: async () => {
      asked.push('DNS')
      return ['10.0.0.1']
    },
  })
  t.intercept(Resolver.prototype, 'resolve6', { value: async () => [] })
  const { lookup } = dns
  t.teardown(() => {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  })
  Object.assign(dns, {
    lookup: (_host: string, _options: object, callback: (error: Error) => void) => {
      asked.push('system')
      callback(new Error('no such host'))
    },
  })
  syncBuiltinESMExports()

  const askedBy = async (allow_private: PublicRequestOptions['allow_private']) => {
    await postPublicly(URL, 'logout_token=x.y.z', { allow_private })
    await getPublicly(URL, { allow_private })
    return asked.splice(0)
  }
  t.strictSame(await askedBy(false), ['DNS', 'DNS'])
  t.strictSame(await askedBy(true), ['system', 'system'], 'names of this network are not in DNS')
  t.strictSame(await askedBy('loopback'), ['system', 'system'])
})
