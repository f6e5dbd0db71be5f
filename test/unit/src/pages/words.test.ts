// Nobody reads the name of a field, a code, a number of milliseconds or JSON on a page for people, in any language.
import t from 'tap'
import { createTheme } from '../../../../src/pages/theme.ts'
import { GALLERY } from '../../../support/gallery.ts'
import { LANGUAGES } from '../../../support/languages.ts'
import { codesIn, isForPrograms, shownTexts } from '../../../support/words-shown.ts'

/** What error pages have below their words, for whoever made the application. */
const FOR_DEVELOPERS = /<details class="details"[\s\S]*?<\/details>/

const theme = createTheme({ service_name: 'redmint', accent_color: '#0f766e' }, { languages: LANGUAGES })

t.test('a page for people says everything in words', async (t) => {
  for (const [name, render] of Object.entries(GALLERY)) {
    // Those of the demonstration show developers what an application gets.
    if (name.startsWith('demo')) continue
    for (const language of LANGUAGES) {
      const page = render({ theme, language, query: '' })
      const texts = shownTexts(name.startsWith('error') ? page.replace(FOR_DEVELOPERS, '') : page)
      const odd = [...texts.filter(isForPrograms), ...texts.flatMap(codesIn)]
      t.strictSame(odd, [], `${name} ${language.tag}`)
    }
  }
})
