import { startAddress } from '../../clients/start-address.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { cardChoice } from '../pages/cards.ts'
import { text } from '../pages/parts.ts'
import { applicationChoice } from './application-choice.ts'

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

/** Asks to which application people go on, signed in. */
export const goesOnTo = (desk: Desk, value = ''): Promise<Html> =>
  applicationChoice(desk, {
    ...{ name: 'client', label: 'Then go on to', value, none: 'the account page' },
    hint: 'Where the person is taken, signed in, when the account is ready: an application with a home page.',
    // Nobody can be led to one without an address.
    fits: (one) => startAddress(one, desk.issuer) !== undefined,
    typed: 'The client id of the application; empty: the account page.',
  })
