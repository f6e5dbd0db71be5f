import {
  ENDPOINTS,
  encode,
  faults,
  lookups,
  REFUSED,
  unreadable,
  type Verdict,
} from '../../../support/hostile/endpoints.ts'
import { each, type Reply, siege, words } from '../../../support/hostile/siege.ts'

/** Percent-encoded text that is refused in a parameter: control characters, invalid UTF-8, malformed encoding. */
const MALFORMED = [
  words(
    '%00 a%00b %01 %08 %09 %0a %0d %0D%0ASet-Cookie:%20a=b %0b %0c %1b%5b31m %1f %7f app%00 %0aapp app%0a',
  ),
  words('% %2 %zz %u0041 %%30%30 a%'),
  // Surrogates, single and in pairs (CESU-8), overlong forms, code points beyond Unicode, truncated sequences.
  words('%ed%a0%80 %ed%bf%bf %ed%a0%bd%ed%b8%80 %c0%80 %c0%af %c1%a1pp %e0%80%af %f0%80%80%af'),
  words('%f8%88%80%80%80 %fc%84%80%80%80%80 %f4%90%80%80 %f7%bf%bf%bf %80 %bf %fe%ff %ff'),
  words('%e2%82 %c3%28 %e2%28%a1 %f0%9f%98 %ef%bf%bd \ud83d \ufffd'),
].flat()

/** Well-formed text with a special meaning in another context. */
const ODD = [
  words('__proto__ constructor prototype toString hasOwnProperty __defineGetter__ __lookupSetter__ valueOf'),
  words('isPrototypeOf then null undefined true NaN 0 -1 1e309 [] {"$gt":""} {"__proto__":{"polluted":1}}'),
  words('* ../../etc/passwd %00 %2500 %s%n <%7*7%> {{7*7}} #{7*7} `id` redmint:client:app client:app {app}'),
  words(
    'APP аpp ａｐｐ app\u200b app\u0301 \u0085 \u202eppa \ufffe \u{10ffff} 😀 İ ß ﬀ <script>alert(1)</script>',
  ),
  [
    "' OR '1'='1",
    '"><img src=x onerror=alert(1)>',
    'app ',
    ' app',
    '\u2028',
    '\ufeffapp',
    'x'.repeat(15_000),
  ],
].flat()

const PROTOTYPE_NAMES = [
  words('__proto__ __proto__[polluted] __proto__.polluted constructor constructor[prototype][polluted]'),
  words('constructor.prototype.polluted prototype toString hasOwnProperty valueOf __defineGetter__ then'),
  words('__defineSetter__ length client_id[] client_id[0] scope.x $where 0'),
  [' client_id', 'client_id ', 'Client_id'],
].flat()

for (const endpoint of ENDPOINTS) {
  const { name, fields } = endpoint

  siege(`${name}: malformed text in a known parameter is refused before any look-up`, async (t, service) => {
    const judge = async (encoded: string, verdict: Verdict) =>
      faults(service, await service.send(endpoint.attack(encoded)), verdict)
    for (const field of fields.filter((field) => field !== 'unknown')) {
      const right = await endpoint.right(service)
      await each(t, field, MALFORMED, (text) =>
        judge(encode(right, { [field]: text }), unreadable(endpoint, field)),
      )
    }
    t.strictSame(lookups(service), [], 'refused before any lookup')
    await each(t, 'what nothing reads', MALFORMED, async (text) => {
      const right = encode(await endpoint.right(service))
      return [
        ...(await judge(`${right}&unknown=${text}`, 'served')),
        ...(await judge(`${encode(await endpoint.right(service))}&client_id${text}=1`, 'served')),
      ]
    })
  })

  siege(`${name}: unusual text in a field gets the expected response`, async (t, service) => {
    for (const field of fields) {
      await each(t, field, ODD, async (value) => {
        const right = await endpoint.right(service)
        const reply = await service.send(endpoint.attack(encode({ ...right, [field]: value })))
        return faults(service, reply, endpoint.verdict(field, value))
      })
    }
  })

  siege(`${name}: names of object prototypes are ordinary unknown names`, async (t, service) => {
    const judge = async (odd: string, times: number, verdict: Verdict) => {
      const right = encode(await endpoint.right(service))
      const extra = `&${encodeURIComponent(odd)}=polluted`
      return faults(service, await service.send(endpoint.attack(right + extra.repeat(times))), verdict)
    }
    await each(t, 'once', PROTOTYPE_NAMES, (odd) => judge(odd, 1, 'served'))
    await each(t, 'twice', PROTOTYPE_NAMES, (odd) => judge(odd, 2, 'served'))
    t.notOk('polluted' in {})
  })

  siege(`${name}: a repeated parameter is refused before any look-up`, async (t, service) => {
    for (const field of fields.filter((field) => field !== 'unknown')) {
      const right = await endpoint.right(service)
      const rest = encode(Object.fromEntries(Object.entries(right).filter(([other]) => other !== field)))
      const value = encodeURIComponent(right[field] ?? '1')
      const disguised = `%${field.charCodeAt(0).toString(16)}${field.slice(1)}`
      const good = `${field}=${value}`
      const twice = [`${good}&${good}`, `${field}=x&${good}`, `${good}&${field}=x`, `${field}=&${good}`]
      const veiled = [`${good}&${field}=`, `${good}&${field}`, `${good}&${disguised}=${value}`]
      await each(t, field, [...twice, ...veiled], async (pairs) =>
        faults(service, await service.send(endpoint.attack(`${rest}&${pairs}`)), unreadable(endpoint, field)),
      )
    }
    t.strictSame(lookups(service), [])
  })

  siege(`${name}: an empty parameter counts as absent`, async (t, service) => {
    for (const field of fields) {
      const { [field]: _, ...absent } = await endpoint.right(service)
      const one = await service.send(endpoint.attack(encode(absent)))
      const { [field]: __, ...again } = await endpoint.right(service)
      const other = await service.send(endpoint.attack(encode(again, { [field]: '' })))
      const essence = ({ status, error, location }: Reply) => [
        status,
        error,
        location?.replace(/(code|transaction)=[^&]+/, ''),
      ]
      t.strictSame(essence(other), essence(one), field)
      service.writes.length = 0
    }
  })

  siege(`${name}: too many parameters are refused`, async (t, service) => {
    const right = encode(await endpoint.right(service))
    const many = (pair: (index: number) => string) => Array.from({ length: 1500 }, (_, index) => pair(index))
    const floods = [
      many((index) => `p${index}=1`),
      many((index) => `p${index}`),
      many(() => ''),
      many(() => '='),
    ]
    await each(t, '1,500 more', floods, async (pairs) =>
      faults(service, await service.send(endpoint.attack(`${right}&${pairs.join('&')}`)), REFUSED),
    )
    t.strictSame(service.calls, [])
  })
}
