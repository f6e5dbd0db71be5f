import { matchesRedirectUri } from '../../clients/record/redirect-uri.ts'
import { differencesOf } from '../../explain/compare.ts'
import { type Html, html } from '../../pages/html.ts'
import { marked, uriDifference } from '../pages/differs.ts'
import { hidden } from '../pages/fields.ts'
import { badge, code } from '../pages/parts.ts'

type Form = Readonly<Record<string, string | undefined>>

/** Whether a form asks about a redirect URI that it was not told of yet, whatever button was pressed. */
export const isAsked = ({ uri = '', tested = '', check }: Form): boolean =>
  uri.trim() !== '' && (check !== undefined || uri.trim() !== tested)

/** Whether a redirect URI is accepted, by the rule of the authorization endpoint, and if not what differs. */
export function uriAnswer(uri: string, registered: readonly string[], type: unknown): Html | '' {
  if (uri === '') return ''
  if (matchesRedirectUri(uri, registered, type === 'native' ? 'native' : 'web'))
    return html`${code(uri)} ${badge('is registered', 'good')}${registered.includes(uri) ? '' : ' The port of a loopback address may be any.'}`
  const [near] = differencesOf({ redirect_uri: uri }, { redirect_uris: registered })
  if (near === undefined)
    return html`${code(uri)} ${badge('is not registered', 'bad')} ${registered.length === 0 ? 'None is.' : 'None of them is similar.'}`
  return html`${marked(uri, near.at)} ${badge('is not registered', 'bad')}<br>${uriDifference(uri, near.expected)} Registered is ${marked(near.expected, near.at)}`
}

/** The field of a form in which a URI is pasted that a program sends, and the answer. */
export function uriField(uri: string, answer: Html | ''): Html {
  return html`<div class="field"><div class="label"><label for="tester">Is this redirect URI accepted?</label></div>
<input id="tester" name="uri" value="${uri}" dir="ltr" autocomplete="off" spellcheck="false" placeholder="Paste what your program sends"${answer === '' ? '' : html` aria-describedby="tester-answer"`}>
${answer === '' ? '' : html`<p role="status" id="tester-answer">${answer}</p>`}</div>
`
}

/** Asks below redirect URIs that are being typed whether one of a program is among them. */
export function uriTester(registered: readonly string[], type: unknown, form: Form): Html {
  const uri = (form.uri ?? '').trim()
  return html`${uriField(uri, uriAnswer(uri, registered, type))}${hidden('tested', uri)}<p class="down"><button class="small" name="check" value="uri">Check it</button></p>
`
}
