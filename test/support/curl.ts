// What the commands that redmint prints need of curl, for machines that have none: a bare Debian has not.
// Usage: curl -s [-o /dev/null] [-w '%{redirect_url}\n'] [-u user:password] [-H header]… [-d field]… url
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w', default: '' },
    user: { type: 'string', short: 'u' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd', multiple: true, default: [] },
  },
})

const headers = new Headers(
  values.header.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  }),
)
if (values.user) headers.set('authorization', `Basic ${Buffer.from(values.user).toString('base64')}`)
if (values.data.length > 0) headers.set('content-type', 'application/x-www-form-urlencoded')

const response = await fetch(positionals[0] ?? '', {
  headers,
  redirect: 'manual',
  // Like curl, it sends what it was given and encodes nothing.
  ...(values.data.length > 0 ? { method: 'POST', body: values.data.join('&') } : {}),
})
const body = await response.text()
if (values.output !== '/dev/null') process.stdout.write(body)
process.stdout.write(
  values['write-out']
    .replaceAll('\\n', '\n')
    .replaceAll('%{redirect_url}', response.headers.get('location') ?? ''),
)
