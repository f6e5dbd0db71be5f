import t from 'tap'
import { lookupBy } from '../../../../src/outbound/dns-lookup.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** Looks a name up with a resolver that answers so. */
function lookUp(v4: string[] | Error, v6: string[] | Error, all: boolean) {
  const answer = (found: string[] | Error) => async () => {
    if (found instanceof Error) throw found
    return found
  }
  const lookup = lookupBy({ resolve4: answer(v4), resolve6: answer(v6) })
  return new Promise<unknown>((resolve) => {
    lookup('a.example', { all }, (error, found, family) => resolve(error?.code ?? [found, family]))
  })
}

t.test('a name has the addresses of both families', async (t) => {
  const both = [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]
  t.strictSame(await lookUp(['8.8.8.8'], ['2606:4700::1'], true), [both, undefined])
  t.strictSame(await lookUp(['8.8.8.8'], ['2606:4700::1'], false), ['8.8.8.8', 4])
  t.strictSame(await lookUp(['8.8.8.8'], failure('ETIMEOUT'), true), [both.slice(0, 1), undefined])
  t.strictSame(await lookUp(failure('ENODATA'), ['2606:4700::1'], false), ['2606:4700::1', 6])
  t.equal(await lookUp(failure('ENOTFOUND'), failure('ENOTFOUND'), true), 'ENOTFOUND')
  t.equal(await lookUp([], failure('ESERVFAIL'), true), 'ENODATA')
})
