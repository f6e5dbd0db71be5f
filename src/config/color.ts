type Rgb = readonly [red: number, green: number, blue: number]

const COLOR = /^#[0-9a-f]{6}$/i
const BLACK = '#000000'
const WHITE = '#ffffff'
const STEPS = 20

/** Whether a text is a colour of the form `#rrggbb`. */
export function isColor(text: string): boolean {
  return COLOR.test(text)
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns black or white, whichever has more contrast to a colour; the contrast is always above 4.5. */
export function textOn(color: string): string {
  return contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK
}

/** Returns a colour, mixed with the text colour of the surface as little as a contrast of `ratio` needs. */
export function legibleOn(surface: string, color: string, ratio: number): string {
  for (let step = 0; step < STEPS; step++) {
    const candidate = mix(color, textOn(surface), step / STEPS)
    if (contrast(candidate, surface) >= ratio) return candidate
  }
  return textOn(surface)
}

/** Returns a colour mixed with a share, from 0 to 1, of another. */
export function mix(color: string, other: string, share: number): string {
  const channels = channelsOf(other)
  const mixed = channelsOf(color).map((value, index) =>
    Math.round(value + ((channels[index] ?? 0) - value) * share),
  )
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

// WCAG 2.2, relative luminance.
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
