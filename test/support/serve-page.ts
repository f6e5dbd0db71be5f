// A page with its scripts on a loopback origin of its own.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/**
 * Serves scripts at their paths, and the page everywhere else.
 * @returns the origin
 */
export async function servePage(
  t: Test,
  page: string,
  scripts: Readonly<Record<string, string>>,
): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const script = Object.hasOwn(scripts, url) ? scripts[url] : undefined
    const type = script === undefined ? 'html' : 'javascript'
    response.setHeader('content-type', `text/${type}; charset=utf-8`).end(script ?? page)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
