import { type Html, html } from '../../pages/html.ts'

/** One of several ways, as a card. */
interface Card {
  readonly label: string
  readonly detail?: Html | string
  /** A picture or initials. */
  readonly mark?: Html
}

/** A choice of one as cards with radio buttons. */
export function cardChoice(
  legend: Html | string,
  name: string,
  cards: readonly (Card & { readonly value: string })[],
  chosen: string,
): Html {
  return html`<fieldset class="field"><legend>${legend}</legend>
<div class="cards">
${cards.map(({ value, ...card }) => html`<label class="card-choice"><input type="radio" name="${name}" value="${value}"${value === chosen ? html` checked` : ''}>${inside(card)}</label>\n`)}</div></fieldset>
`
}

/** Ways on, each a link. @param looks `narrow`: a name and a mark only */
export const cardLinks = (
  cards: readonly (Card & { readonly href: string })[],
  looks: 'normal' | 'narrow' = 'normal',
): Html => html`<div class="cards${looks === 'narrow' ? ' narrow' : ''}">
${cards.map(({ href, ...card }) => html`<a class="card-choice" href="${href}">${inside(card)}</a>\n`)}</div>
`

const inside = ({ label, detail, mark = html`` }: Card): Html =>
  html`${mark}<span><b>${label}</b>${detail === undefined ? '' : html`<small>${detail}</small>`}</span>`
