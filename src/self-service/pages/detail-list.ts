import type { CheckedDetail } from '../../details/check-details.ts'
import { sentenceIn, shownDetail } from '../../details/sentence.ts'
import { detailText } from '../../pages/detail-text.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Language } from '../../pages/messages/language.ts'
import { say } from '../../pages/say.ts'
import type { OwnDetail } from '../own-details.ts'
import { line } from './account-layout.ts'

/** How many details are shown of an application; the page with the data of the person has all. */
const MAX_SHOWN = 5

type Shown = CheckedDetail & Partial<OwnDetail>

/** The first details of an application, and a link to all if there are more. @param base the path of the account page */
export function firstDetails(details: readonly Shown[], base: string, language: Language): Html | '' {
  const left = details.length - MAX_SHOWN
  const more =
    left > 0
      ? html`<a class="link" href="${base}/data/page">${say(language, 'own_details_more', { count: left })}</a>`
      : ''
  return html`${detailList(details.slice(0, MAX_SHOWN), language)}${more}`
}

/**
 * What an application may do in detail, in the language of the person, whether that is in use, and whether it is asked
 * again; empty: nothing.
 */
export function detailList(details: readonly Shown[], language: Language): Html | '' {
  if (details.length === 0) return ''
  const rows = details.map(({ detail, type, ...state }) => {
    const shown = shownDetail(detail, sentenceIn(type.sentences, language.tag))
    return html`<li>${detailText(shown)}${noteOf(state, language)}</li>\n`
  })
  return html`<ul class="allowed">\n${rows}</ul>`
}

function noteOf({ is_live, is_remembered }: Partial<OwnDetail>, language: Language): Html | '' {
  if (!is_live && !is_remembered) return ''
  return line([
    is_live ? say(language, 'own_detail_live') : undefined,
    is_remembered ? say(language, 'own_detail_remembered') : undefined,
  ])
}
