import type { AnswerOf } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { initialsOf } from '../../pages/text.ts'
import type { Desk } from '../desk.ts'

/** A person as the admin API answers. */
export type ShownUser = AnswerOf<'read_user'>

/** What a page knows of a person. */
interface Person {
  readonly username: string
  readonly claims?: Readonly<Record<string, unknown>>
}

/** What a person is called: the name, or else the username. */
export const calledOf = ({ username, claims = {} }: Person): string =>
  typeof claims.name === 'string' && claims.name.trim() !== '' ? claims.name : username

/** The groups of a person, as the claim has them: a list, or one word. */
export function groupsOf(
  { groups_claim }: Pick<Desk, 'groups_claim'>,
  { claims = {} }: Person,
): readonly string[] {
  const given = [claims[groups_claim] ?? []].flat()
  return given.filter((one): one is string => typeof one === 'string' && one !== '')
}

/** The initials of a person, in place of a picture. */
export const face = (name: string, looks: 'normal' | 'large' = 'normal'): Html =>
  html`<span class="face${looks === 'large' ? ' large' : ''}" aria-hidden="true">${initialsOf(name)}</span>`

/** An address that breaks after its `@` while there is room, and nowhere else. */
export function addressText(email: unknown): Html {
  const shown = typeof email === 'string' ? email : JSON.stringify(email)
  const at = shown.lastIndexOf('@') + 1
  return html`<bdi class="address">${shown.slice(0, at).slice(0, MAX_PART)}<wbr>${shown.slice(at).slice(0, MAX_PART)}</bdi>`
}

const MAX_PART = 255
