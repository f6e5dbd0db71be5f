import t from 'tap'
import { createResourceServer } from '../../../../src/resource-server/create.ts'

const GIVEN = { issuer: 'https://auth.example.com', resource: 'https://api.example.com' }
const CLIENT = { client_id: 'api', client_secret: '' }
const SECRET = 'x'.repeat(32)

const create = (more: object) => createResourceServer({ ...GIVEN, ...more } as never)

t.test('an option with a value of a wrong type is refused, with what it must be', async (t) => {
  const wrong: [options: object, message: string][] = [
    [{ issuer: undefined }, 'issuer must be a string that is not empty.'],
    [{ resource: new URL(GIVEN.resource) }, 'resource must be a string that is not empty.'],
    [{ audience: null }, 'audience must be a string or an array of strings.'],
    [{ audience: [7] }, 'audience must be a string or an array of strings.'],
    [{ certificateOf: 'x-client-cert' }, 'certificateOf must be a function.'],
    [{ scopes_supported: 'reports.read' }, 'scopes_supported must be an array of strings.'],
    [{ scopes_supported: [7] }, 'scopes_supported must be an array of strings.'],
    [{ resource_name: 7 }, 'resource_name must be a string.'],
    [{ resource_documentation: {} }, 'resource_documentation must be a string.'],
    [
      { tls_client_certificate_bound_access_tokens: 'false' },
      'tls_client_certificate_bound_access_tokens must be true or false.',
    ],
    [{ acting: true }, "acting must be 'refuse' or 'allow'."],
    [{ acting: 'Allow' }, "acting must be 'refuse' or 'allow'."],
    [{ realm: 7 }, 'realm must be a string.'],
    [{ now: 7 }, 'now must be a function.'],
    [{ dpop: true }, 'dpop must be an object.'],
    [{ dpop: { required: 'false' } }, 'dpop.required must be true or false.'],
    [{ dpop: { nonce_secret: 7 } }, 'dpop.nonce_secret must be a string.'],
    [{ dpop: { used_proofs: new Map() } }, 'dpop.used_proofs must be an object with a function `use`.'],
    [{ introspection: null }, 'introspection must be an object.'],
    [
      { introspection: { ...CLIENT, client_id: '' } },
      'introspection.client_id must be a string that is not empty.',
    ],
    [{ introspection: { client_id: 'api' } }, 'introspection.client_secret must be a string.'],
    [{ introspection: { ...CLIENT, signed: 'false' } }, 'introspection.signed must be true or false.'],
    ...['60', -1, Number.NaN, Number.POSITIVE_INFINITY].map((cache_seconds): [object, string] => [
      { introspection: { ...CLIENT, cache_seconds } },
      'introspection.cache_seconds must be a number of seconds, 0 or more.',
    ]),
  ]
  for (const [options, message] of wrong)
    t.throws(() => create(options), { name: 'TypeError', message }, JSON.stringify(options))
})

t.test('every option is taken with a value of its type, and undefined counts as absent', async (t) => {
  const { metadata } = create({
    audience: [GIVEN.resource],
    certificateOf: () => undefined,
    scopes_supported: ['reports.read'],
    resource_name: 'Reports',
    resource_documentation: 'https://api.example.com/docs',
    tls_client_certificate_bound_access_tokens: false,
    realm: '',
    acting: 'allow',
    now: () => 0,
    dpop: { required: true, nonce_secret: SECRET, used_proofs: { use: async () => true } },
    introspection: { ...CLIENT, cache_seconds: 0.5, signed: true },
  })
  t.match(metadata, { resource_name: 'Reports', scopes_supported: ['reports.read'] })
  const absent = { audience: undefined, realm: undefined, dpop: undefined, introspection: undefined }
  t.ok(create({ ...absent, dpop: { required: undefined } }))
})
