// A hole of another server: it compared the path as it came with the paths it protects, so that a slash at the end or a
// matrix parameter led to a weaker rule (CVE-2026-15573). redmint guards what the router found, not a path.

import { each, siege, words } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { bearer } from '../../../support/service.ts'

/** What may be put around each segment of a path without a lenient server seeing another path. */
const DECORATIONS = [
  ...words(
    '/ // /. /./ ; ;x=1 ;jsessionid=1 %3b %3Bx=1 %2f %2F/ /%2e /%2e/ . .. /.. %20 %09 %00 %23 %3f %5c \\',
  ),
  ...words('/x/.. /x/%2e%2e /..%2f ?x=;/ #x ;/../x %c0%af %e2%81%84 %ef%bc%8f %252f %25%32%66'),
]
const SEGMENTS = ['', '/api', '/resource']

/** The path of the resource with a decoration after one of its segments. */
function decorated(decoration: string): string[] {
  return SEGMENTS.map((_, place) =>
    SEGMENTS.map((segment, at) => segment + (at === place ? decoration : '')).join(''),
  )
}

/** The first segment of a path as the most lenient server sees it: decoded, without parameters and dots. */
function firstSegment(path: string): string | undefined {
  const plain = decodeURIComponent(path.replace(/%(?![0-9a-f]{2})/gi, ''))
    .replace(/[?#].*$/s, '')
    .replaceAll('\\', '/')
  const stack: string[] = []
  for (const segment of plain.split('/').map((part) => part.replace(/;.*$/s, ''))) {
    if (segment === '..') stack.pop()
    else if (segment !== '' && segment !== '.') stack.push(segment)
  }
  return stack[0]
}

const isDecodable = (path: string) => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

siege('no spelling of a guarded path is served without a token', async (t, service) => {
  const send = await listen(service.fastify)
  const { access_token } = await service.tokens()
  const authorization = `Authorization: ${bearer(access_token).authorization}`
  const paths = DECORATIONS.flatMap(decorated)
  await each(t, 'without a token', paths, async (path) => {
    const { status, body } = await send(request(`GET ${path}`))
    const found = body.includes('protected resource') ? ['the resource'] : []
    return [400, 401, 404].includes(status) ? found : [...found, `status ${status}`]
  })
  await each(
    t,
    'below the guarded path, as the router sees it',
    paths.filter((path) => /^\/api[/?#]/.test(path)),
    async (path) => {
      const { status } = await send(request(`GET ${path}`))
      return status === (isDecodable(path) ? 401 : 400) ? [] : [`status ${status}`]
    },
  )
  await each(t, 'with a token', paths, async (path) => {
    const { status, body } = await send(request(`GET ${path}`, [authorization]))
    // A token opens nothing that a server in front would take for something else.
    const isServed = status === 200 && body.includes('alice')
    const found = isServed && firstSegment(path) !== 'api' ? ['served under another name'] : []
    return isServed || [400, 404].includes(status) ? found : [...found, `status ${status}`]
  })
})
