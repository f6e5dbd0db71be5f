// The lists in docs/ match the program, in both directions.
import { readdir } from 'node:fs/promises'
import Fastify from 'fastify'
import t from 'tap'
import redmint from '../../app.ts'
import { ERROR_CODES } from '../../src/core/errors.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { codeIn, readText, tableRows } from '../support/markdown.ts'
import { ISSUER, useTestKeys } from '../support/service.ts'

t.test('docs/errors.md has every error code', async (t) => {
  const rows = tableRows(await readText('docs/errors.md'))
  const documented = new Set(rows.flatMap(([cell = '']) => codeIn(cell)))
  const files = [
    'instance.ts',
    'src/core/error-body.ts',
    ...(await readdir('routes')).map((name) => `routes/${name}`),
  ]
  const literals = (await Promise.all(files.map(readText))).flatMap((text) => [
    ...text.matchAll(/\berror: '(\w+)'/g),
  ])
  const codes = new Set([...ERROR_CODES, ...literals.map(([, code]) => code)])

  t.ok(codes.size > 15)
  t.same([...documented].sort(), [...codes].sort())
})

t.test('docs/http-api.md has every route', async (t) => {
  const found = new Set<string>()
  const host = Fastify()
  host.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) found.add(`${name} ${url}`)
  })
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  const change_password_url = 'https://id.example.com/password'
  await host.register(redmint, {
    issuer: ISSUER,
    storage,
    home: true,
    change_password_url,
    client_registration: 'open',
    webfinger_hosts: ['example.com'],
  })
  t.teardown(() => host.close())
  // HEAD belongs to GET, OPTIONS to CORS, and /* and the other routes of /api answer unknown paths.
  const routes = [...found].filter((route) => !/^(HEAD|OPTIONS) | (\/\*|\/api(\/\*?)?)$/.test(route))

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
