import t from 'tap'
import { resourceKey } from '../../../../src/core/resource-uri.ts'

t.test('spellings of one resource have one form', async (t) => {
  const table: [form: string, spellings: string[]][] = [
    [
      'https://api.example.com/',
      [
        'https://api.example.com',
        'https://api.example.com/',
        'HTTPS://API.example.com:443',
        'https://api.example.com/.',
      ],
    ],
    ['https://api.example.com/v1', ['https://api.example.com/v1', 'https://api.example.com/v0/../v1']],
    ['https://api.example.com/?a=1', ['https://api.example.com?a=1', 'https://api.example.com/?a=1']],
    ['http://[::1]:3000/', ['http://[::1]:3000', 'http://[0:0:0:0:0:0:0:1]:3000/']],
    ['api://client-1/', ['api://client-1', 'api://client-1/']],
    ['api://client-1/?a=1', ['api://client-1?a=1']],
    ['urn:example:api', ['urn:example:api']],
  ]
  for (const [form, spellings] of table) {
    for (const spelling of spellings) t.equal(resourceKey(spelling), form, spelling)
  }
})

t.test('no part but an empty path is dropped', async (t) => {
  const distinct = [
    'https://api.example.com/',
    'https://api.example.com/v1',
    'https://api.example.com/v1/',
    'https://api.example.com/V1',
    'https://api.example.com//',
    'https://api.example.com/v%31',
    'https://api.example.com/?',
    'https://api.example.com/?a=1',
    'https://api.example.com:8443/',
    'https://user@api.example.com/',
    'http://api.example.com/',
    'urn:example:api',
    'urn:example:API',
  ]
  t.equal(new Set(distinct.map(resourceKey)).size, distinct.length)
})

t.test('what is no absolute URI without a fragment has no form (RFC 8707 §2)', async (t) => {
  const refused = [
    '',
    'api.example.com',
    '/v1',
    '//api.example.com/v1',
    'https://',
    'https://api.example.com/#',
    'https://api.example.com/#part',
    ' https://api.example.com/',
    'https://api.example.com/\n',
    'https://api.exa\tmple.com/',
    'https://api.example.com\\v1',
    'https://api.example.com/a b',
    'https://bücher.example/',
  ]
  for (const uri of refused) t.equal(resourceKey(uri), undefined, JSON.stringify(uri))
})
