// A page with oidc-client-ts on its own loopback origin.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

const HERE = new URL('.', import.meta.url)
const LIBRARY = new URL('../browser/oidc-client-ts.js', import.meta.resolve('oidc-client-ts'))

/**
 * Serves the page at `/`, `/callback` and `/bye`.
 * @param settings the configuration of the page
 * @returns its origin
 */
export async function serveSpa(t: Test, settings: { authority: string; client_id: string }): Promise<string> {
  const [page, app, library] = await Promise.all(
    [new URL('index.html', HERE), new URL('app.js', HERE), LIBRARY].map((url) =>
      readFile(fileURLToPath(url), 'utf8'),
    ),
  )
  const server = createServer(({ url = '' }, response) => {
    const [type, text] =
      url === '/app.js'
        ? ['javascript', `const settings = ${JSON.stringify(settings)}\n${app}`]
        : url === '/oidc-client-ts.js'
          ? ['javascript', library]
          : ['html', page]
    response.setHeader('content-type', `text/${type}; charset=utf-8`).end(text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
