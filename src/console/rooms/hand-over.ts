import { startAddress } from '../../clients/start-address.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { cardChoice } from '../pages/cards.ts'
import { choice, line } from '../pages/fields.ts'
import { text } from '../pages/parts.ts'
import { knownApplications, namedOption } from './known-applications.ts'

/** Asks how a person gets a link; nothing: no mail is sent here, so it is handed over. */
export const handOver = (desk: Desk, chosen = ''): Html =>
  // Where no test mail can be sent, no link can.
  desk.refusal('test_mail') !== undefined
    ? html``
    : cardChoice(
        'How the person comes in',
        'send',
        [
          { value: 'true', label: 'By mail', detail: 'A link that works once' },
          { value: '', label: 'By a link that you hand over', detail: 'It is shown once, on the next page' },
        ],
        chosen,
      )

/** What became of the mail with a link; empty: none was asked for. */
export const mailText = (mail: { readonly sent: boolean; readonly answer: string } | undefined): Html | '' =>
  mail === undefined
    ? ''
    : html`<p>${mail.sent ? 'It was sent by mail.' : html`It was not sent: ${text(mail.answer)}`}</p>\n`

/** Asks to which application people go on, signed in: a choice, where there are few. */
export async function goesOnTo(desk: Desk, value = ''): Promise<Html> {
  const { items, is_whole } = await knownApplications(desk)
  // Nobody can be led to one without an address.
  const fit = items.filter((one) => startAddress(one, desk.issuer) !== undefined).map(namedOption)
  const field = { name: 'client', label: 'Then go on to', value }
  const hint =
    'Where the person is taken, signed in, when the account is ready: an application with a home page.'
  if (!is_whole)
    return line({ ...field, known: fit, hint: `${hint} Its client id; empty: the account page.` })
  const typed = value === '' || fit.some(([id]) => id === value) ? [] : [[value, value] as const]
  return choice({ ...field, hint }, [['', 'the account page'], ...fit, ...typed])
}
