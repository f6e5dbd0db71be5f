// Enter in a field presses the first button of its form (HTML §4.10.21.2), and so does Go of a phone.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { createTheme } from '../../../../src/pages/theme.ts'
import { GALLERY } from '../../../support/gallery.ts'

/** The fields that somebody types into, and the buttons that send, in their order; both have what they require. */
const PARTS = /<input\b[^>]*>|<button\b[^>]*>/g
const isTyped = (part: string) =>
  part.startsWith('<input') && !/type="(hidden|checkbox|radio|file)"/.test(part)
const sends = (part: string) => part.startsWith('<button') && !part.includes('type="button"')

const theme = createTheme({ service_name: 'redmint', accent_color: '#0f766e' }, { languages: [en] })

t.test(
  'each way has a form of its own: all that is typed in a form is sent by its first button',
  async (t) => {
    for (const [name, render] of Object.entries(GALLERY)) {
      const page = render({ theme, language: en, query: '' })
      for (const [form] of page.matchAll(/<form\b.*?<\/form>/gs)) {
        const parts = form.match(PARTS) ?? []
        const first = parts.findIndex(sends)
        const late = first === -1 ? [] : parts.slice(first).filter(isTyped)
        t.same(late, [], name)
        const [field] = parts.filter(isTyped)
        if (field !== undefined) t.notMatch(parts[first], /formnovalidate/, name)
      }
    }
  },
)
