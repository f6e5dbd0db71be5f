// A code that another server let its holder take to another client (CVE-2026-16089), or whose `resource` counted for nothing
// (CVE-2026-67332): each of the things that a code is bound to, wrong alone and with the others.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { changeClient, createClient } from '../../../support/records.ts'
import {
  basic,
  CLIENTS,
  codeRequest,
  REDIRECT_URI,
  startService,
  VERIFIER,
} from '../../../support/service.ts'

const [AGREED, OTHER] = ['https://orders.example/v1', 'https://billing.example/']
const ALSO_REGISTERED = 'https://app.example.com/other'
/** What the token request may name, first what is right. */
const NAMED = {
  client_id: ['web', 'twin', 'app'],
  redirect_uri: [REDIRECT_URI, ALSO_REGISTERED, undefined],
  code_verifier: [VERIFIER, VERIFIER.toLowerCase(), undefined],
  resource: [AGREED, OTHER, undefined],
} as const

type Named = { [Name in keyof typeof NAMED]: string | undefined }

const every: Named[] = NAMED.client_id.flatMap((client_id) =>
  NAMED.redirect_uri.flatMap((redirect_uri) =>
    NAMED.code_verifier.flatMap((code_verifier) =>
      NAMED.resource.map((resource) => ({ client_id, redirect_uri, code_verifier, resource })),
    ),
  ),
)

t.test(
  'a code counts for its client, redirect_uri, verifier and resource together, and no attempt spends it',
  async (t) => {
    const service = await startService(t)
    for (const id of [AGREED, OTHER])
      await service.storage.records.put({ kind: RESOURCE, id, hash: { resource_name: id } })
    const redirect_uris = [REDIRECT_URI, ALSO_REGISTERED]
    await createClient(
      service.storage,
      'twin',
      formatClient({ ...CLIENTS.web, client_id: 'twin', redirect_uris }),
    )
    const set = { redirect_uris: redirect_uris.join(' ') }
    for (const client_id of ['web', 'app']) await changeClient(service.storage, client_id, { set })
    const send = (named: Named, code: string) => {
      const { redirect_uri: _, code_verifier: __, ...form } = codeRequest(code)
      const given = Object.entries(named).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      )
      const client_id = named.client_id ?? ''
      return service.token(
        { ...form, ...Object.fromEntries(given) },
        client_id === 'app' ? {} : basic(client_id),
      )
    }
    const code = await service.code({ client_id: 'web', resource: AGREED })
    for (const named of every) {
      const wrong = Object.entries(NAMED).filter(([name, [right]]) => named[name as keyof Named] !== right)
      // A token request without resource is for that of the sign-in (RFC 8707 §2.2).
      const is_right = wrong.every(([name]) => name === 'resource' && named.resource === undefined)
      if (is_right) continue
      const { status, json } = await send(named, code)
      const names = wrong.map(([name]) => `${name} ${named[name as keyof Named] ?? 'left out'}`).join(', ')
      t.ok(status >= 400 && status < 500, names)
      t.match(json.error, /^invalid_(grant|target|request|client)$/, names)
      t.notOk(Object.hasOwn(json, 'access_token'), names)
    }
    const right = { client_id: 'web', redirect_uri: REDIRECT_URI, code_verifier: VERIFIER, resource: AGREED }
    t.match(await send(right, code), { status: 200, json: { access_token: String } }, 'nothing spent it')
  },
)
