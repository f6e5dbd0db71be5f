import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadLanguages } from '../../../../src/languages/load-languages.ts'
import { renderMail } from '../../../../src/mail/render-mail.ts'
import { say } from '../../../../src/pages/say.ts'

/** A folder with files of these contents. */
async function folderWith(t: Test, files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = t.testdir({})
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    await writeFile(join(folder, name), text)
  }
  return folder
}

const settings = { issuer: 'https://auth.example.com', service_name: 'Example', accent_color: '#0f766e' }

t.test('a file changes texts of a language, and the others stay', async (t) => {
  const folder = await folderWith(t, {
    'en.json': { messages: { login_submit: 'Go on' }, mails: { 'invitation.subject': 'Come to {service}!' } },
    'fr.json': { messages: { consent_others_more: { other: '{count} de plus' } }, mails: {} },
    'notes.txt': 'not a language',
  })
  const languages = await loadLanguages(folder)
  const [english] = languages.all
  const french = languages.choose('fr')
  if (english === undefined) throw new Error('English is always there.')
  t.equal(say(english, 'login_submit').text, 'Go on')
  t.equal(say(english, 'login_title').text, 'Sign in')
  t.equal(english.tag, 'en', 'English stays the first')
  t.equal(languages.choose('tlh').messages.login_submit, 'Go on')
  t.equal(say(french, 'consent_others_more', { count: 1 }).text, '1 de plus', 'the whole message is replaced')
  t.equal(french.name, 'Français')
  const mail = renderMail({ settings, languages }, { kind: 'invitation', language: 'en' })
  t.equal(mail.subject, 'Come to Example!')
  t.match(mail.text, 'You can create an account at Example.')
})

t.test('a file adds a language; what it lacks is English', async (t) => {
  const folder = await folderWith(t, {
    'he.json': {
      name: 'עברית',
      dir: 'rtl',
      messages: { login_submit: 'כניסה', own_codes_left: { one: 'אחד', two: 'שניים', other: '{left}' } },
      mails: { 'factor_added.subject': '{service}: כניסה', 'about.passkey': 'מפתח' },
    },
    'nl-BE.json': { name: 'Vlaams' },
  })
  const languages = await loadLanguages(folder)
  const hebrew = languages.choose(undefined, 'he-IL')
  t.same([hebrew.tag, hebrew.dir, hebrew.name], ['he', 'rtl', 'עברית'])
  t.equal(say(hebrew, 'own_codes_left', { left: 2 }).text, 'שניים')
  t.equal(say(hebrew, 'own_codes_left', { left: 7 }).text, '7')
  t.equal(say(hebrew, 'login_title').text, 'Sign in')
  const content = { kind: 'factor_added', language: 'he en', about: 'passkey' } as const
  const mail = renderMail({ settings, languages }, content)
  t.equal(mail.subject, 'Example: כניסה')
  t.match(mail.text, 'a new way to sign in: מפתח.')
  t.match(mail.html, '<html lang="he" dir="rtl">')
  t.equal(languages.choose('nl').tag, 'nl-BE')
})

t.test('each fault is named with its file and key, all at once', async (t) => {
  const long = 'x'.repeat(1001)
  const table: [file: string, content: unknown, faults: string[]][] = [
    ['fr.json', '{', ['must be a JSON object']],
    ['fr.json', [], ['must be a JSON object']],
    ['fr.json', { texts: {} }, ['texts: there is name, dir, messages, mails and no other member']],
    ['fr.json', { messages: [] }, ['messages: must be an object of texts']],
    ['fr.json', { messages: { login: 'x' } }, ['messages.login: there is no such text']],
    ['fr.json', { messages: { __proto__x: 'x' } }, ['messages.__proto__x: there is no such text']],
    ['fr.json', '{"messages":{"__proto__":"x"}}', ['messages.__proto__: there is no such text']],
    ['fr.json', { messages: { login_title: 1 } }, ['messages.login_title: must be a text']],
    [
      'fr.json',
      { messages: { login_title: '' } },
      ['messages.login_title: must be a text without space around it'],
    ],
    [
      'fr.json',
      { messages: { login_title: 'a ' } },
      ['messages.login_title: must be a text without space around it'],
    ],
    [
      'fr.json',
      { messages: { login_title: long } },
      ['messages.login_title: must have at most 1000 characters'],
    ],
    [
      'fr.json',
      { messages: { login_title: '<b>' } },
      ['messages.login_title: must be plain text, without <, > and &'],
    ],
    [
      'fr.json',
      { messages: { login_title: 'a&lt;' } },
      ['messages.login_title: must be plain text, without <, > and &'],
    ],
    [
      'fr.json',
      { messages: { login_title: 'a\nb' } },
      ['messages.login_title: must have visible characters, in one line'],
    ],
    [
      'fr.json',
      { messages: { login_title: '\u202Ea' } },
      ['messages.login_title: must have visible characters, in one line'],
    ],
    ['fr.json', { messages: { login_title: '{x}' } }, ['messages.login_title: must have no placeholder']],
    ['fr.json', { messages: { login_title: 'a {' } }, ['messages.login_title: must have no placeholder']],
    [
      'fr.json',
      { messages: { logout_title: 'Bye' } },
      ['messages.logout_title: must have the placeholders {service}'],
    ],
    [
      'fr.json',
      { messages: { logout_title: '{Service}' } },
      ['messages.logout_title: must have the placeholders {service}'],
    ],
    [
      'fr.json',
      { messages: { consent_note: '{client}' } },
      ['messages.consent_note: must have the placeholders {client}, {host}'],
    ],
    [
      'ja.json',
      { messages: { own_codes_left: 'x' } },
      ['messages.own_codes_left: must have a text for other, and may have some for other'],
    ],
    [
      'ja.json',
      { messages: { own_codes_left: { one: '1', other: '{left}' } } },
      ['messages.own_codes_left.one: the categories of ja are other'],
    ],
    [
      'fr.json',
      { messages: { own_codes_left: { one: '{x}', other: 'none' } } },
      [
        'messages.own_codes_left.one: must have the placeholders {left}',
        'messages.own_codes_left.other: must have the placeholders {left}',
      ],
    ],
    ['fr.json', { mails: { 'invitation.title': 'x' } }, ['mails.invitation.title: there is no such text']],
    ['fr.json', { mails: { 'test.action': 'x' } }, ['mails.test.action: there is no such text']],
    [
      'fr.json',
      { mails: { 'test.subject': 'x' } },
      ['mails.test.subject: must have the placeholders {service}'],
    ],
    ['nl.json', {}, ['name: must be the name of the language in itself']],
    ['nl.json', { name: '<Nederlands>' }, ['name: must be plain text, without <, > and &']],
    ['nl.json', { name: 'x'.repeat(41) }, ['name: must have at most 40 characters']],
    ['nl.json', { name: 'Nederlands', dir: 'auto' }, ['dir: must be ltr or rtl']],
    ['pt-br.json', {}, ['the name must be a language tag such as fr.json or pt-BR.json']],
    ['english_.json', {}, ['the name must be a language tag such as fr.json or pt-BR.json']],
  ]
  for (const [file, content, faults] of table) {
    await t.test(`${file} ${JSON.stringify(content).slice(0, 60)}`, async (t) => {
      const folder = await folderWith(t, { [file]: content })
      const message = faults.map((fault) => `LANGUAGES_DIR: ${join(folder, file)}: ${fault}`)
      await t.rejects(loadLanguages(folder), { name: 'ConfigError', problems: message })
    })
  }
  const folder = await folderWith(t, { 'fr.json': { a: 1 }, 'ja.json': { b: 1 } })
  await t.rejects(loadLanguages(folder), { message: /fr\.json: a: [\s\S]*ja\.json: b: / }, 'of all files')
})

t.test('a folder that is not there is a fault', async (t) => {
  await t.rejects(loadLanguages(join(t.testdir({}), 'none')), {
    name: 'ConfigError',
    message: /LANGUAGES_DIR: .*none cannot be read: ENOENT/,
  })
})
