// The HTML of mails, as mail programs want it: tables, styles in attributes, no picture, nothing that is loaded. Outlook for
// Windows takes colours from `bgcolor`, the width from `width` and the padding of a button from `mso-padding-alt`; a rule
// that a program does not know changes nothing that is needed. Only the dark colours are in a style sheet, as they must be.
import { Html, html } from '../pages/html.ts'
import type { Language } from '../pages/messages/language.ts'
import { initialOf } from '../pages/text.ts'
import { DARK, LIGHT } from '../pages/theme.ts'

/** The colours that come from the accent. `ink`: of links. */
interface MailAccent {
  readonly accent: string
  readonly on_accent: string
  readonly ink: string
}

/** What a mail shows, in the order of the page. */
export interface MailLayout {
  readonly language: Language
  readonly service_name: string
  readonly issuer: string
  readonly subject: string
  readonly lead: readonly string[]
  readonly facts: readonly (readonly [label: string, value: string])[]
  readonly button: { readonly link: string; readonly action: string } | undefined
  /** What comes after the button; empty: nothing. */
  readonly after: string
  /** What goes before the address of the button. */
  readonly stuck: string
  /** Who sent it. */
  readonly sent: string
  readonly light: MailAccent
  readonly dark: MailAccent
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const TABLE = new Html('role="presentation" cellpadding="0" cellspacing="0" border="0"')

/** Returns the HTML of a mail. Every text is escaped; colours are of settings and constants. */
export function mailHtml(layout: MailLayout): string {
  const { language, service_name, issuer, subject, lead, facts, button, after, stuck, sent, light } = layout
  const { tag, dir } = language
  const start = dir === 'rtl' ? 'right' : 'left'
  const body = `color:${LIGHT.text};${FONT};font-size:16px;line-height:24px`
  const soft = `color:${LIGHT.muted};${FONT};font-size:13px;line-height:20px`
  const paragraph = (text: string) => html`<p class="text" style="margin:0 0 16px;${body}">${text}</p>\n`
  return html`<!doctype html>
<html lang="${tag}" dir="${dir}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${subject}</title>
<style>${new Html(darkRules(layout))}</style></head>
<body class="page" style="margin:0;padding:0;background:${LIGHT.page}">
<div lang="${tag}" dir="${dir}">
<table ${TABLE} class="page" width="100%" bgcolor="${LIGHT.page}" style="background:${LIGHT.page}"><tr><td align="center" style="padding:32px 16px">
<table ${TABLE} class="card" width="520" bgcolor="${LIGHT.surface}" style="width:100%;max-width:520px;background:${LIGHT.surface};border:1px solid ${LIGHT.hairline};border-radius:16px"><tr><td align="${start}" style="padding:32px;text-align:${start}">
<table ${TABLE}><tr><td width="36" height="36" align="center" bgcolor="${light.accent}" style="width:36px;height:36px;background:${light.accent};border-radius:9px;color:${light.on_accent};${FONT};font-weight:700;font-size:16px">${initialOf(service_name)}</td><td class="text" style="padding:0 10px;color:${LIGHT.text};${FONT};font-weight:600;font-size:16px">${service_name}</td></tr></table>
<h1 class="text" style="margin:28px 0 12px;color:${LIGHT.text};${FONT};font-size:22px;line-height:28px;font-weight:600">${subject}</h1>
${lead.map(paragraph)}${factTable(facts, start)}${button === undefined ? '' : buttonHtml(button.action, button.link, light)}${after === '' ? '' : paragraph(after)}${
  button === undefined
    ? ''
    : html`<p class="soft" style="margin:0;${soft}">${stuck} <a class="link" dir="ltr" href="${button.link}" style="color:${light.ink};word-break:break-all;overflow-wrap:anywhere">${button.link}</a></p>\n`
}</td></tr></table>
<p class="soft" style="max-width:520px;margin:20px auto 0;${soft}">${sent} <a class="link" dir="ltr" href="${issuer}" style="color:${light.ink}">${issuer}</a></p>
</td></tr></table>
</div>
</body></html>
`.toString()
}

function buttonHtml(action: string, link: string, { accent, on_accent }: MailAccent): Html {
  return html`<table ${TABLE} style="margin:24px 0"><tr><td class="button" bgcolor="${accent}" style="background:${accent};border-radius:10px;mso-padding-alt:13px 24px"><a href="${link}" style="display:inline-block;padding:13px 24px;color:${on_accent};${FONT};font-size:16px;font-weight:600;text-decoration:none">${action}</a></td></tr></table>\n`
}

function factTable(facts: MailLayout['facts'], start: string): Html | string {
  const cell = (color: string) =>
    `padding:6px 0;text-align:${start};color:${color};${FONT};font-size:14px;line-height:20px`
  return facts.length === 0
    ? ''
    : html`<table ${TABLE} width="100%" style="margin:0 0 16px">${facts.map(([label, value]) => html`<tr><td class="soft" width="130" align="${start}" valign="top" style="${cell(LIGHT.muted)}">${label}</td><td class="text" align="${start}" valign="top" style="${cell(LIGHT.text)}"><bdi>${value}</bdi></td></tr>\n`)}</table>\n`
}

/** What mail programs with dark colours show; the others invert what is there, which stays legible. */
function darkRules({ dark }: MailLayout): string {
  const { page, surface, hairline, text, muted } = DARK
  return `@media(prefers-color-scheme:dark){.page{background:${page}!important}.card{background:${surface}!important;border-color:${hairline}!important}.text{color:${text}!important}.soft{color:${muted}!important}.link{color:${dark.ink}!important}.button{background:${dark.accent}!important}}`
}
