import { invalidField } from '../../admin/operation/problem.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { acts } from '../pages/actions.ts'
import { cardChoice } from '../pages/cards.ts'
import { chipInput } from '../pages/chips.ts'
import { consequence } from '../pages/consequence.ts'
import { hidden, lines } from '../pages/fields.ts'
import { sheet } from '../pages/panel.ts'
import { badge, short, table } from '../pages/parts.ts'
import { addressText } from '../pages/person.ts'
import { MAX_PEOPLE, readPeople } from '../people-lines.ts'
import type { ConsoleAction, ConsoleRequest, ShownPage } from '../rows.ts'
import { goesOnTo } from './hand-over.ts'
import { knownGroups, linesIn } from './known-groups.ts'
import { addEach, type EntryWay, type ListedOutcome, look, mayInvite, sendsMail } from './many-people.ts'

const PATH = '/people/new/many'
const HEAD = { path: [['People', '/people'], ['Add many']] } as const

const wayOf = (desk: Desk, { form }: ConsoleRequest): EntryWay =>
  mayInvite(desk) && form.way !== 'add' ? 'invite' : 'add'

/** Adds people whose names and addresses are pasted: shows what would become of each line, and then does it. */
const addMany: ConsoleAction = {
  path: PATH,
  operation: 'create_user',
  ask: async (desk, given) => ({
    title: 'Add many',
    head: HEAD,
    section: 'people',
    lead: html`<p class="quiet down">Nobody is added yet: the next page says what would become of each line.</p>`,
    fields: html`${lines(
      {
        name: 'people',
        label: 'People',
        value: given.form.people ?? '',
        hint: `One in each line, such as Ada Lind <ada@example.com>, or pasted from a spreadsheet: the address and the name. At most ${String(MAX_PEOPLE)}.`,
      },
      8,
    )}${
      mayInvite(desk)
        ? cardChoice(
            'How they come in',
            'way',
            [
              {
                value: 'invite',
                label: 'Invite them',
                detail: sendsMail(desk)
                  ? 'Each gets a mail with a link, and makes an account'
                  : 'You hand a link over to each: no mail is sent here',
              },
              {
                value: 'add',
                label: 'Add them now',
                detail: 'The accounts are there, and nobody is told: for a provider, or with links later',
              },
            ],
            wayOf(desk, given),
          )
        : ''
    }${chipInput({
      name: 'groups',
      label: 'Groups of all of them',
      known: await knownGroups(desk),
      chosen: linesIn(given.form.groups),
      another: 'Another group',
    })}${mayInvite(desk) ? await goesOnTo(desk, given.form.client) : ''}`,
    verb: 'Look at the list',
    back: '/people',
  }),
  async act(desk, given) {
    const { form } = given
    const read = readPeople(form.people ?? '')
    if (!read.ok) throw invalidField('people', read.problem)
    const way = wayOf(desk, given)
    if (form.step === 'save') return done(desk, await addEach(desk, given, way, read.lines))
    const told = await look(desk, way, read.lines)
    const fresh = told.filter(({ mood }) => mood === 'good').length
    const wrong = told.filter(({ mood }) => mood === 'bad').length
    if (fresh === 0)
      return {
        title: 'Nobody of this list can be added',
        section: 'people',
        head: { ...HEAD, actions: acts(desk, [{ path: PATH, label: 'Another list' }]) },
        body: sheet(tableOf(told)),
      }
    const verb = way === 'invite' ? 'Invite' : 'Add'
    return {
      next: {
        title: `${verb} ${people(fresh)}?`,
        head: HEAD,
        section: 'people',
        top: html`${consequence([
          { number: String(fresh), says: way === 'invite' ? 'would be invited' : 'would be added' },
          told.length - fresh - wrong === 0
            ? undefined
            : {
                number: String(told.length - fresh - wrong),
                says:
                  told.length - fresh - wrong === 1
                    ? 'is here already, or invited'
                    : 'are here already, or invited',
              },
          wrong === 0
            ? undefined
            : {
                number: String(wrong),
                says: wrong === 1 ? 'line is wrong, and left out' : 'lines are wrong, and left out',
              },
        ])}${tableOf(told)}`,
        lead: html``,
        fields: html`${hidden('step', 'save')}${hidden('people', form.people ?? '')}${hidden('way', way)}${hidden('groups', form.groups ?? '')}${hidden('client', form.client ?? '')}`,
        verb: `${verb} ${people(fresh)}`,
        back: '/people',
      },
    }
  },
}

const people = (count: number) => (count === 1 ? '1 person' : `${String(count)} people`)

function done(desk: Desk, told: readonly ListedOutcome[]): ShownPage {
  const made = told.filter(({ word }) => word === 'added' || word === 'invited')
  const rest = told.length - made.length
  const is_invited = made.some(({ word }) => word === 'invited')
  return {
    title: `${people(made.length)} ${made.length === 1 ? 'was' : 'were'} ${is_invited ? 'invited' : 'added'}`,
    section: 'people',
    head: {
      ...HEAD,
      lead:
        rest === 0
          ? 'Every line was done.'
          : `${rest === 1 ? '1 line was' : `${String(rest)} lines were`} not: each says why.`,
      actions: acts(desk, [
        { path: PATH, label: 'Add others' },
        is_invited
          ? {
              path: '/invitations',
              label: 'All invitations',
              operation: 'list_user_invitations',
              is_main: true,
            }
          : { path: '/people', label: 'All people', operation: 'list_users', is_main: true },
      ]),
    },
    body: sheet(tableOf(told)),
  }
}

const tableOf = (told: readonly ListedOutcome[]): Html =>
  table(
    'What becomes of each line',
    [
      { label: 'Address', absent: 'none' },
      { label: 'Name', absent: 'none' },
      { label: 'Line', is_number: true },
      { label: 'Result' },
    ],
    told.map(({ line, word, mood, says }) => [
      line.email === '' ? short(line.text) : addressText(line.email),
      short(line.name),
      String(line.number),
      html`${badge(word, mood)} ${says}`,
    ]),
    'There is nobody in the list.',
  )

export const ADD_MANY: readonly ConsoleAction[] = [addMany]
