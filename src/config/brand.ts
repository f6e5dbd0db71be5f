import { visibleNameProblem } from '../core/visible-text.ts'
import { isColor } from './color.ts'
import { isHttpsUrl, isOriginPath } from './page-links.ts'

/** The name, logo and colour of the service on the pages. */
export interface Brand {
  service_name: string
  /** An https URL, or a path on the origin of the service; absent: the pages show the first letter of the name. */
  logo_url?: string
  /** `#rrggbb` */
  accent_color: string
  /** A path on the origin of the service; absent: the pages have only their own style. */
  style_sheet?: string
}

const NAME_LENGTH = 60

/** Returns the invalid fields of a brand, each with its problem. */
export function brandProblems(brand: Brand): [field: keyof Brand, problem: string][] {
  const problems: [keyof Brand, string][] = []
  const { service_name, logo_url, accent_color } = brand
  if ([...service_name].length > NAME_LENGTH || visibleNameProblem(service_name) !== undefined) {
    problems.push(['service_name', `must be 1 to ${NAME_LENGTH} visible characters`])
  }
  if (logo_url !== undefined && logoSource(logo_url) === undefined) {
    problems.push(['logo_url', 'must be an https URL, or a path of this origin such as /logo.svg'])
  }
  if (brand.style_sheet !== undefined && !isSheetPath(brand.style_sheet)) {
    problems.push(['style_sheet', 'must be a path of this origin such as /brand.css'])
  }
  if (!isColor(accent_color)) problems.push(['accent_color', 'must be a colour such as #0f766e'])
  return problems
}

// A Content-Security-Policy names it, so it has neither of the two characters that end a source there.
const isSheetPath = (text: string) => isOriginPath(text) && !/[;,#]/.test(text)

/**
 * Returns the source that a Content-Security-Policy must allow for a logo: its origin. Returns undefined if the logo is
 * invalid, such as a `data:` URL, which has no origin and would be in each page.
 */
export function logoSource(logo_url: string): string | undefined {
  if (isOriginPath(logo_url)) return "'self'"
  if (!isHttpsUrl(logo_url)) return undefined
  const { href, origin } = new URL(logo_url)
  return href === logo_url ? origin : undefined
}
