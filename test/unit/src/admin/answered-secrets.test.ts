// What opens something in an answer of the admin API is what is documented, and nothing else. ZITADEL handed a code back to its
// caller (CVE-2026-105211), Casdoor private keys (CVE-2026-90942), Bitwarden a key that was shown before (CVE-2026-43640).
import t from 'tap'
import { OPERATIONS } from '../../../../src/admin/operations.ts'

const ALL = Object.values(OPERATIONS)

/** Where each member stands that holds what opens something. */
const OPENS: Readonly<Record<string, { readonly in: RegExp; readonly why: string }>> = {
  client_secret: { in: /_client(s|_secret)?$/, why: 'one that was generated, once' },
  invitation: { in: /^create_invitation$/, why: 'to register a client, once' },
  url: { in: /^create_(reset_link|user_invitation)$/, why: 'the link that was asked for' },
  redirect_to: {
    in: /^(accept|refuse)_(login|consent)$/,
    why: 'the way on of the browser that began, and of no other',
  },
  access_token: { in: /^act_as_user$/, why: 'the token with which an operator acts, once' },
  user_code: { in: /^read_consent$/, why: 'what the page has the person compare' },
}
/** Members with such a name that say how something is, and not what it is. */
const SAYS = new Set([
  'scope_claims_in_id_token',
  'custom_claims_in_access_token',
  'endpoint_url',
  'status_list',
  'secret',
  'old_secret',
  'registration_token',
  'password',
  'code',
  'challenge',
])
const NAMED =
  /(^|_)(secret|token|code|password|cookie|challenge|private_jwk|hash|sealed|url|invitation|redirect_to)$/

/** The names of all members in a schema, however deep. */
function membersOf(schema: unknown, seen = new Set<object>()): Set<string> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return new Set()
  seen.add(schema)
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : []
  return new Set([...own, ...Object.values(schema).flatMap((part) => [...membersOf(part, seen)])])
}

t.test('no answer has a code, a link, a secret or a private key but those that are documented', async (t) => {
  const seen = new Set<string>()
  for (const { name, answer } of ALL) {
    for (const member of membersOf(answer)) {
      if (!NAMED.test(member) || SAYS.has(member)) continue
      seen.add(member)
      // Whether a token would be issued is all that is said of it.
      if (/^what_if(_exchange)?$/.test(name) || /^(has|is)_secret$/.test(member)) continue
      t.match(name, OPENS[member]?.in ?? /^none$/, `${name}: ${member}`)
    }
  }
  for (const member of Object.keys(OPENS)) t.ok(seen.has(member), `${member} is still there`)
})

t.test('a key is shown by its public part alone', async (t) => {
  const private_parts = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'private_jwk']
  for (const { name, answer } of ALL)
    for (const member of membersOf(answer)) t.notOk(private_parts.includes(member), `${name}: ${member}`)
})
