import t from 'tap'
import { en } from '../../../../../src/pages/messages/en.ts'
import { createTheme } from '../../../../../src/pages/theme.ts'
import { profilePage } from '../../../../../src/self-service/pages/profile.ts'

const PROPS = { base: '/account', csrf: 'x', values: {}, locale: undefined, is_wrong: false } as const

t.test('one language is no choice: it is not asked for, so that the one that is kept stays', async (t) => {
  const theme = createTheme({ service_name: 'x', accent_color: '#0f766e' }, { languages: [en] })
  const text = profilePage({ ...PROPS, fields: ['name', 'locale'] }, { theme, language: en })
  t.match(text, 'name="asked" value="name"')
  t.notMatch(text, '<select')
  const other = profilePage({ ...PROPS, fields: ['locale'], locale: 'de' }, { theme, language: en })
  t.match(other, 'name="asked" value="locale"')
  t.match(other, '>German</option>')
})
