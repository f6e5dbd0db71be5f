import type { ShownDetail } from '../details/sentence.ts'
import { type Html, html } from './html.ts'

/**
 * What a client may do in detail, in the words of the operator: every value of it is there. The sentence may be in another
 * language than the page, with another direction.
 */
export const detailText = ({ sentence, others }: ShownDetail): Html =>
  html`<p dir="auto">${sentence.map(partOfSentence)}</p>${otherValues(others)}`

const partOfSentence = (part: ShownDetail['sentence'][number]) =>
  typeof part === 'string' ? html`${part}` : html`<strong><bdi>${part.text}</bdi></strong>`

function otherValues(others: ShownDetail['others']): Html | string {
  if (others.length === 0) return ''
  return html`<dl>${others.map(({ path, text }) => html`<dt><bdi>${path}</bdi></dt><dd><bdi>${text}</bdi></dd>`)}</dl>`
}
