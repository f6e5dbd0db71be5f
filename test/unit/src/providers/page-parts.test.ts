import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { createTheme } from '../../../../src/pages/theme.ts'
import { providerButtons } from '../../../../src/providers/page-parts.ts'
import { PROVIDER_KINDS } from '../../../../src/providers/provider-fields.ts'
import { PROVIDER_RULES } from '../../../../src/providers/style.ts'
import { builtIn } from '../../../../src/texts/built-in.ts'

const issuer = 'https://login.example.org'

t.test(
  'the button of each kind has a mark that nobody is read, and that of another provider has none',
  async (t) => {
    const marks = new Set<string>()
    for (const kind of PROVIDER_KINDS) {
      const button = providerButtons([{ provider: 'acme', kind, issuer }], en).text
      const [, name, mark, label] =
        /^<button class="provider" data-kind="(\w+)" name="method" value="provider:acme" formnovalidate>(<svg .*<\/svg>)?<span>(.*)<\/span><\/button>\n$/.exec(
          button,
        ) ?? []
      t.equal(name, kind)
      t.match(label, /^Sign in with <bdi>\S+<\/bdi>$|^Sign in with \S+$/)
      if (kind === 'oidc') t.equal(mark, undefined)
      else {
        t.match(
          mark,
          /^<svg class="provider-mark" viewBox="[\d ]+" aria-hidden="true" focusable="false"><path /,
        )
        // The policy of pages allows none of these.
        t.notMatch(mark, /style|href|url\(|data:|\bid=/)
        marks.add(mark ?? '')
      }
    }
    t.equal(marks.size, PROVIDER_KINDS.length - 1, 'each its own')
  },
)

t.test('the name of a provider is text, whatever it is', async (t) => {
  const name = '<b style="x">&\u202e"Acme"</b>'
  const { text } = providerButtons([{ provider: 'acme', kind: 'google', name, issuer }], en)
  t.match(text, '>Sign in with &lt;b style=&quot;x&quot;&gt;&amp; &quot;Acme&quot;&lt;/b&gt;</span>')
  const several = providerButtons(
    [
      { provider: 'github', kind: 'github', issuer },
      { provider: 'acme', kind: 'oidc', issuer },
    ],
    builtIn('ar'),
  )
  t.match(several.text, /GitHub<\/span><\/button>\n<button .*login\.example\.org<\/span><\/button>\n$/)
})

t.test('the style of the buttons is on no page of a service without providers', async (t) => {
  const brand = { service_name: 'redmint', accent_color: '#0f766e' }
  const { style } = createTheme(brand)
  const with_providers = createTheme(brand, { more_rules: PROVIDER_RULES })
  t.notMatch(style, /provider|data-kind/)
  t.ok(with_providers.style.startsWith(style))
  for (const kind of ['google', 'microsoft', 'apple'])
    t.equal(with_providers.style.split(`[data-kind=${kind}]{`).length, 3, `${kind}, light and dark`)
  t.not(with_providers.policy, createTheme(brand).policy)
  t.notMatch(with_providers.policy, 'unsafe')
})
