// A name that shows nothing, or turns the text around it, is refused wherever people would see it.
import t from 'tap'
import { readClientMetadata } from '../../../../src/clients/documents/client-metadata.ts'
import { parseClient } from '../../../../src/clients/record/client-record.ts'
import { brandProblems } from '../../../../src/config/brand.ts'
import { SCOPE_TEXTS } from '../../../../src/config/scope-texts.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { parseUser } from '../../../../src/users/user-record.ts'

const BLANK = ['\u200B', '\u3164', '\u2800', '\u0301', '\u202E', '\u00A0\u2003', '\u2066\u2069']

const rules = { client_id: 'c', scopes: [], signing_algs: [], client_certificates: false }
const record = { is_public: 'true', redirect_uris: '', allowed_scopes: '', grant_types: 'refresh_token' }

/** Each place where people see a name: whether it takes one. */
const PLACES: Readonly<Record<string, (name: string) => boolean>> = {
  'a client that describes itself': (client_name) => {
    try {
      readClientMetadata({ client_name, redirect_uris: ['https://app.example/cb'] }, rules)
      return true
    } catch {
      return false
    }
  },
  'a client of an operator': (client_name) => parseClient('c', { ...record, client_name }).ok,
  'a resource': (resource_name) =>
    RESOURCE.parse({ resource: 'https://a.example', resource_name }, 'https://a.example').ok,
  'the service': (service_name) => brandProblems({ service_name, accent_color: '#0f766e' }).length === 0,
  'a scope': (text) =>
    SCOPE_TEXTS.faults?.(new Map([['api.read', new Map([['en', text]])]]), '')?.length === 0,
  'a user': (username) => parseUser(username, { sub: 'u' }).ok,
}

for (const [place, takes] of Object.entries(PLACES)) {
  t.test(`${place}: no blank name`, async (t) => {
    t.ok(takes('Notes'))
    for (const name of BLANK)
      t.notOk(takes(name), [...name].map((one) => one.codePointAt(0)?.toString(16)).join(' '))
  })
}
