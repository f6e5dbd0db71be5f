import { promises as dns } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** Asks name servers for the addresses of a host. */
interface AddressResolver {
  resolve4(hostname: string): Promise<string[]>
  resolve6(hostname: string): Promise<string[]>
}

// Milliseconds for each of two attempts: together within the time of a request.
const RESOLVER = new dns.Resolver({ timeout: 1_500, tries: 2 })

/**
 * Resolves a host name by DNS alone. The system's resolver occupies a thread of the process until the name server
 * answers; with a few slow ones, strangers could keep every thread, and even the name of Redis would not be resolved.
 */
export const dnsLookup: LookupFunction = lookupBy(RESOLVER)

/** Returns the lookup by a resolver: the addresses of both families. */
export function lookupBy(resolver: AddressResolver): LookupFunction {
  return (hostname, { all }, callback) => {
    void resolveBoth(resolver, hostname).then(([found, error]) => {
      const [first] = found
      if (first === undefined) callback(error, [])
      else if (all) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

async function resolveBoth(
  resolver: AddressResolver,
  hostname: string,
): Promise<[{ address: string; family: number }[], NodeJS.ErrnoException]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const of = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
  const none = Object.assign(new Error('the name has no address'), { code: 'ENODATA' })
  const error = v4.status === 'rejected' ? (v4.reason as NodeJS.ErrnoException) : none
  return [[...of(v4, 4), ...of(v6, 6)], error]
}
