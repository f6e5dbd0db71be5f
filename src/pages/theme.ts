import { createHash } from 'node:crypto'
import { type Brand, logoSource } from '../config/brand.ts'
import { legibleOn, mix, textOn } from '../config/color.ts'
import type { PageLinks } from '../config/page-links.ts'
import { ACCOUNT_RULES } from './account-style.ts'
import type { Language } from './messages/language.ts'
import { PART_RULES } from './parts-style.ts'
import { SHEET_RULES } from './sheet-style.ts'
import { BASE_RULES } from './style.ts'

/** The look of the pages for one brand, made once when the service starts. */
export interface Theme {
  readonly brand: Brand
  /** The path of the issuer, which precedes those of endpoints. */
  readonly base: string
  readonly links: PageLinks
  /** Whether there is a page of the own account. */
  readonly has_account_page: boolean
  /** Whether people sign in by passkeys and in no other way. */
  readonly has_only_passkeys: boolean
  /** Whether `sign_up_url` is a page of our own, which a waiting request can be taken to. */
  readonly has_own_sign_up: boolean
  /** Whether the page for a lost password or passkey is that of redmint, which takes the request along that waits. */
  readonly has_own_reset: boolean
  /** The languages that the footer offers. */
  readonly languages: readonly Language[]
  /** The style of sign-in and of everything else that is one sheet. */
  readonly style: string
  /** The style of the account page. */
  readonly account_style: string
  /** The style of parts, of which the console and the account page are made. */
  readonly part_style: string
  /** The operator's style sheet, a path on the origin of the service, which comes after the style. */
  readonly style_sheet?: string | undefined
  /** The Content-Security-Policy of a page that needs nothing else. */
  readonly policy: string
  policyWith(needs: PageNeeds): string
}

/** The sources that the policy of a page allows besides those of the style and the brand (CSP3 §2.3.1). */
export interface PageNeeds {
  /** Whose style it has: `style` or `account_style`; absent: `sheet`. */
  readonly look?: 'sheet' | 'account'
  /** The hash of its one script. */
  readonly script_source?: string
  /** The origin of a picture. */
  readonly image_source?: string
}

export interface Palette {
  readonly page: string
  readonly surface: string
  /** The ground of code, and of what the pointer is over. */
  readonly sunken: string
  readonly text: string
  readonly muted: string
  /** The border of fields. */
  readonly line: string
  /** The border of buttons, which are known by their words. */
  readonly edge: string
  /** The line between sections. */
  readonly hairline: string
  readonly good: string
  readonly good_surface: string
  readonly warn: string
  readonly warn_surface: string
  readonly error: string
  readonly error_surface: string
  /** The button that destroys. */
  readonly danger: string
  readonly on_danger: string
  /** The shadow of panels, and of what lies above the page. */
  readonly shadow: string
  readonly lifted: string
}

export const LIGHT: Palette = {
  page: '#f6f7f9',
  surface: '#ffffff',
  sunken: '#f3f5f7',
  text: '#15191e',
  muted: '#56606b',
  line: '#858e99',
  edge: '#ccd2d9',
  hairline: '#e2e6ea',
  good: '#1a7544',
  good_surface: '#e8f5ed',
  warn: '#8a5300',
  warn_surface: '#fdf3e1',
  error: '#b42318',
  error_surface: '#fef3f2',
  danger: '#b42318',
  on_danger: '#ffffff',
  shadow: '0 1px 2px #1018280d,0 1px 3px #1018280f',
  lifted: '0 4px 8px -2px #1018281a,0 16px 32px -8px #1018282e',
}

export const DARK: Palette = {
  page: '#0c0e11',
  surface: '#15181c',
  sunken: '#1c2025',
  text: '#eceef1',
  muted: '#a5adb8',
  line: '#717a86',
  edge: '#3c434c',
  hairline: '#2a2f36',
  good: '#63c48d',
  good_surface: '#12271b',
  warn: '#e3ab4c',
  warn_surface: '#2b2110',
  error: '#ff9c91',
  error_surface: '#2c1715',
  danger: '#c6372b',
  on_danger: '#ffffff',
  shadow: '0 0 0 1px #0000',
  lifted: '0 16px 40px #000a',
}

const MONO = '--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace'
const TEXT_CONTRAST = 4.5

/** The colours derived from an accent colour. Text and its background have a contrast of at least 4.5. */
export function accentOn(accent_color: string, palette: Palette) {
  const { page, surface, sunken } = palette
  const on_accent = textOn(accent_color)
  const accent_surface = mix(surface, accent_color, palette === DARK ? 0.15 : 0.1)
  // For text, lines and the focus ring on every ground that a page has.
  const accent_ink = [surface, page, sunken, accent_surface].reduce(
    (ink, ground) => legibleOn(ground, ink, TEXT_CONTRAST),
    accent_color,
  )
  return {
    accent: accent_color,
    on_accent,
    // Mixed away from the text colour, so that the contrast does not drop.
    accent_pressed: mix(accent_color, textOn(on_accent), 0.12),
    accent_surface,
    accent_ink,
  }
}

/** Where the pages are, and what there is besides them. */
interface Place
  extends Pick<
    Theme,
    'base' | 'has_account_page' | 'has_only_passkeys' | 'has_own_sign_up' | 'has_own_reset' | 'languages'
  > {
  /** The style rules of what is turned on; empty: there are none. */
  readonly more_rules: string
  /** The origin of the service, for the address of the style sheet. */
  readonly origin: string
}

const NOWHERE: Place = {
  base: '',
  has_account_page: false,
  has_only_passkeys: false,
  has_own_sign_up: false,
  has_own_reset: false,
  more_rules: '',
  languages: [],
  origin: '',
}

/** The theme of a brand that `brandProblems` accepted, and of links that `linkProblems` accepted. */
export function createTheme(brand: Brand & PageLinks, place: Partial<Place> = {}): Theme {
  const {
    base,
    has_account_page,
    has_only_passkeys,
    has_own_sign_up,
    has_own_reset,
    more_rules,
    languages,
    origin,
  } = {
    ...NOWHERE,
    ...place,
  }
  const { style_sheet } = brand
  const properties = (palette: Palette) =>
    Object.entries({ ...palette, ...accentOn(brand.accent_color, palette) })
      .map(([name, value]) => `--${name.replaceAll('_', '-')}:${value}`)
      .join(';')
  const base_style = `
:root{color-scheme:light dark;${MONO};${properties(LIGHT)}}
@media(prefers-color-scheme:dark){:root{${properties(DARK)}}}
${BASE_RULES}`
  const style = base_style + SHEET_RULES + more_rules
  const part_style = base_style + PART_RULES
  const account_style = part_style + ACCOUNT_RULES
  // The icon has the origin of the page.
  const image_sources = new Set([
    "'self'",
    brand.logo_url === undefined ? undefined : logoSource(brand.logo_url),
  ])
  // The one address, without its query (CSP3 §6.7.2.12).
  const sheet_source = style_sheet === undefined ? '' : ` ${origin}${style_sheet.split('?')[0]}`
  const style_sources = {
    sheet: `${hashSource(style)}${sheet_source}`,
    account: `${hashSource(account_style)}${sheet_source}`,
  }
  // No form-action: Chromium applies it to the redirects after a form too, and those lead to the clients.
  const policyWith = ({ look = 'sheet', script_source, image_source }: PageNeeds) => {
    const images = [...new Set([...image_sources, image_source])].filter((source) => source !== undefined)
    const scripts = script_source === undefined ? [] : [`script-src ${script_source}`]
    const sources = [`style-src ${style_sources[look]}`, `img-src ${images.join(' ')}`, ...scripts]
    return ["default-src 'none'", ...sources, "base-uri 'none'", "frame-ancestors 'none'"].join(';')
  }
  return {
    brand,
    base,
    links: brand,
    has_account_page,
    has_only_passkeys,
    has_own_sign_up,
    has_own_reset,
    languages,
    style,
    account_style,
    part_style,
    style_sheet,
    policy: policyWith({}),
    policyWith,
  }
}

/** The source of an inline style or script in a Content-Security-Policy (CSP3 §2.3.1). */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
