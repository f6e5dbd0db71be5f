// WebFinger (RFC 7033 §4, OpenID Connect Discovery §2): the issuer for every address of a host, and nothing about users.
import t from 'tap'
import { findIssuer } from '../../../../src/service/webfinger.ts'

const REL = 'http://openid.net/specs/connect/1.0/issuer'
const settings = {
  issuer: 'https://example.com/auth',
  webfinger_hosts: ['example.com', 'id.example.com:8443'],
}
const ask = (...parameters: [name: string, value: string][]) =>
  findIssuer(settings, new URLSearchParams(parameters).toString())
const LINKS = [{ rel: REL, href: settings.issuer }]

t.test('every user of the hosts has the issuer', async (t) => {
  for (const resource of [
    'acct:alice@example.com',
    'acct:nobody-has-this-name@example.com',
    'ACCT:alice@EXAMPLE.com',
    'acct:alice%40other.example@example.com',
    "acct:a.b+c!$&'()*,;=~_-@example.com",
    'https://example.com',
    'https://example.com/alice',
    'https://example.com:443/alice?x=y',
    'HTTPS://Example.com/',
    'https://id.example.com:8443/alice',
  ]) {
    t.same(ask(['resource', resource]), { subject: resource, links: LINKS }, resource)
  }
})

t.test('rel chooses among the links, and may be repeated (RFC 7033 §4.3)', async (t) => {
  const resource = ['resource', 'acct:alice@example.com'] as [string, string]
  const other = ['rel', 'http://webfinger.net/rel/profile-page'] as [string, string]
  t.same(ask(resource, ['rel', REL])?.links, LINKS)
  t.same(ask(resource, other, ['rel', REL])?.links, LINKS)
  t.same(ask(resource, other), { subject: resource[1], links: [] })
})

t.test('of other resources nothing is known', async (t) => {
  for (const resource of [
    'acct:alice@other.example',
    'acct:alice@example.com.other.example',
    'acct:alice@sub.example.com',
    'acct:alice@example.com:8443',
    'acct:alice@id.example.com',
    'https://other.example/alice@example.com',
    'https://example.com@other.example/',
    'https://example.com:8443/',
    'http://example.com/alice',
    'mailto:alice@example.com',
    'urn:example:alice',
    'device:example.com',
  ]) {
    t.equal(ask(['resource', resource]), undefined, resource)
  }
})

t.test('a query without one well-formed resource is refused (RFC 7033 §4.2)', async (t) => {
  for (const resource of [
    '',
    'alice',
    'alice@example.com',
    'example.com',
    'acct:',
    'acct:alice',
    'acct:@example.com',
    'acct:alice@',
    'acct:alice@bob@example.com',
    'acct:alice@example.com/x',
    'acct:alice@example.com?x',
    'acct:alice@exa mple.com',
    'acct:alice@example.com\n',
    'acct:älice@example.com',
    'acct:alice@[example.com',
    'https:example.com',
    'https://',
    'https://exa\tmple.com/',
    '//example.com/alice',
  ]) {
    t.throws(
      () => ask(['resource', resource]),
      { code: 'invalid_request', status: 400 },
      JSON.stringify(resource),
    )
  }
  const resource = ['resource', 'acct:alice@example.com'] as [string, string]
  for (const parameters of [[], [['rel', REL]], [resource, resource], [['Resource', resource[1]]]] as [
    string,
    string,
  ][][]) {
    t.throws(() => ask(...parameters), { code: 'invalid_request' }, JSON.stringify(parameters))
  }
  t.throws(() => findIssuer(settings, 'resource=acct:alice%zz@example.com%'), { code: 'invalid_request' })
})
