import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { cardChoice } from '../pages/cards.ts'
import { chipInput } from '../pages/chips.ts'

/** Whose choice it is, who may use an application: the cards of a form. `unsaid`: nobody chose. */
export type Who = 'unsaid' | 'everybody' | 'groups' | 'nobody'

/** How many people there are, as a server counted them. */
export interface PeopleCounts {
  /** Absent: nobody counted yet, or the operator may not know. */
  readonly people: number | undefined
  readonly members: ReadonlyMap<string, number>
}

/** Asks how many people there are, and how many are in each group. @throws StorageUnavailable */
export async function countPeople(desk: Desk): Promise<PeopleCounts> {
  if (!desk.may('list_groups') || desk.refusal('list_groups') !== undefined)
    return { people: undefined, members: new Map() }
  const { people, items } = (await desk.ask('list_groups')).body
  return { people, members: new Map(items.map(({ group, members }) => [group, members])) }
}

const peopleWords = (count: number): string => `${count} ${count === 1 ? 'person' : 'people'}`

/** How many people are in groups; one may be in several. */
function groupWords(groups: readonly string[], members: PeopleCounts['members']): string {
  const counts = groups.map((group) => members.get(group))
  const known = counts.filter((count) => count !== undefined)
  const sum = known.reduce((all, count) => all + count, 0)
  if (groups.length === 0) return 'Chosen below'
  const many = groups.length === 1 ? '1 group' : `${groups.length} groups`
  if (known.length < groups.length) return many
  return `${many}, ${groups.length === 1 ? '' : 'at most '}${peopleWords(sum)}`
}

/**
 * Asks who may use an application, with how many people each choice is about.
 * @param legend what is asked
 * @param asks_later the card of who does not choose; absent: somebody chose already
 */
export function whoCards(
  legend: Html | string,
  { people, members }: PeopleCounts,
  { who, groups }: { readonly who: Who; readonly groups: readonly string[] },
  asks_later?: string,
): Html {
  const all = people === undefined ? '' : `${peopleWords(people)}, `
  const unsaid = {
    value: 'unsaid',
    label: asks_later ?? '',
    detail: `${all}until somebody says whom it is for`,
  }
  return html`${cardChoice(
    legend,
    'who',
    [
      ...(asks_later === undefined ? [] : [unsaid]),
      { value: 'everybody', label: 'Everybody', detail: `${all}and that is meant` },
      { value: 'groups', label: 'These groups', detail: groupWords(groups, members) },
      { value: 'nobody', label: 'Nobody', detail: 'For now' },
    ],
    who,
  )}${chipInput({
    name: 'allowed_groups',
    label: 'These groups',
    known: [...members.keys()],
    chosen: groups,
    another: 'Another group',
  })}`
}
