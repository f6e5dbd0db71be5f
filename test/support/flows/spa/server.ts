// A page with oidc-client-ts on its own loopback origin.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { servePage } from '../../serve-page.ts'

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
  return servePage(t, page ?? '', {
    '/app.js': `const settings = ${JSON.stringify(settings)}\n${app}`,
    '/oidc-client-ts.js': library ?? '',
  })
}
