import type { Brand } from '../config/brand.ts'
import { textOn } from '../config/color.ts'
import { html } from './html.ts'
import { initialOf } from './text.ts'

/** Returns the icon of a service as SVG: the first letter of its name on the accent colour. */
export function iconOf({ service_name, accent_color }: Brand): string {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="${accent_color}"/>
<text x="16" y="22.5" fill="${textOn(accent_color)}" font-family="system-ui,sans-serif" font-size="18" font-weight="700" text-anchor="middle">${initialOf(service_name)}</text>
</svg>
`.toString()
}
