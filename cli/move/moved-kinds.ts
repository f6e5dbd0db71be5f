import { APPLICATIONS } from '../../src/admin/applications/applications.ts'
import { DETAIL_TYPES } from '../../src/admin/details/detail-types.ts'
import { ISSUERS } from '../../src/admin/issuers/issuers.ts'
import { RESOURCES } from '../../src/admin/resources/resources.ts'
import { changesOf, type SimpleType } from '../../src/admin/simple/simple-type.ts'
import { APPLICATION } from '../../src/applications/application-record.ts'
import { INITIAL_ACCESS_TOKEN } from '../../src/clients/registration/initial-access-token.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { DETAIL_TYPE } from '../../src/details/detail-type.ts'
import { CONSENT, consentId, listingOf, rememberedDetails, toldNames } from '../../src/interaction/consent.ts'
import { ISSUER } from '../../src/issuers/issuer-kind.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import { USER_INVITATION } from '../../src/self-service/invitation.ts'
import { INITIAL_ACCESS_TOKEN_TAG } from '../../src/storage/registrations.ts'
import { usernamesOfSub } from '../../src/users/sign-in-names.ts'
import type { CommandContext } from '../command-context.ts'
import { Seen } from '../seen.ts'
import type { KindOfRecord, MovedKind } from './kind.ts'
import { MOVED_CLIENT } from './moved-client.ts'
import { MOVED_PROVIDER } from './moved-provider.ts'
import { MOVED_USER } from './moved-user.ts'
import { plainKind, type SimpleOptions } from './plain-kind.ts'

const SHA256 = /^[\w-]{43}$/
const INVITATION_ID = /^[0-9a-f]{16}$/

const expires = (_context: CommandContext, _id: string, { expires_at = '' }: Hash) => {
  const at = Date.parse(expires_at)
  return Number.isNaN(at) ? undefined : at
}

const consentListing = ({ config, now }: CommandContext, id: string, fields: Hash) =>
  listingOf(id, fields, config.settings.consent_ttl, now())

const plainConsent = plainKind({
  name: 'consent',
  kind: CONSENT,
  isId(id) {
    const { owner, id: client_id } = listingOf(id, {}, 0, 0) ?? {}
    return owner !== undefined && client_id !== undefined && consentId(owner, client_id) === id
  },
  endsAt: (context, id, fields) => consentListing(context, id, fields)?.until,
  lists(context, id, fields) {
    const listing = consentListing(context, id, fields)
    return listing === undefined ? [] : [listing]
  },
  async eventsOf(context, id, fields) {
    const { owner: sub, id: client_id } = consentListing(context, id, fields) ?? {}
    if (sub === undefined || client_id === undefined) return { events: [] }
    const [username = ''] = await usernamesOfSub(context.storage, sub)
    const { scope: allowed = '', details } = fields
    const remembered = rememberedDetails({ scope: allowed, ...(details !== undefined && { details }) })
    const scope = toldNames(scopeNames(allowed), [...remembered.values()]).join(' ')
    return { events: [{ event: 'consent_given', username, sub, client_id, scope }] }
  },
})

/** What users allowed clients: not a listed kind, so it is found by a scan of all keys, which may repeat a record. */
const MOVED_CONSENT: MovedKind = {
  ...plainConsent,
  async *all({ storage }, left_out) {
    const seen = new Seen()
    for await (const { id, hash } of storage.records.scan(CONSENT)) {
      if (seen.add(id)) continue
      const content = { fields: hash }
      const [problem] = plainConsent.problems(id, content)
      if (problem === undefined) yield { id, content }
      else left_out('consent', id, problem)
    }
  },
}

/** The kinds of records that are moved one by one. */
export const MOVED_KINDS: Readonly<Record<Exclude<KindOfRecord, 'signing-key'>, MovedKind>> = {
  resource: ofSimple('resource', RESOURCE, RESOURCES),
  'detail-type': ofSimple('detail-type', DETAIL_TYPE, DETAIL_TYPES),
  issuer: ofSimple('issuer', ISSUER, ISSUERS),
  application: ofSimple('application', APPLICATION, APPLICATIONS),
  provider: MOVED_PROVIDER,
  client: MOVED_CLIENT,
  invitation: plainKind({
    name: 'invitation',
    kind: INITIAL_ACCESS_TOKEN,
    isId: (id) =>
      id.startsWith(INITIAL_ACCESS_TOKEN_TAG) && SHA256.test(id.slice(INITIAL_ACCESS_TOKEN_TAG.length)),
    endsAt: expires,
    eventsOf: (_context, _id, { uses_left: uses = '', expires_at = '' }) => ({
      events: [{ event: 'client_invited', uses: Number(uses), expires_at }],
    }),
  }),
  'user-invitation': plainKind({
    name: 'user-invitation',
    kind: USER_INVITATION,
    isId: (id) => INVITATION_ID.test(id),
    endsAt: expires,
    eventsOf(_context, id, fields) {
      const parsed = USER_INVITATION.parse(fields, id)
      if (!parsed.ok) return { events: [] }
      const { uses_left: uses, groups, expires_at } = parsed.record
      return { events: [{ event: 'user_invited', invitation: id, uses, groups, expires_at }] }
    },
  }),
  user: MOVED_USER,
  consent: MOVED_CONSENT,
}

function ofSimple(
  name: 'resource' | 'detail-type' | 'issuer' | 'application',
  kind: SimpleOptions['kind'],
  type: SimpleType,
): MovedKind {
  return plainKind({
    name,
    kind,
    async clashes({ storage }, id) {
      // An operator may have written the record by hand in another spelling.
      const other = await type.find(storage, id)
      return other === undefined ? [] : [`is here already, as "${other.id}"`]
    },
    eventsOf: (_context, id, fields, stored = {}) => ({
      events: [type.written(id)],
      about: { changes: changesOf(type, stored, fields) },
    }),
  })
}
