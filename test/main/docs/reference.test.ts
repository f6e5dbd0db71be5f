// The list of routes in docs/ matches the program, in both directions.

import Fastify from 'fastify'
import t from 'tap'
import redmint from '../../../app.ts'
import { DESCRIBED } from '../../../scripts/described-settings.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { codeIn, readText, tableRows } from '../../support/markdown.ts'
import { useTestKeys } from '../../support/service.ts'

t.test('docs/http-api.md has every route', async (t) => {
  const found = new Set<string>()
  const host = Fastify()
  host.addHook('onRoute', ({ method, url }) => {
    // The path of a script has its digest.
    const path = url.replace(/(\/(?:passkeys|notices)\.)[\w-]+(\.js)$/, '$1:digest$2')
    for (const name of [method].flat()) found.add(`${name} ${path}`)
  })
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  const change_password_url = 'https://id.example.com/password'
  await host.register(redmint, {
    ...DESCRIBED,
    storage,
    home: true,
    change_password_url,
    smtp_url: 'smtp://127.0.0.1:9',
    mail_from: 'login@example.com',
    sign_up: 'open',
    admin_api: 'on',
    console: 'on',
    web_push_private_key: Buffer.alloc(32, 1).toString('base64'),
    web_push_contact: 'mailto:ops@example.com',
    forward_auth_clients: ['wiki'],
    sign_in: 'providers',
  })
  t.teardown(() => host.close())
  // HEAD belongs to GET, OPTIONS to CORS, and /* and the other routes of /api answer unknown paths.
  // Below /auth/forward each method is answered as Envoy asks.
  // docs/admin-openapi.json has those of the admin API, and docs/console.md says what is in the console.
  const routes = [...found].filter(
    (route) =>
      !/^(HEAD|OPTIONS) | (\/\*|\/auth\/forward\/\*|\/api(\/\*?)?|\/admin\/v1.*|\/console\/.*)$/.test(route),
  )

  const [table = ''] = (await readText('docs/http-api.md')).split('\n## ')
  const documented = tableRows(table).flatMap(([cell = '']) => {
    const path = / (\/\S*)$/
    const codes = codeIn(cell)
    return codes.map((code, index) =>
      path.test(code)
        ? code
        : `${code} ${path.exec(codes.slice(index).find((other) => path.test(other)) ?? '')?.[1]}`,
    )
  })
  t.same(documented.sort(), routes.sort())
})
