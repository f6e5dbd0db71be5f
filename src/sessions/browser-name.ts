// The first name whose mark is in the text: browsers also name those that they are compatible with.
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
] as const

const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac(intosh| OS X)\b/],
  ['Linux', /\bLinux\b/],
] as const

// As much as browsers send; what follows is not looked at.
const MAX_LENGTH = 512

/**
 * Returns the browser and the system that a User-Agent names, as their user would: "Firefox on Linux". It consists of names
 * that are known here, never of the header. Undefined if it names neither.
 */
export function browserName(user_agent: string | undefined): string | undefined {
  const text = user_agent?.slice(0, MAX_LENGTH) ?? ''
  const [browser] = BROWSERS.find(([, mark]) => mark.test(text)) ?? []
  const [system] = SYSTEMS.find(([, mark]) => mark.test(text)) ?? []
  if (browser === undefined || system === undefined) return browser ?? system
  return `${browser} on ${system}`
}
