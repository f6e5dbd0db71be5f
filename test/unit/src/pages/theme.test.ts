import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { type Brand, brandProblems, logoSource } from '../../../../src/config/brand.ts'
import { contrast, legibleOn, mix, textOn } from '../../../../src/config/color.ts'
import { loggedOutPage } from '../../../../src/pages/logout.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { accentOn, createTheme, DARK, LIGHT, type Palette } from '../../../../src/pages/theme.ts'
import { GALLERY } from '../../../support/gallery.ts'

const BRAND: Brand = { service_name: 'redmint', accent_color: '#0f766e' }
/** The corners and the middle of the colour space, and colours of brands. */
const COLORS = [
  ...['00', '7f', 'ff'].flatMap((red) =>
    ['00', '7f', 'ff'].flatMap((green) => ['00', '7f', 'ff'].map((blue) => `#${red}${green}${blue}`)),
  ),
  '#767676',
  '#777777',
  '#ffcc00',
  '#0f766e',
  '#B4233F',
  '#16191d',
]

/** Colours of each hue, pale to full, dark to light (CSS Color 4 §7.1). */
const HUES = Array.from({ length: 12 }, (_, i) => i * 30).flatMap((hue) =>
  [25, 60, 100].flatMap((saturation) =>
    [5, 25, 45, 65, 85, 95].map((lightness) => fromHsl(hue, saturation / 100, lightness / 100)),
  ),
)

function fromHsl(hue: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    const value = lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}

t.test('the contrast of two colours (WCAG 2.2)', async (t) => {
  t.equal(contrast('#000000', '#ffffff'), 21)
  t.equal(contrast('#ffffff', '#000000'), 21)
  t.equal(contrast('#123456', '#123456'), 1)
  t.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
  t.equal(contrast('#ff0000', '#ffffff').toFixed(2), '4.00')
  t.equal(mix('#000000', '#ffffff', 0.5), '#808080')
  t.equal(mix('#12ABef', '#000000', 0), '#12abef')
})

t.test('the text of a button has enough contrast on every accent colour, pressed or not', async (t) => {
  const unlike: string[] = []
  const check = (text: string, ground: string, palette: Palette, color: string) => {
    if (contrast(text, ground) < 4.5)
      unlike.push(`${color}: ${text} on ${ground}, ${palette === DARK ? 'dark' : 'light'}`)
  }
  for (const color of [...COLORS, ...HUES]) {
    for (const palette of [LIGHT, DARK]) {
      const { page, surface, sunken, muted } = palette
      const { accent, on_accent, accent_pressed, accent_ink, accent_surface } = accentOn(color, palette)
      for (const ground of [accent, accent_pressed]) check(on_accent, ground, palette, color)
      for (const ground of [surface, page, sunken, accent_surface]) check(accent_ink, ground, palette, color)
      check(muted, accent_surface, palette, color)
    }
    if (accentOn(color, LIGHT).accent !== color) unlike.push(`${color}: the accent stays what it is`)
  }
  t.same(unlike, [])
  t.equal(legibleOn('#ffffff', '#0f766e', 4.5), '#0f766e', 'a colour that is legible stays too')
  t.equal(textOn('#ffcc00'), '#000000')
  t.equal(textOn('#0f766e'), '#ffffff')
})

t.test('all other texts and lines have enough contrast', async (t) => {
  for (const palette of [LIGHT, DARK]) {
    const { page, surface, sunken, text, muted, line, error, error_surface } = palette
    const { good, good_surface, warn, warn_surface, danger, on_danger } = palette
    for (const [one, other, ratio] of [
      [text, surface, 7],
      [text, sunken, 7],
      [text, error_surface, 7],
      [muted, surface, 4.5],
      [error, surface, 4.5],
      [error_surface, error, 4.5],
      [text, page, 7],
      [muted, page, 4.5],
      [muted, sunken, 4.5],
      [good, good_surface, 4.5],
      [warn, warn_surface, 4.5],
      [error, error_surface, 4.5],
      [on_danger, danger, 4.5],
      [line, surface, 3],
    ] as const) {
      t.ok(contrast(one, other) >= ratio, `${one} on ${other}: ${contrast(one, other)}`)
    }
  }
})

t.test('the policy allows only the style of the brand, and the icon', async (t) => {
  const hashes = new Set<string>()
  for (const accent_color of COLORS) {
    const theme = createTheme({ ...BRAND, accent_color })
    const page = loggedOutPage({ signed_in: false }, { theme, language: en })
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    t.equal(
      theme.policy,
      `default-src 'none';style-src 'sha256-${hash}';img-src 'self';base-uri 'none';frame-ancestors 'none'`,
    )
    t.match(style, accent_color)
    hashes.add(hash)
  }
  t.equal(hashes.size, COLORS.length, 'another colour, another style')
})

t.test('the policy of the account page has its own style', async (t) => {
  const theme = createTheme(BRAND)
  const hash = createHash('sha256').update(theme.account_style).digest('base64')
  t.match(theme.policyWith({ look: 'account' }), `;style-src 'sha256-${hash}';`)
  t.notMatch(theme.policy, hash)
})

t.test('the policy allows the origin of the logo, and the script of the page', async (t) => {
  const table: [logo_url: string, source: string][] = [
    ['https://cdn.example.com/a/logo.svg?v=1', "'self' https://cdn.example.com"],
    ['https://cdn.example.com:8443/logo.png', "'self' https://cdn.example.com:8443"],
    ['/logo.svg', "'self'"],
  ]
  for (const [logo_url, source] of table) {
    const theme = createTheme({ ...BRAND, logo_url })
    t.match(theme.policy, new RegExp(`;img-src ${source.replaceAll('.', '\\.')};base-uri`))
    const page = loggedOutPage({ signed_in: false }, { theme, language: en })
    t.match(page, `<header><img src="${logo_url}" alt="redmint"></header>`)
  }
  t.notMatch(createTheme(BRAND).policy, /script-src|form-action/)
  t.match(
    createTheme(BRAND).policyWith({ script_source: "'sha256-x'" }),
    /;script-src 'sha256-x';base-uri 'none';frame-ancestors 'none'$/,
  )
})

t.test(
  'a style sheet of the operator comes after the own style, and the policy has its one address',
  async (t) => {
    const of = (style_sheet: string) =>
      createTheme({ ...BRAND, style_sheet }, { origin: 'https://a.example' })
    const theme = of('/brand.css?v=1')
    t.match(theme.policy, /;style-src 'sha256-[^']+' https:\/\/a\.example\/brand\.css;img-src 'self';/)
    const page = loggedOutPage({ signed_in: false }, { theme, language: en })
    t.match(page, '</style>\n<link rel="stylesheet" href="/brand.css?v=1">\n</head>')
    t.notMatch(
      loggedOutPage({ signed_in: false }, { theme: createTheme(BRAND), language: en }),
      '<link rel="style',
    )
    const refused = [
      ...[
        'brand.css',
        '//evil.example/a.css',
        'https://cdn.example.com/a.css',
        '/a;b.css',
        '/a,b.css',
        '/a#b',
        '/a b',
      ],
      ...["/a'.css", '/"><script>', 'data:text/css,a', ''],
    ]
    for (const style_sheet of refused)
      t.same(
        brandProblems({ ...BRAND, style_sheet }).map(([field]) => field),
        ['style_sheet'],
        style_sheet,
      )
    t.same(brandProblems({ ...BRAND, style_sheet: '/a/brand.css?v=1' }), [])
  },
)

t.test('the names for style sheets in the docs are those of the pages', async (t) => {
  const docs = await readFile('docs/pages.md', 'utf8')
  const [, section = ''] = /### A style sheet\n(.*?)\n## /s.exec(docs) ?? []
  const names =
    section.match(/^\| `.*? \|/gm)?.flatMap((cell) => cell.match(/(?<=`)[\w-]+(?=`)/g) ?? []) ?? []
  const theme = createTheme(BRAND, { languages: [en] })
  const pages = Object.values(GALLERY).map((render) => render({ theme, language: en, query: '' }))
  const classes = new Set(
    pages
      .flatMap((page) => [...page.matchAll(/class="([^"]*)"/g)])
      .flatMap(([, list = '']) => list.split(' ')),
  )
  t.ok(names.length > 20)
  for (const name of names) {
    t.ok(name.startsWith('--') ? theme.style.includes(`${name}:`) : classes.has(name), name)
  }
})

t.test('invalid logos', async (t) => {
  const refused = [
    ...['', 'logo.svg', './logo.svg', '//evil.example/logo.svg', '/\\evil.example/logo.svg', '/a b', '/"x'],
    ...[
      'http://cdn.example.com/x',
      'data:image/svg+xml,<svg/>',
      'javascript:alert(1)',
      'blob:https://a.example/1',
    ],
    ...[
      'https://user:pass@cdn.example.com/x',
      'https://user@cdn.example.com/x',
      'https://:pass@cdn.example.com/x',
      'https://',
      'https://cdn.example.com',
      'https://CDN.example.com/x',
    ],
    ...[
      'https://cdn.example.com/a;b c',
      'https://cdn.example.com/\'x"',
      'https://[::1]/x',
      '/a\nb',
      ' /logo.svg',
    ],
  ]
  for (const logo_url of refused) t.equal(logoSource(logo_url), undefined, logo_url)
})

t.test('the problems of a brand', async (t) => {
  t.same(brandProblems(BRAND), [])
  t.same(brandProblems({ service_name: '漢字 & <Söhne>', logo_url: '/x', accent_color: '#ABCDEF' }), [])
  t.same(brandProblems({ service_name: '😀'.repeat(60), accent_color: '#000000' }), [])
  const names = ['', ' ', 'x'.repeat(61), 'a\u0000', 'a\u202eb', 'a\u2066b', '\u200b', 'a\u2028b', '\ud800']
  for (const service_name of names) {
    t.same(
      brandProblems({ ...BRAND, service_name }).map(([field]) => field),
      ['service_name'],
    )
  }
  for (const accent_color of ['', 'red', '#123', '#12345', '#1234567', '#12345g', '#123456\n', '#123456;}']) {
    t.same(
      brandProblems({ ...BRAND, accent_color }).map(([field]) => field),
      ['accent_color'],
    )
  }
  const all = brandProblems({ service_name: '', logo_url: 'x', accent_color: 'x' })
  t.same(
    all.map(([field]) => field),
    ['service_name', 'logo_url', 'accent_color'],
  )
})
