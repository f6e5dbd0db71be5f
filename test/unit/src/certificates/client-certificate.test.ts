// The headers of the proxy (RFC 9440 §2.2): which ones have a certificate that can be used.
import t from 'tap'
import { readClientCertificate } from '../../../../src/certificates/client-certificate.ts'
import { CN, issue, name } from '../../../support/certificates.ts'

const not_before = new Date('2026-11-01T00:00:00Z')
const not_after = new Date('2026-12-01T00:00:00Z')
const NOW = Date.parse('2026-11-22T00:00:00Z')
const issued = issue({ subject: name([CN, 'billing']), not_before, not_after })
const base64 = issued.der.toString('base64')

const read = (client_cert: string | undefined, now = NOW, verified?: string) =>
  readClientCertificate({ client_cert, verified }, now)

t.test('a certificate, and whether the proxy verified its chain', async (t) => {
  t.match(read(`:${base64}:`), { ok: true, certificate: { verified: false } })
  t.match(read(`:${base64}:`, NOW, '?1'), { ok: true, certificate: { verified: true } })
  for (const other of ['?0', '', '1', 'true', 'SUCCESS', '?1, ?1', '?1;a', '?1 ']) {
    t.match(read(`:${base64}:`, NOW, other), { ok: true, certificate: { verified: false } }, other)
  }
})

t.test('no certificate that can be used', async (t) => {
  t.match(read(undefined), { ok: false, reason: 'no client certificate' })
  const rows: [why: string, header: string][] = [
    ['nothing', ''],
    ['no octets', '::'],
    ['no colons', base64],
    ['a colon too few', `:${base64}`],
    ['a colon too many', `::${base64}:`],
    ['two headers', `:${base64}:, :${base64}:`],
    ['a parameter', `:${base64}:;a=1`],
    ['space in it', `: ${base64}:`],
    ['base64url', `:${issued.der.toString('base64url')}_:`],
    ['without padding', ':MA:'],
    ['bits behind the last octet', ':MAB=:'],
    ['PEM', `:${Buffer.from(issued.pem).toString('base64')}:`],
    ['PEM as some proxies send it', encodeURIComponent(issued.pem)],
    ['octets that are no certificate', ':MAA=:'],
    ['too long', `:${'AAAA'.repeat(4096)}:`],
  ]
  for (const [why, header] of rows) t.match(read(header), { ok: false, reason: /Client-Cert/ }, why)
})

t.test('a certificate outside of its validity period counts as none', async (t) => {
  const reason = 'the client certificate has expired, or is not valid yet'
  t.same(read(`:${base64}:`, not_before.getTime() - 1), { ok: false, reason })
  t.same(read(`:${base64}:`, not_after.getTime() + 1), { ok: false, reason })
})
