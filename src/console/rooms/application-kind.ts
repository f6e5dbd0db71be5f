import type { AnswerOf } from '../../admin/operations.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { DEVICE_CODE, grantsOf } from '../../clients/record/grant-types.ts'
import { type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { short } from '../pages/parts.ts'

/** A client as the admin API answers. */
export type ShownClient = AnswerOf<'read_client'>

/** What applications are, in the words of people. */
const KINDS = {
  web: { label: 'Web application', many: 'Web', picture: 'browser' },
  single_page: { label: 'Single-page application', many: 'Single-page', picture: 'code' },
  app: { label: 'App on a device', many: 'Apps', picture: 'phone' },
  machine: { label: 'Machine', many: 'Machines', picture: 'chip' },
  device: { label: 'Device without a keyboard', many: 'Devices', picture: 'television' },
  api: { label: 'API that checks tokens', many: 'APIs', picture: 'braces' },
} as const satisfies Readonly<Record<string, { label: string; many: string; picture: IconName }>>

export type ApplicationKind = keyof typeof KINDS
export const APPLICATION_KINDS = Object.keys(KINDS) as readonly ApplicationKind[]

/** What an application is, by its record: what it gets tokens for, and whether it has a secret. */
export function kindOf({
  is_public,
  grant_types,
  application_type,
  can_introspect,
  redirect_uris = [],
}: ShownClient): ApplicationKind {
  const grants = Array.isArray(grant_types) ? grant_types : []
  if (grants.includes(DEVICE_CODE)) return 'device'
  if (grantsOf('user', grants).length === 0 && grants.length > 0)
    return can_introspect === true ? 'api' : 'machine'
  if (redirect_uris.length === 0 && can_introspect === true) return 'api'
  if (application_type === 'native') return 'app'
  return is_public === true ? 'single_page' : 'web'
}

export const kindLabel = (kind: ApplicationKind): string => KINDS[kind].label
export const kindsLabel = (kind: ApplicationKind): string => KINDS[kind].many

/** The picture of what an application is. */
export const kindMark = (kind: ApplicationKind, size: 'normal' | 'large' = 'normal'): Html =>
  html`<span class="app${size === 'large' ? ' large' : ''}">${icon(KINDS[kind].picture)}</span>`

/** What standard scopes are for, in the words of people. */
const SCOPES: Readonly<Record<string, string>> = {
  openid: 'who the person is',
  profile: 'name',
  email: 'e-mail address',
  phone: 'phone number',
  address: 'postal address',
  offline_access: 'access while away',
}

/** Returns what a scope is for in words; its name if it is one of an operator. */
export const scopeWords = (scope: string): string => SCOPES[scope] ?? scope

/** Who registered an application. */
export function originOf({
  client_id,
  state,
  managed_by,
  registered_at,
  preview_of,
}: ShownClient): Html | string {
  if (managed_by !== undefined) return html`the file ${short(managed_by)}`
  if (preview_of !== undefined) return html`who makes previews of ${short(preview_of)}`
  if (registered_at !== undefined) return 'registered itself'
  if (isClientIdUrl(client_id)) return 'describes itself by a document'
  return state === 'demo' ? 'demo mode' : 'an operator'
}

/** Which file declares an application; undefined: none does. */
export function managedBy({ managed_by, undeclared }: ShownClient): Html | undefined {
  if (managed_by === undefined) return undefined
  return undeclared === true
    ? html`the file ${short(managed_by)}, which does not have it any more: <code>redmint apply --prune</code> removes it`
    : html`the file ${short(managed_by)}: change it there`
}
