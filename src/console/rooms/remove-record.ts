import { type Html, html } from '../../pages/html.ts'
import { lastOf, type Subject } from '../action.ts'
import { type Desk, paramsOf } from '../desk.ts'
import { type Consequence, consequence, type Step, steps } from '../pages/consequence.ts'
import { code } from '../pages/parts.ts'
import { segmentOf } from '../place.ts'
import type { ConsoleRequest } from '../rows.ts'
import type { SimpleId } from './record-forms.ts'
import type { SimpleRows } from './simple.ts'

const GONE = 'It goes for good, on all servers within a second. That cannot be taken back.'

/** What becomes of what depends on a record that is removed. */
const STEPS: Readonly<Record<SimpleId, readonly Step[]>> = {
  provider: [
    {
      kind: 'ends',
      says: 'Nobody can sign in by it any more. Who has no other way in needs a link for a password.',
    },
    { kind: 'ends', says: GONE },
    { kind: 'stays', says: 'Accounts stay, with the sessions that they have.' },
  ],
  resource: [
    { kind: 'ends', says: 'No application gets a token for it any more.' },
    { kind: 'ends', says: GONE },
    { kind: 'stays', says: 'Applications and their sign-ins stay.' },
  ],
  application: [
    { kind: 'ends', says: 'No application gets in there for the people of this server any more.' },
    { kind: 'ends', says: GONE },
    { kind: 'stays', says: 'What was granted there already is for the other server to end.' },
  ],
  detail_type: [
    { kind: 'ends', says: 'No application gets it any more, and tokens are reported without it.' },
    { kind: 'ends', says: GONE },
    { kind: 'stays', says: 'Applications and their sign-ins stay.' },
  ],
  issuer: [
    { kind: 'ends', says: 'What it says of applications and people is refused from then on.' },
    { kind: 'ends', says: GONE },
    { kind: 'stays', says: 'Applications and accounts stay.' },
  ],
}

/** Reads which record is removed. @throws AdminError `not_found`; StorageUnavailable */
export async function aboutRecord(
  desk: Desk,
  given: ConsoleRequest,
  { id, path, called }: Pick<SimpleRows, 'id' | 'path' | 'called'>,
): Promise<Subject> {
  const name = lastOf(given)
  const page = `${path}/${segmentOf(name)}`
  const read = `read_${id}` as const
  if (!desk.may(read)) return { name, path: page }
  const { body, version } = await desk.ask(read, { params: paramsOf(read, given.params) })
  const shown = called({ ...body }) || name
  return { name: shown, path: page, version, ...(shown !== name && { lead: code(name) }) }
}

/** What removing a record does. @throws AdminError; StorageUnavailable */
export const removal = async (desk: Desk, given: ConsoleRequest, id: SimpleId): Promise<Html> =>
  html`${consequence([id === 'provider' ? await linkedPeople(desk, lastOf(given)) : undefined])}${steps(STEPS[id])}`

/** How many people are linked to a provider; undefined: nobody counted yet, or the operator may not know. */
async function linkedPeople(desk: Desk, provider: string): Promise<Consequence | undefined> {
  if (!desk.may('list_provider_uses') || desk.refusal('list_provider_uses') !== undefined) return undefined
  const { body } = await desk.ask('list_provider_uses')
  const linked = body.items.find((use) => use.provider === provider)?.linked
  if (linked === undefined) return undefined
  return { number: String(linked), says: linked === 1 ? 'person is linked to it' : 'people are linked to it' }
}
